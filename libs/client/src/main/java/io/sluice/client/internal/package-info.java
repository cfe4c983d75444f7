/**
 * How the client works inside: channels, metadata, the writers' delivery loop, and the streams of
 * scanners and lookupers. Nothing here is public API.
 */
@NullMarked
package io.sluice.client.internal;

import org.jspecify.annotations.NullMarked;

/**
 * How the client works inside: channels, metadata, the writer's delivery loop and the scanner's
 * streams. Nothing here is public API.
 */
@NullMarked
package io.sluice.client.internal;

import org.jspecify.annotations.NullMarked;

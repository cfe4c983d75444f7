/**
 * How connections that carry batches use their sockets. Nothing here knows what is sent; services
 * and clients choose it when they build a server or a channel.
 */
@NullMarked
package io.sluice.protocol.transport;

import org.jspecify.annotations.NullMarked;

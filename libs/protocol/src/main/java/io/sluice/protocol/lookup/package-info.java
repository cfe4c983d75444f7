/**
 * The messages of key lookups by hand: thousands of small keys and values a message, read and
 * written as byte arrays without an object around each, and the gRPC method descriptor for them.
 * The bytes are those of {@code kv.proto}. Knows bytes, never tables.
 */
@NullMarked
package io.sluice.protocol.lookup;

import org.jspecify.annotations.NullMarked;

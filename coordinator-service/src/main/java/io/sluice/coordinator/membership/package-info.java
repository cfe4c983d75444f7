/**
 * The sessions of tablet servers: registration, heartbeats, expiry, and the stream of derived state
 * each of them gets, one image and then deltas in the order of the Raft index. Knows gRPC messages
 * but no gRPC transport.
 */
@NullMarked
package io.sluice.coordinator.membership;

import org.jspecify.annotations.NullMarked;

/**
 * The coordinator's gRPC services: decode, call, encode. The metadata service is public, the
 * cluster service asks for the cluster token.
 */
@NullMarked
package io.sluice.coordinator.grpc;

import org.jspecify.annotations.NullMarked;

/** The internal gRPC API of the lake service: decodes, calls {@code commit}, encodes. */
@NullMarked
package io.sluice.lake.grpc;

import org.jspecify.annotations.NullMarked;

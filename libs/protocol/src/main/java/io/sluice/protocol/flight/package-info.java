/**
 * Arrow Flight frames by hand: parsing FlightData with one copy of the body into Arrow memory,
 * writing it without a copy, and the gRPC method descriptors that use both. Knows bytes, never
 * tables or offsets.
 */
@NullMarked
package io.sluice.protocol.flight;

import org.jspecify.annotations.NullMarked;

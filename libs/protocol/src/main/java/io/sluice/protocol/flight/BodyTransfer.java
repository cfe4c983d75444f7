package io.sluice.protocol.flight;

/** How a body reaches the transport. */
enum BodyTransfer {
  /** The transport writes our memory; falls back to a copy when gRPC does not let us. */
  ZERO_COPY,
  /** Through gRPC's public interface, copied. */
  COPY
}

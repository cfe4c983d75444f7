package io.sluice.coordinator.metadata;

/**
 * A named writer.
 *
 * @param name name
 * @param writerId id, never reused
 * @param epoch newest epoch; lower ones are fenced
 */
public record Writer(String name, long writerId, int epoch) {
  /** The largest epoch that the 16 bits of a batch header hold. */
  public static final int MAX_EPOCH = 65535;
}

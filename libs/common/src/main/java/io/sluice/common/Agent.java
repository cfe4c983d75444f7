package io.sluice.common;

/** A loop body: does a bounded amount of work and returns, so that its owner can stop it. */
public interface Agent extends AutoCloseable {
  /** For thread names and logs. */
  String name();

  /**
   * Does a bounded amount of work.
   *
   * @return how much was done; 0 lets the runner wait for a moment
   */
  int doWork() throws Exception;

  @Override
  default void close() {}
}

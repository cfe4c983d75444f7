package io.sluice.common;

/** A clock that tests can move. Implementations are thread-safe. */
public interface TimeSource {
  /** The machine's clocks. */
  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long epochMs() {
          return System.currentTimeMillis();
        }

        @Override
        public long nanoTime() {
          return System.nanoTime();
        }
      };

  /** Wall clock, milliseconds since 1970-01-01T00:00Z. It may jump. */
  long epochMs();

  /** Monotonic clock in nanoseconds, only differences have a meaning. */
  long nanoTime();
}

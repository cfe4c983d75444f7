package io.sluice.lake.sql;

import java.time.Duration;

/** Sees every statement end, for metrics. */
public interface SqlObserver {
  /** Sees nothing. */
  SqlObserver NONE = (kind, outcome, duration, rows) -> {};

  /**
   * A statement has ended.
   *
   * @param kind query, explain, insert, definition, or unknown when it could not be told
   * @param outcome ok, or the name of the error code
   * @param duration how long it took
   * @param rows rows of its answer
   */
  void ended(String kind, String outcome, Duration duration, long rows);
}

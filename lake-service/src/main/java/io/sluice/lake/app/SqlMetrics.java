package io.sluice.lake.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.lake.sql.SqlObserver;
import java.time.Duration;

/** Counts statements by kind and outcome, with their duration and rows. */
final class SqlMetrics implements SqlObserver {
  private final MeterRegistry registry;
  private final Counter rows;

  SqlMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.rows =
        Counter.builder("sluice.sql.rows")
            .description("Rows in answers of statements")
            .register(registry);
  }

  @Override
  public void ended(String kind, String outcome, Duration duration, long rowCount) {
    Timer.builder("sluice.sql.statements")
        .description("Statements that ended")
        .tag("kind", kind)
        .tag("outcome", outcome)
        .register(registry)
        .record(duration);
    rows.increment(rowCount);
  }
}

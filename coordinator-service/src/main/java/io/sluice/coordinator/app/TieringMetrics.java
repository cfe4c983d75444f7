package io.sluice.coordinator.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.sluice.coordinator.tiering.QueueStatus;
import io.sluice.coordinator.tiering.TableStatus;
import io.sluice.coordinator.tiering.TieringSnapshot;
import io.sluice.coordinator.tiering.TieringState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the tiering queue. They read what the queue's loop published last; those of a table are
 * registered when it appears in it and removed when it is gone. The loop's thread publishes, any
 * thread scrapes.
 */
final class TieringMetrics implements Consumer<TieringSnapshot> {
  private static final String PREFIX = "sluice.tiering.";
  private static final double MS_PER_SECOND = 1000;

  private final MeterRegistry registry;

  /** The loop's: what was registered, by table id. */
  private final Map<Long, List<Meter>> meters = new HashMap<>();

  private volatile TieringSnapshot last;
  private volatile Map<Long, TableStatus> tables = Map.of();

  TieringMetrics(MeterRegistry registry, TieringSnapshot first) {
    this.registry = registry;
    this.last = first;
    total("tables.pending", "Tables that wait for a worker", s -> s.counts().ready());
    total("tables.running", "Tables that a worker has", s -> s.counts().tiering());
    total("tables.failed", "Tables whose last round failed", s -> s.counts().failed());
    total("tables.held", "Tables that get no rounds", s -> s.counts().held());
    total("workers.alive", "Tiering workers that report", QueueStatus::workersAlive);
    total("workers.expected", "Tiering workers there should be", QueueStatus::workersExpected);
    total(
        "lake.failing",
        "1 while rounds are stopped because the lake is out of order",
        s -> s.lakeBreakerOpen() ? 1 : 0);
  }

  private void total(String name, String description, ToDoubleFunction<QueueStatus> value) {
    Gauge.builder(PREFIX + name, this, m -> value.applyAsDouble(m.last.status()))
        .description(description)
        .register(registry);
  }

  /** The queue as it is now; called by the loop alone. */
  @Override
  public void accept(TieringSnapshot snapshot) {
    Map<Long, TableStatus> current = new HashMap<>();
    for (TableStatus table : snapshot.tables()) {
      current.put(table.tableId(), table);
    }
    // First the gone ones: a table made again under its name has the same tags.
    Set<Long> gone = new HashSet<>(meters.keySet());
    gone.removeAll(current.keySet());
    for (long tableId : gone) {
      for (Meter meter : meters.getOrDefault(tableId, List.of())) {
        registry.remove(meter);
      }
      meters.remove(tableId);
    }
    tables = current;
    last = snapshot;
    for (TableStatus table : snapshot.tables()) {
      if (!meters.containsKey(table.tableId())) {
        meters.put(table.tableId(), register(table));
      }
    }
  }

  private List<Meter> register(TableStatus table) {
    long id = table.tableId();
    Tags tags = Tags.of("database", table.database(), "table", table.table());
    List<Meter> registered = new ArrayList<>();
    registered.add(seconds(id, tags, "lag", "Time since the last success", TableStatus::tierLagMs));
    registered.add(
        seconds(
            id,
            tags,
            "duration",
            "How long the last round took",
            t -> lastRound(t, TableStatus.LastRound::durationMs)));
    registered.add(
        seconds(
            id,
            tags,
            "pending",
            "How long it has been waiting for a worker",
            t -> t.state() == TieringState.PENDING ? last.status().nowMs() - t.stateSinceMs() : 0));
    registered.add(
        seconds(id, tags, "freshness", "How old the lake may be", TableStatus::freshnessMs));
    registered.add(
        FunctionCounter.builder(
                PREFIX + "table.failures",
                this,
                m -> m.value(id, status -> (double) status.failuresTotal()))
            .tags(tags)
            .description("Failures that counted")
            .register(registry));
    registered.add(
        gauge(id, tags, "rows", "", "Rows of the last round", t -> lastRound(t, r -> r.rows())));
    registered.add(
        gauge(
            id,
            tags,
            "round",
            "bytes",
            "Bytes of the last round",
            t -> lastRound(t, r -> r.bytes())));
    return registered;
  }

  /** Not a number where there was no round, or where the figure is not known. */
  private static double lastRound(
      TableStatus table, Function<TableStatus.LastRound, @Nullable Long> figure) {
    TableStatus.LastRound round = table.lastRound();
    Long value = round == null ? null : figure.apply(round);
    return value == null ? Double.NaN : value;
  }

  private Gauge seconds(
      long tableId,
      Tags tags,
      String name,
      String description,
      ToDoubleFunction<TableStatus> millis) {
    return gauge(
        tableId,
        tags,
        name,
        "seconds",
        description,
        status -> millis.applyAsDouble(status) / MS_PER_SECOND);
  }

  private Gauge gauge(
      long tableId,
      Tags tags,
      String name,
      String unit,
      String description,
      ToDoubleFunction<TableStatus> value) {
    Gauge.Builder<TieringMetrics> gauge =
        Gauge.builder(PREFIX + "table." + name, this, m -> m.value(tableId, value))
            .tags(tags)
            .description(description);
    return (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).register(registry);
  }

  private double value(long tableId, ToDoubleFunction<TableStatus> value) {
    TableStatus status = tables.get(tableId);
    return status == null ? Double.NaN : value.applyAsDouble(status);
  }
}

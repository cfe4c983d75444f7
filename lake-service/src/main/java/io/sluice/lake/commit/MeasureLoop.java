package io.sluice.lake.commit;

import io.sluice.common.Agent;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.protocol.tiering.v1.LakeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the lake tables, one a pass, every interval; orphan files, which cost a walk of the
 * table's folder, once an hour. Apart from everything that commits.
 */
public final class MeasureLoop implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(MeasureLoop.class);
  private static final long ORPHANS_EVERY_NANOS = Duration.ofHours(1).toNanos();

  private final LakeCatalog catalog;
  private final LakeTables tables;
  private final Supplier<List<LakeState>> states;
  private final UntieredRows untiered;
  private final TimeSource time;
  private final Duration interval;
  private final Consumer<List<TableMeasures>> listener;
  private final Queue<LakeState> waiting = new ArrayDeque<>();
  private final Map<Long, Orphans> orphans = new HashMap<>();
  private List<TableMeasures> measured = new ArrayList<>();
  private long nextNanos;

  private record Orphans(long count, long takenNanos) {}

  MeasureLoop(
      LakeCatalog catalog,
      Supplier<List<LakeState>> states,
      UntieredRows untiered,
      TimeSource time,
      Duration interval,
      Consumer<List<TableMeasures>> listener) {
    this.catalog = catalog;
    this.tables = new LakeTables(catalog);
    this.states = states;
    this.untiered = untiered;
    this.time = time;
    this.interval = interval;
    this.listener = listener;
    this.nextNanos = time.nanoTime();
  }

  @Override
  public String name() {
    return "lake-measure";
  }

  @Override
  public int doWork() {
    if (waiting.isEmpty()) {
      if (time.nanoTime() - nextNanos < 0) {
        return 0;
      }
      nextNanos = time.nanoTime() + interval.toNanos();
      waiting.addAll(states.get());
      Set<Long> known = new HashSet<>();
      waiting.forEach(state -> known.add(state.getTableId()));
      orphans.keySet().retainAll(known);
      measured = new ArrayList<>();
      if (waiting.isEmpty()) {
        listener.accept(List.of());
        return 0;
      }
    }
    LakeState state = waiting.remove();
    try {
      measured.add(measure(state));
    } catch (RuntimeException failure) {
      // A number less; the next interval tries again.
      LOG.debug("Cannot measure {}.{}", state.getDatabase(), state.getTable(), failure);
    }
    if (waiting.isEmpty()) {
      listener.accept(List.copyOf(measured));
    }
    return 1;
  }

  private TableMeasures measure(LakeState state) {
    LakeTables.Loaded loaded =
        tables.own(state.getTableId(), state.getDatabase(), state.getTable());
    LakeOffsets offsets = loaded == null ? LakeOffsets.NONE : loaded.lineage().recorded();
    Long lag = lag(state, offsets);
    if (loaded == null) {
      return new TableMeasures(
          state.getTableId(), state.getDatabase(), state.getTable(), lag, 0, 0, 0, 0, 0);
    }
    Snapshot current = loaded.metadata().currentSnapshot();
    Map<String, String> summary = current == null ? Map.of() : current.summary();
    return new TableMeasures(
        state.getTableId(),
        state.getDatabase(),
        state.getTable(),
        lag,
        Lineage.number(summary, SnapshotSummary.TOTAL_DATA_FILES_PROP),
        loaded.metadata().snapshots().size(),
        Lineage.number(summary, SnapshotSummary.TOTAL_FILE_SIZE_PROP),
        Lineage.number(summary, SnapshotSummary.TOTAL_RECORDS_PROP),
        orphans(state.getTableId(), loaded));
  }

  private @Nullable Long lag(LakeState state, LakeOffsets offsets) {
    try {
      long oldest =
          untiered.oldestMs(new TablePath(state.getDatabase(), state.getTable()), offsets);
      return oldest == UntieredRows.NONE ? 0 : Math.max(0, time.epochMs() - oldest);
    } catch (SluiceException unknown) {
      LOG.debug("Cannot tell the lag of {}.{}", state.getDatabase(), state.getTable(), unknown);
      return null;
    }
  }

  private long orphans(long tableId, LakeTables.Loaded loaded) {
    long now = time.nanoTime();
    Orphans last = orphans.get(tableId);
    if (last != null && now - last.takenNanos() < ORPHANS_EVERY_NANOS) {
      return last.count();
    }
    long count = OrphanFiles.count(loaded, catalog.locations(), time.epochMs());
    orphans.put(tableId, new Orphans(count, now));
    return count;
  }
}

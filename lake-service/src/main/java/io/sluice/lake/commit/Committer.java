package io.sluice.lake.commit;

import io.sluice.common.TimeSource;
import io.sluice.lake.catalog.LakeCatalog;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The parts of this package, wired: they share the lanes of the tables. Close it before the
 * catalog.
 */
public final class Committer implements AutoCloseable {
  private final Rounds rounds;
  private final LakeTableDrop drop;
  private final LakeSnapshots snapshots;
  private final CompareLoop comparison;
  private final Recorder recorder;

  /**
   * Bounds of a committer.
   *
   * @param patience how long a call waits for another one on the same table
   * @param tell how long telling the coordinator of a round may take
   * @param compareInterval how often lake and record are compared
   */
  public record Settings(Duration patience, Duration tell, Duration compareInterval) {
    /** Twenty seconds, five seconds, one minute. */
    public static final Settings DEFAULT =
        new Settings(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofMinutes(1));
  }

  public Committer(LakeCatalog catalog, LakeRecord record, TimeSource time, Settings settings) {
    LakeTables tables = new LakeTables(catalog);
    Lanes lanes = new Lanes(settings.patience());
    this.recorder = new Recorder(record, time, settings.tell());
    this.rounds = new Rounds(catalog, tables, record, recorder, lanes);
    this.drop = new LakeTableDrop(catalog, tables, new ManagedTables(record), lanes);
    this.snapshots = new LakeSnapshots(tables, record);
    this.comparison =
        new CompareLoop(tables, record, recorder, lanes, time, settings.compareInterval());
  }

  /** Rounds. */
  public Rounds rounds() {
    return rounds;
  }

  /** Finding and purging lake tables. */
  public LakeTableDrop drop() {
    return drop;
  }

  /** Current snapshots. */
  public LakeSnapshots snapshots() {
    return snapshots;
  }

  /** The comparison of lake and record, to be run as an agent. */
  public CompareLoop comparison() {
    return comparison;
  }

  /** Measures the tables that the last comparison found, to be run as an agent. */
  public MeasureLoop measures(
      LakeCatalog catalog,
      UntieredRows untiered,
      TimeSource time,
      Duration interval,
      Consumer<List<TableMeasures>> listener) {
    return new MeasureLoop(catalog, comparison::lastStates, untiered, time, interval, listener);
  }

  /** Calls that when the next comparison should come early. */
  public void wakeComparisonWith(Runnable wake) {
    recorder.whenLate(
        () -> {
          comparison.soon();
          wake.run();
        });
  }

  @Override
  public void close() {
    recorder.stop();
  }
}

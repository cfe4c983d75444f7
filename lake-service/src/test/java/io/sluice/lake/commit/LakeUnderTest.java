package io.sluice.lake.commit;

import io.sluice.common.TimeSource;
import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.catalog.FaultyOperations;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.DataFile;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/** A lake in a directory, with a coordinator and a worker's part played by the test. */
public final class LakeUnderTest implements AutoCloseable {
  private final Path directory;
  private final FakeRecord record;
  private final FaultyOperations.Faults faults = new FaultyOperations.Faults();
  private CatalogStore store;
  private Committer committer;

  public LakeUnderTest(Path directory) {
    this.directory = directory;
    this.record = new FakeRecord();
    this.store = openStore();
    this.committer = openCommitter();
  }

  private CatalogStore openStore() {
    return FaultyOperations.open(
        directory.resolve("catalog"), directory.resolve("warehouse"), faults);
  }

  private Committer openCommitter() {
    return new Committer(
        store.catalog(),
        record,
        TimeSource.SYSTEM,
        new Committer.Settings(
            Duration.ofSeconds(20), Duration.ofMillis(20), Duration.ofMinutes(1)));
  }

  /** Ends the process and starts another one on the same directories. */
  public void restart() {
    store.close();
    store = openStore();
    committer = openCommitter();
  }

  public FakeRecord record() {
    return record;
  }

  public FaultyOperations.Faults faults() {
    return faults;
  }

  public LakeCatalog catalog() {
    return store.catalog();
  }

  public Committer committer() {
    return committer;
  }

  Rounds rounds() {
    return committer.rounds();
  }

  public PrepareRoundResponse prepare(long tableId, long epoch, String roundId) {
    return new RoundMessages(committer.rounds())
        .prepare(
            PrepareRoundRequest.newBuilder()
                .setTableId(tableId)
                .setEpoch(epoch)
                .setRoundId(roundId)
                .build());
  }

  /** Runs comparisons until every table was compared once. */
  void compare() {
    long before = committer.comparison().rounds();
    committer.comparison().soon();
    for (int i = 0; i < 10_000 && committer.comparison().rounds() == before; i++) {
      committer.comparison().doWork();
    }
  }

  /** See {@link WorkerPart#write}. */
  CommitRoundRequest write(
      PrepareRoundResponse prepared, String roundId, long epoch, Map<Integer, Integer> rows)
      throws IOException {
    return WorkerPart.write(prepared, roundId, epoch, rows);
  }

  DataFile file(PrepareRoundResponse prepared, int bucket, long from, long to) throws IOException {
    return WorkerPart.file(prepared, bucket, from, to);
  }

  /** The offsets of the rows in the lake, by bucket, in the order of reading. */
  public Map<Integer, List<Long>> rows(String database, String table) throws IOException {
    Table loaded = store.catalog().loadTable(TableIdentifier.of(database, table));
    Map<Integer, List<Long>> rows = new TreeMap<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(loaded).build()) {
      for (Record row : records) {
        rows.computeIfAbsent((Integer) row.getField("__bucket"), each -> new ArrayList<>())
            .add((Long) row.getField("__offset"));
      }
    }
    rows.values().forEach(java.util.Collections::sort);
    return rows;
  }

  @Override
  public void close() {
    committer.close();
    store.close();
  }
}

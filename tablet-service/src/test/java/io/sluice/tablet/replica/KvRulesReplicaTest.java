package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ids, rows that are made by lookups, and rows that expire, through a whole replica. */
final class KvRulesReplicaTest {
  /** {@code (k INT, a STRING, c INT)}, key k. */
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;

  private static final long TABLE = KvReplicaRandomTest.TABLE;
  private static final KeyEncoder KEY = KeyEncoder.of(SCHEMA);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Map<String, String> IDS = Map.of("auto-increment.fields", "c");

  @TempDir private Path temp;
  private final BufferAllocator allocator = new RootAllocator();
  private final List<AutoCloseable> open = new ArrayList<>();
  private TestTablet tablet;

  @AfterEach
  void close() throws Exception {
    if (tablet != null) {
      tablet.close();
    }
    for (AutoCloseable each : open) {
      each.close();
    }
    allocator.close();
  }

  private Replica open(int epoch, Map<String, String> options) {
    tablet = TestTablet.open(temp);
    return lead(epoch, options);
  }

  /** Leads, with the first ids at hand when the table gives some. */
  private Replica lead(int epoch, Map<String, String> options) {
    long granted = tablet.kv.counters().grantedIds();
    tablet.apply(
        new ReplicaUpdate.Image(
            TestTablet.CLUSTER,
            epoch,
            List.of(table(options)),
            List.of(TestTablet.role(TableBucket.of(TABLE, 0), TestTablet.SERVER, epoch)),
            List.of()));
    if (options.containsKey("auto-increment.fields")) {
      Await.until("first ids", SOON, () -> tablet.kv.counters().grantedIds() > granted);
    }
    return tablet.replica(TABLE);
  }

  private static HostedTable table(Map<String, String> options) {
    return new HostedTable(
        TABLE, TablePath.parse("demo.keyed"), List.of(SCHEMA), 1, List.of("k"), options);
  }

  private static Map<String, String> idsInRangesOf(int most) {
    Map<String, String> options = new HashMap<>(IDS);
    options.put("table.auto-increment.cache-size", Integer.toString(most));
    return options;
  }

  /** Puts rows without their ids. */
  private Answer putNew(Replica replica, int... keys) {
    List<Column> columns = SCHEMA.columns().subList(0, 2);
    TableSchema shape = new TableSchema(1, columns, SCHEMA.primaryKey());
    Row[] rows = Arrays.stream(keys).mapToObj(key -> Row.of(key, "a")).toArray(Row[]::new);
    return put(replica, shape, List.of(1, 2), rows);
  }

  private Answer put(Replica replica, TableSchema shape, List<Integer> targets, Row... rows) {
    byte[] upserts = new byte[rows.length];
    Arrays.fill(upserts, ChangeType.UPDATE_AFTER.code());
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(shape), allocator)) {
      ColumnWriters writers = ColumnWriters.of(shape, root, rows.length);
      for (Row row : rows) {
        writers.write(row);
      }
      EncodedBatch batch =
          encoder.encode(writers.finish(), shape, ByteBuffer.wrap(upserts), BatchWriter.NONE);
      open.add(batch);
      Answer answer = new Answer();
      replica.append(
          new AppendRequest(batch.header(), batch.sections(), targets, -1, true), answer);
      return answer;
    }
  }

  private static Answer make(Replica replica, int... keys) {
    Answer answer = new Answer();
    replica.insertMissing(Arrays.stream(keys).mapToObj(KvRulesReplicaTest::key).toList(), answer);
    return answer;
  }

  private static byte[] key(int k) {
    return KEY.encode(Row.of(k, null, null));
  }

  private static @Nullable Integer id(Replica replica, int k) {
    byte[] value = replica.requireRows().get(key(k));
    return value == null ? null : RowCodec.of(SCHEMA).decode(value).getInt(2);
  }

  @Test
  void rangesGrowAndAreFetchedAhead() throws Exception {
    Replica replica = open(1, IDS);
    assertThat(tablet.ids.counts()).containsExactly(128L);
    for (int k = 0; k < 64; k++) {
      putNew(replica, k).get();
    }
    Await.until("fetched ahead", SOON, () -> tablet.ids.counts().size() == 2);
    assertThat(tablet.ids.counts()).containsExactly(128L, 256L);
    assertThat(id(replica, 0)).isEqualTo(1);
    assertThat(id(replica, 63)).isEqualTo(64);
    assertThat(replica.offsets().rowCount()).isEqualTo(64);
    Await.until("counted", SOON, () -> tablet.kv.counters().grantedIds() == 384);
  }

  @Test
  void aPutThatNeedsMoreIdsThanAreAtHandWaitsAndThoseBehindItToo() throws Exception {
    Replica replica = open(1, IDS);
    tablet.ids.hold();
    Answer large = putNew(replica, IntStream.range(0, 300).toArray());
    Answer small = putNew(replica, 0, 1000);
    Await.until("asked", SOON, () -> tablet.ids.counts().size() == 2);
    assertThat(tablet.ids.counts()).containsExactly(128L, 256L);
    assertThat(large.done()).isFalse();
    assertThat(small.done()).isFalse();
    tablet.ids.release();
    large.get();
    small.get();
    assertThat(id(replica, 0)).isEqualTo(1);
    assertThat(id(replica, 1000)).isEqualTo(301);
  }

  @Test
  void aPutWaitsForIdsOnlySoLong() throws Exception {
    Replica replica = open(1, IDS);
    tablet.ids.maxWaitMs(50);
    tablet.ids.hold();
    Answer large = putNew(replica, IntStream.range(0, 300).toArray());
    Answer behind = putNew(replica, 1);
    assertThat(large.failure())
        .hasMessageContaining("came from the coordinator within 50 ms")
        .extracting(SluiceException::code)
        .isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(behind.refusal()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(replica.offsets().logEnd()).isZero();
    tablet.ids.release();
    putNew(replica, 1).get();
  }

  @Test
  void exhaustedIdsRefuseThePut() throws Exception {
    Replica replica = open(1, IDS);
    tablet.ids.fail(new SluiceException(ErrorCode.IDS_EXHAUSTED, "widen it"));
    int[] many = IntStream.range(0, 129).toArray();
    assertThat(putNew(replica, many).refusal()).isEqualTo(ErrorCode.IDS_EXHAUSTED);
    // What is at hand is still given.
    putNew(replica, 1).get();
    assertThat(id(replica, 1)).isEqualTo(1);
    assertThat(tablet.kv.counters().refusedPuts(ErrorCode.IDS_EXHAUSTED)).isEqualTo(1);
  }

  @Test
  void withoutMoreIdsPutsThatNeedNoneGoOn() throws Exception {
    Replica replica = open(1, IDS);
    putNew(replica, 1).get();
    tablet.ids.fail(new SluiceException(ErrorCode.IDS_EXHAUSTED, "widen it"));
    int[] known = new int[200];
    Arrays.fill(known, 1);
    putNew(replica, known).get();
    assertThat(id(replica, 1)).isEqualTo(1);
    int[] tooMany = IntStream.range(1, 200).toArray();
    assertThat(putNew(replica, tooMany).refusal()).isEqualTo(ErrorCode.IDS_EXHAUSTED);
    assertThat(replica.offsets().rowCount()).isEqualTo(1);
    // Neither has used an id.
    putNew(replica, 2).get();
    assertThat(id(replica, 2)).isEqualTo(2);
    tablet.ids.fail(null);
    putNew(replica, tooMany).get();
    assertThat(replica.offsets().rowCount()).isEqualTo(199);
  }

  @Test
  void aLargerCacheSizeHoldsForTheNextRange() throws Exception {
    Replica replica = open(1, idsInRangesOf(100));
    putNew(replica, IntStream.range(0, 60).toArray()).get();
    Await.until("fetched ahead", SOON, () -> tablet.ids.counts().size() == 2);
    tablet.set.apply(
        new ReplicaUpdate.Delta(
            2, List.of(table(idsInRangesOf(1_000))), Set.of(), List.of(), Set.of(), List.of()));
    putNew(replica, IntStream.range(0, 500).toArray()).get();
    assertThat(tablet.ids.counts()).startsWith(100L, 100L, 360L);
  }

  @Test
  void aCoordinatorThatIsAwayIsAskedAgain() throws Exception {
    Replica replica = open(1, IDS);
    tablet.ids.fail(new SluiceException(ErrorCode.UNAVAILABLE, "away"));
    Answer large = putNew(replica, IntStream.range(0, 200).toArray());
    Await.until("asked again", SOON, () -> tablet.ids.counts().size() >= 3);
    assertThat(large.done()).isFalse();
    tablet.ids.fail(null);
    large.get();
    assertThat(id(replica, 199)).isEqualTo(200);
  }

  @Test
  void aRangeDiesWithItsEpochAndParkedPutsAreRefused() throws Exception {
    Replica replica = open(1, IDS);
    putNew(replica, 1).get();
    tablet.ids.hold();
    Answer parked = putNew(replica, IntStream.range(0, 200).toArray());
    Await.until("asked", SOON, () -> tablet.ids.counts().size() == 2);
    tablet.set.apply(TestTablet.roles(5, TestTablet.role(TableBucket.of(TABLE, 0), 0, 2)));
    assertThat(parked.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    tablet.ids.release();
    lead(6, IDS);
    putNew(replica, 2).get();
    // 1 to 128 and 129 to 384 were granted before.
    assertThat(id(replica, 2)).isEqualTo(385);
  }

  @Test
  void rowsAreMadeOncePerKeyHoweverManyAskForThem() throws Exception {
    Replica replica = open(1, IDS);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> askers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        askers.add(
            threads.submit(
                () -> {
                  for (int k = 0; k < 100; k++) {
                    make(replica, k, k + 1).get();
                    assertThat(id(replica, k)).isNotNull();
                  }
                  return null;
                }));
      }
      for (Future<?> each : askers) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    Set<Integer> ids = new HashSet<>();
    for (int k = 0; k <= 100; k++) {
      ids.add(id(replica, k));
    }
    assertThat(ids).hasSize(101);
    assertThat(replica.offsets().rowCount()).isEqualTo(101);
    assertThat(replica.offsets().logEnd()).isEqualTo(101);
    assertThat(tablet.kv.counters().madeRows()).isEqualTo(101);
  }

  @Test
  void rowsCannotBeMadeInALogTable() throws Exception {
    tablet = TestTablet.open(temp).apply(TestTablet.image(1, 1, 3));
    Answer answer = new Answer();
    tablet.replica(3).insertMissing(List.of(key(1)), answer);
    assertThat(answer.refusal()).isEqualTo(ErrorCode.UNSUPPORTED);
  }

  @Test
  void expiredRowsAreHiddenAndThenRemoved() throws Exception {
    Replica replica = open(1, Map.of("table.kv.ttl", "1 min"));
    put(replica, SCHEMA, List.of(), Row.of(1, "a", 1), Row.of(2, "b", 2)).get();
    tablet.set.housekeeper().doWork();
    tablet.clock.advanceMs(30_000);
    put(replica, SCHEMA, List.of(), Row.of(2, "c", 2)).get();
    tablet.clock.advanceMs(30_000);
    assertThat(id(replica, 1)).isNull();
    assertThat(id(replica, 2)).isEqualTo(2);
    assertThat(replica.requireRows().count()).isEqualTo(2);
    tablet.set.housekeeper().doWork();
    Await.until("removed", SOON, () -> replica.requireRows().count() == 1);
    assertThat(replica.offsets().logEnd()).isEqualTo(5);
    assertThat(replica.offsets().rowCount()).isEqualTo(1);
    assertThat(tablet.kv.counters().expiredRows()).isEqualTo(1);
    assertThat(id(replica, 2)).isEqualTo(2);
    tablet.clock.advanceMs(30_000);
    tablet.set.housekeeper().doWork();
    Await.until("removed", SOON, () -> replica.requireRows().count() == 0);
  }

  @Test
  void manyExpiredRowsAreRemovedInBoundedTurns() throws Exception {
    Replica replica = open(1, Map.of("table.kv.ttl", "1 min"));
    Row[] rows = new Row[2_500];
    for (int k = 0; k < rows.length; k++) {
      rows[k] = Row.of(k, "a", k);
    }
    put(replica, SCHEMA, List.of(), rows).get();
    tablet.clock.advanceMs(60_000);
    tablet.set.housekeeper().doWork();
    Await.until("removed", SOON, () -> replica.requireRows().count() == 0);
    assertThat(replica.offsets().logEnd()).isEqualTo(5_000);
    int batches = 0;
    try (BatchCursor cursor = replica.openCursor(2_500)) {
      while (cursor.next(5_000)) {
        assertThat(cursor.header().recordCount()).isLessThanOrEqualTo(1_000);
        batches++;
      }
    }
    assertThat(batches).isEqualTo(3);
  }

  @Test
  void largeExpiredRowsAreRemovedInSeveralBatches() throws Exception {
    Replica replica = open(1, Map.of("table.kv.ttl", "1 min"));
    Random random = new Random(7);
    for (int put = 0; put < 4; put++) {
      Row[] rows = new Row[250];
      for (int i = 0; i < rows.length; i++) {
        byte[] text = new byte[4_500];
        random.nextBytes(text);
        rows[i] = Row.of(put * rows.length + i, HexFormat.of().formatHex(text), 1);
      }
      put(replica, SCHEMA, List.of(), rows).get();
    }
    assertThat(replica.requireRows().count()).isEqualTo(1_000);
    tablet.clock.advanceMs(60_000);
    tablet.set.housekeeper().doWork();
    Await.until("removed", SOON, () -> replica.requireRows().count() == 0);
    assertThat(tablet.kv.counters().expiredRows()).isEqualTo(1_000);
    try (BatchCursor cursor = replica.openCursor(1_000)) {
      while (cursor.next(2_000)) {
        assertThat(cursor.header().recordCount()).as("a half of a turn").isLessThan(500);
      }
    }
  }

  @Test
  void aTableWhoseRowsBeginToExpireLater() throws Exception {
    Replica replica = open(1, Map.of());
    put(replica, SCHEMA, List.of(), Row.of(1, "a", 1)).get();
    tablet.clock.advanceMs(60_000);
    assertThat(id(replica, 1)).isEqualTo(1);
    lead(2, Map.of("table.kv.ttl", "1 min"));
    assertThat(id(replica, 1)).isNull();
    lead(3, Map.of());
    assertThat(id(replica, 1)).isEqualTo(1);
  }
}

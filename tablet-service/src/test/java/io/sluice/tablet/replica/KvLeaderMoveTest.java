package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
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
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.RowScan;
import io.sluice.tablet.kv.RowsView;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * B18 (b) and <em>read-your-write</em> over a failover: leadership moves between the replicas of a
 * primary-key bucket while it is scanned, looked up, written and copied.
 */
final class KvLeaderMoveTest {
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  private static final KeyEncoder KEY = KeyEncoder.of(SCHEMA);
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int SERVERS = 3;
  private static final int SCANS = 4;
  private static final int ROWS = 3_000;
  private static final int MOVES = 6;

  @TempDir private Path temp;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final BufferAllocator allocator = new RootAllocator();
  private final Queue<SluiceException> refused = new ConcurrentLinkedQueue<>();
  private final AtomicLong done = new AtomicLong();
  private final List<Future<?>> calls = new ArrayList<>();
  private volatile int leader = 1;
  private volatile boolean stopped;
  private volatile boolean unplugged;
  private ReplicaGroup group;

  @AfterEach
  void close() {
    stopped = true;
    unplugged = true;
    threads.shutdownNow();
    if (group != null) {
      group.close();
    }
    allocator.close();
  }

  @Test
  void callsGoOnWithTheNextLeaderAndNothingStaysOpen() throws Exception {
    group = new ReplicaGroup(temp, SERVERS, StandbyPuts.table(Map.of()));
    Future<?> network =
        threads.submit(
            () -> {
              while (!unplugged) {
                group.pump.round();
              }
              return null;
            });
    awaitLeader();
    put(0, ROWS);
    for (int i = 0; i < SCANS; i++) {
      repeat(this::scan);
    }
    repeat(this::lookUpPrefixes);
    repeat(this::putAndLookUp);
    repeat(this::snapshotAndCopy);
    for (int move = 0; move < MOVES; move++) {
      long before = done.get();
      Await.until("load", SOON, () -> done.get() > before + 20);
      leader = leader % SERVERS + 1;
      group.elect(leader);
      awaitLeader();
    }
    stopped = true;
    for (Future<?> call : calls) {
      call.get();
    }
    unplugged = true;
    network.get();
    assertThat(refused)
        .allSatisfy(
            e -> {
              assertThat(e.code().retriable()).as("%s", e).isTrue();
              assertThat(e.code()).isNotEqualTo(ErrorCode.STORAGE_ERROR);
            });
    group.awaitEqual();
    for (int id = 1; id <= SERVERS; id++) {
      int each = id;
      group.pumpUntil(
          "rows of server " + id,
          () ->
              group.replica(each).offsets().rowCount()
                  == group.replica(leader).offsets().rowCount());
      assertThat(host(id).resources().openScans()).isZero();
      assertThat(host(id).resources().openStores()).isEqualTo(1);
    }
  }

  private KvHost host(int id) {
    return group.server(id).kv();
  }

  private void awaitLeader() {
    Await.until(
        "server " + leader + " leads",
        SOON,
        () -> group.replica(leader).requireLeader() == group.epoch());
  }

  /** Until the test ends; what is refused is remembered. */
  private void repeat(Callable<?> call) {
    calls.add(
        threads.submit(
            () -> {
              while (!stopped) {
                try {
                  call.call();
                } catch (SluiceException e) {
                  refused.add(e);
                } catch (ExecutionException e) {
                  refused.add((SluiceException) e.getCause());
                }
              }
              return null;
            }));
  }

  private int scan() {
    Replica replica = group.replica(leader);
    int rows = 0;
    replica.requireLeader();
    try (RowScan scan = replica.requireRows().scan()) {
      replica.requireLease();
      while (scan.next()) {
        scan.value();
        rows++;
      }
    }
    assertThat(rows).isGreaterThanOrEqualTo(ROWS);
    done.incrementAndGet();
    return rows;
  }

  private int lookUpPrefixes() {
    Replica replica = group.replica(leader);
    RowsView rows = replica.requireRows();
    int found = rows.prefixes(List.of(new byte[] {1}), 20, 1 << 20).values().size();
    replica.requireLease();
    assertThat(found).isEqualTo(20);
    done.incrementAndGet();
    return found;
  }

  /** What was acknowledged is found, whoever leads by then. */
  private Object putAndLookUp() throws Exception {
    int number = ROWS + (int) done.incrementAndGet();
    put(number, number + 1);
    byte[] key = KEY.encode(Row.of(number, null, null));
    while (!stopped) {
      try {
        Replica replica = group.replica(leader);
        byte[] value = replica.requireRows().get(key);
        replica.requireLease();
        assertThat(value).as("row %d, acknowledged", number).isNotNull();
        assertThat(CODEC.decode(value).getInt(2)).isEqualTo(number);
        return value;
      } catch (SluiceException e) {
        refused.add(e);
      }
    }
    return number;
  }

  private Object snapshotAndCopy() {
    int id = leader;
    host(id).snapshots().doWork();
    try (var copy = host(id).copyRows(ReplicaGroup.BUCKET, group.epoch())) {
      assertThat(copy.position().rowCount()).isGreaterThanOrEqualTo(ROWS);
    }
    return done.incrementAndGet();
  }

  private void put(int from, int to) throws Exception {
    byte[] upserts = new byte[to - from];
    Arrays.fill(upserts, ChangeType.UPDATE_AFTER.code());
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, to - from);
      for (int key = from; key < to; key++) {
        writers.write(Row.of(key, null, key));
      }
      try (EncodedBatch batch =
          encoder.encode(writers.finish(), SCHEMA, ByteBuffer.wrap(upserts), BatchWriter.NONE)) {
        Answer answer = new Answer();
        group
            .replica(leader)
            .append(new AppendRequest(batch.header(), batch.sections(), -1, true), answer);
        // The batch must live until the answer.
        answer.get();
      }
    }
  }
}

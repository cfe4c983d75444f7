package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.tablet.kv.RowScan;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Field case B18: a table is dropped, its leadership moves or the server stops while scans, prefix
 * lookups, puts and snapshots run. They end in a way that may be tried again, and nothing native
 * stays open.
 */
final class KvCloseUnderLoadTest {
  private static final int ROUNDS = 30;
  private static final int ROWS = 30;
  private static final int SCANS = 4;
  private static final int NOBODY = 0;
  private static final long FIRST_TABLE = 100;
  private static final long OTHER_TABLE = 99;
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path temp;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private TestTablet tablet;
  private long index;

  @AfterEach
  void close() {
    threads.shutdownNow();
    if (tablet != null) {
      tablet.close();
    }
  }

  private static HostedTable table(long id) {
    return new HostedTable(
        id,
        TablePath.parse("demo.keyed" + id),
        List.of(KvReplicaRandomTest.SCHEMA),
        1,
        List.of("k"),
        Map.of());
  }

  private static ReplicaRole role(long table, int leader, int epoch) {
    return TestTablet.role(TableBucket.of(table, 0), leader, epoch);
  }

  private ReplicaUpdate.Delta changed(long table, ReplicaRole role) {
    return new ReplicaUpdate.Delta(
        ++index, List.of(table(table)), Set.of(), List.of(role), Set.of(), List.of());
  }

  /** A server with one table that nobody ends. */
  private void start() throws Exception {
    tablet = TestTablet.open(temp);
    tablet.apply(
        new ReplicaUpdate.Image(
            TestTablet.CLUSTER,
            ++index,
            List.of(table(OTHER_TABLE)),
            List.of(role(OTHER_TABLE, TestTablet.SERVER, (int) index)),
            List.of()));
    KvReplicaTest.putNumbers(tablet.replica(OTHER_TABLE), 0, 1);
  }

  @Test
  void callsThatRunEndAndNothingStaysOpen() throws Exception {
    start();
    for (int round = 0; round < ROUNDS; round++) {
      long id = FIRST_TABLE + round;
      tablet.apply(changed(id, role(id, TestTablet.SERVER, 1)));
      Replica replica = tablet.replica(id);
      KvReplicaTest.putNumbers(replica, 0, ROWS);
      AtomicInteger done = new AtomicInteger();
      List<Future<SluiceException>> calls = load(replica, done);
      int enough = 10 + 2 * round;
      Await.until("load", SOON, () -> done.get() >= enough);
      end(round % 3, id);
      for (Future<SluiceException> call : calls) {
        SluiceException how = call.get();
        assertThat(how.code()).as("%s", how).isNotIn(ErrorCode.INTERNAL, ErrorCode.CORRUPT_STORAGE);
      }
      assertThat(tablet.kv.resources().openScans()).isZero();
      if (round % 3 == 2) {
        assertThat(tablet.kv.resources().openStores()).isZero();
        start();
      } else {
        // The other table goes on.
        assertThat(tablet.replica(OTHER_TABLE).requireRows().count()).isEqualTo(1);
      }
    }
    tablet.close();
    assertThat(tablet.kv.resources().openStores()).isZero();
    assertThat(tablet.kv.resources().openScans()).isZero();
  }

  private void end(int way, long table) {
    switch (way) {
      case 0 -> tablet.set.apply(TestTablet.dropped(++index, table));
      case 1 -> tablet.set.apply(changed(table, role(table, NOBODY, 2)));
      default -> tablet.close();
    }
  }

  private List<Future<SluiceException>> load(Replica replica, AtomicInteger done) {
    List<Future<SluiceException>> calls = new ArrayList<>();
    for (int i = 0; i < SCANS; i++) {
      calls.add(untilRefused(() -> scan(replica), done));
    }
    calls.add(
        untilRefused(
            () ->
                replica
                    .requireRows()
                    .prefixes(List.of(new byte[] {1}), 20, 1 << 20)
                    .counts()
                    .size(),
            done));
    calls.add(untilRefused(() -> put(replica, done), done));
    calls.add(untilRefused(() -> snapshot(replica), done));
    return calls;
  }

  private Future<SluiceException> untilRefused(Callable<Integer> call, AtomicInteger done) {
    return threads.submit(
        () -> {
          while (true) {
            try {
              call.call();
              done.incrementAndGet();
            } catch (SluiceException refused) {
              return refused;
            } catch (ExecutionException refused) {
              return (SluiceException) refused.getCause();
            }
          }
        });
  }

  private static int scan(Replica replica) {
    int rows = 0;
    try (RowScan scan = replica.requireRows().scan()) {
      while (scan.next()) {
        scan.value();
        rows++;
      }
    }
    assertThat(rows).isGreaterThanOrEqualTo(ROWS);
    return rows;
  }

  private static int put(Replica replica, AtomicInteger done) throws Exception {
    int next = ROWS + done.get();
    KvReplicaTest.putNumbers(replica, next, next + 1);
    return 1;
  }

  /** As the agent does, which looks once a second only; refused when the store is closed. */
  private int snapshot(Replica replica) {
    replica.requireRows().store().memtableBytes();
    tablet.clock.advanceMs(600_000);
    return tablet.kv.snapshots().doWork();
  }
}

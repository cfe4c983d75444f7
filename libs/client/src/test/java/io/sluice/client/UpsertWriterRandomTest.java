package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.testkit.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever fails on the way, each key ends as a map says that is changed by the same calls, and
 * lookups see what was acknowledged (read-your-write).
 */
@Timeout(120)
class UpsertWriterRandomTest {
  private static final int KEYS = 60;
  private static final List<ErrorCode> RETRIABLE =
      List.of(ErrorCode.BACKPRESSURE, ErrorCode.LEADER_NOT_READY, ErrorCode.NOT_LEADER);

  private static Fault fault(SplittableRandom random, int rows, int mostRows) {
    if (rows > mostRows) {
      return Fault.refuse(ErrorCode.PUT_TOO_LARGE);
    }
    return switch (random.nextInt(20)) {
      case 0 -> Fault.of(Kind.DROP);
      case 1 -> Fault.of(Kind.STORE_AND_DROP);
      case 2, 3 -> Fault.refuse(RETRIABLE.get(random.nextInt(RETRIABLE.size())));
      default -> Fault.NONE;
    };
  }

  @Test
  void eachKeyEndsAsTheCallsSay() {
    Seeds.run(
        8,
        (seed, random) -> {
          int buckets = random.nextInt(1, 5);
          int mostRows = random.nextInt(1, 100);
          try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, buckets, 2, "id");
              Connection connection =
                  Connection.open(cluster.config().withBatchBytes(random.nextInt(1024, 8192)))) {
            SplittableRandom faults = random.split();
            cluster.setFaults(
                (tablet, number, put) -> {
                  synchronized (faults) {
                    return fault(faults, put.getChangeTypes().size(), mostRows);
                  }
                });
            cluster.setLookupFaults(
                (tablet, number, request) -> {
                  synchronized (faults) {
                    return fault(faults, 0, 1);
                  }
                });
            Map<Long, GenericRow> model = new HashMap<>();
            UpsertWriter writer = connection.table("demo.t").upsertWriter();
            Lookuper lookuper = connection.table("demo.t").lookuper();
            for (int round = 0; round < 3; round++) {
              for (int i = 0; i < 500; i++) {
                long id = random.nextInt(KEYS);
                if (random.nextInt(4) == 0) {
                  writer.delete(Key.of(id));
                  model.remove(id);
                } else {
                  GenericRow row = GenericRow.of(id, "x" + i, random.nextInt());
                  writer.upsert(row);
                  model.put(id, row);
                }
                if (random.nextInt(300) == 0) {
                  cluster.bucket(random.nextInt(buckets)).moveTo(random.nextInt(1, 3));
                }
              }
              writer.flush();
              assertThat(cluster.allRows()).containsExactlyInAnyOrderElementsOf(model.values());
              assertLookups(lookuper, model);
            }
          }
        });
  }

  private static void assertLookups(Lookuper lookuper, Map<Long, GenericRow> model) {
    Map<Long, CompletableFuture<Optional<Row>>> lookups = new HashMap<>();
    for (long id = 0; id < KEYS; id++) {
      lookups.put(id, lookuper.lookup(Key.of(id)));
    }
    lookups.forEach(
        (id, found) -> {
          GenericRow expected = model.get(id);
          Optional<Row> row = found.join();
          assertThat(row.isPresent()).as("key " + id).isEqualTo(expected != null);
          if (row.isPresent() && expected != null) {
            assertThat(row.get().getInt(2)).isEqualTo(expected.getInt(2));
          }
        });
  }
}

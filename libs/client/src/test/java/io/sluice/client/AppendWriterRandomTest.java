package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** no-dup: whatever fails on the way, each row is stored once and in order inside its bucket. */
@Timeout(120)
class AppendWriterRandomTest {
  private static final List<ErrorCode> RETRIABLE =
      List.of(
          ErrorCode.BACKPRESSURE,
          ErrorCode.LEADER_NOT_READY,
          ErrorCode.NOT_LEADER,
          ErrorCode.UNAVAILABLE,
          ErrorCode.TABLE_CHANGED);

  private static Fault fault(SplittableRandom random) {
    return switch (random.nextInt(20)) {
      case 0 -> Fault.of(Kind.DROP);
      case 1 -> Fault.of(Kind.STORE_AND_DROP);
      case 2, 3 -> Fault.refuse(RETRIABLE.get(random.nextInt(RETRIABLE.size())));
      default -> Fault.NONE;
    };
  }

  @Test
  void eachRowIsStoredOnceAndInOrder() {
    Seeds.run(
        12,
        (seed, random) -> {
          int buckets = random.nextInt(1, 5);
          boolean keyed = random.nextBoolean();
          int rows = 3000;
          try (FakeCluster cluster =
                  new FakeCluster(
                      AppendWriterTest.SCHEMA,
                      buckets,
                      2,
                      keyed ? new String[] {"id"} : new String[0]);
              Connection connection =
                  Connection.open(cluster.config().withBatchBytes(random.nextInt(1024, 8192)))) {
            SplittableRandom faults = random.split();
            cluster.setFaults(
                (tablet, number, put) -> {
                  synchronized (faults) {
                    return fault(faults);
                  }
                });
            List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
            AppendWriter writer = connection.table("demo.t").appendWriter();
            for (long i = 0; i < rows; i++) {
              if (random.nextInt(4) == 0) {
                futures.add(writer.append(io.sluice.format.row.Row.of(i, "x" + i)));
              } else {
                writer.row().setLong(0, i).setString(1, "x" + i).append();
              }
              if (random.nextInt(500) == 0) {
                cluster.bucket(random.nextInt(buckets)).moveTo(random.nextInt(1, 3));
              }
            }
            writer.close();
            assertThat(futures).allMatch(CompletableFuture::isDone);
            for (int bucket = 0; bucket < buckets; bucket++) {
              assertThat(cluster.values(bucket)).isSorted();
            }
            assertThat(cluster.allValues())
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, rows).boxed().toList());
          }
        });
  }
}

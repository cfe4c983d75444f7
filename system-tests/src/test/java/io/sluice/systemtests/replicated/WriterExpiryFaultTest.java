package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.systemtests.process.ProcessClusters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Leader and followers forget an idle writer at different moments, and nobody minds: only the
 * leader looks for duplicates, and only in what is new. Mostly waits, so it runs with soaks only.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak", matches = "true")
final class WriterExpiryFaultTest {
  private static final String PATH = "expiry.rows";
  private static final int ROUNDS = 12;

  @Test
  void idleWriterGoesOnWhoeverHasForgottenIt(@TempDir Path dir) {
    SplittableRandom random = new SplittableRandom(1);
    try (ReplicatedCluster cluster =
        ReplicatedCluster.start(
            dir.resolve("home"), 1, "-Dsluice.tablet.storage.writer-expiry=3s")) {
      cluster.connection().admin().createDatabase("expiry", true);
      LogTable.create(cluster.connection(), PATH, 1, ReplicatedCluster.TABLETS);
      cluster.awaitInSync(List.of(PATH), Duration.ofSeconds(60));
      try (AppendWriter writer = cluster.connection().table(PATH).appendWriter()) {
        for (int round = 0; round < ROUNDS; round++) {
          AppendResult result = writer.append(LogTable.row(0, round)).join();
          assertThat(result.offset()).isEqualTo(round);
          Client.pause(Duration.ofMillis(2000 + random.nextInt(2500)));
          assertThat(cluster.bucket(PATH, 0).inSync()).hasSize(3);
        }
        String leader = ReplicatedCluster.tablet(cluster.leader(PATH, 0));
        cluster.processes().kill(leader);
        cluster.processes().restart(leader);
        writer.append(LogTable.row(0, ROUNDS)).join();
      }
      cluster.awaitInSync(List.of(PATH), Duration.ofSeconds(60));
      assertThat(cluster.replicas(cluster.connection().table(PATH).description()))
          .singleElement()
          .satisfies(
              bucket ->
                  assertThat(bucket.copies())
                      .allSatisfy(copy -> assertThat(copy.end()).isEqualTo(ROUNDS + 1)));
    }
  }
}

package io.sluice.systemtests.replicated;

import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults drawn from all kinds for as many minutes as {@code -Dsluice.soak.minutes} says, in the
 * order that {@code -Dsluice.seed} decides: {@code ./sluice test --soak MINUTES --seed N}. Every
 * few faults the workload ends, everything is judged, and another workload begins. The summary is
 * printed, and written to the file that {@code -Dsluice.soak.summary} names.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak.minutes", matches = "\\d+")
final class ReplicatedSoakTest {
  private static final int FAULTS_A_ROUND = 5;
  private static final int DISK_MEGABYTES = 600;

  private final long minutes = Long.getLong("sluice.soak.minutes", 0);

  @Test
  void nothingIsLostOrDoubled(@TempDir Path dir) {
    Seeds.run(1, (seed, random) -> soak(dir, seed, random));
  }

  private void soak(Path dir, long seed, SplittableRandom random) throws IOException {
    SoakSummary summary = new SoakSummary(seed);
    long end = System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
    try (ReplicatedCluster cluster =
        ReplicatedCluster.startWithSmallDisk(dir.resolve("home"), 3, DISK_MEGABYTES)) {
      for (int round = 1; round == 1 || System.nanoTime() < end; round++) {
        try (Trial trial = Trial.start(cluster, "soak_" + round, Workload.Load.LIGHT, random)) {
          int before = trial.elections();
          try {
            for (int i = 0; i < FAULTS_A_ROUND && System.nanoTime() < end; i++) {
              trial.make(Fault.values()[random.nextInt(Fault.values().length)]);
            }
            trial.judge();
          } finally {
            summary.add(trial.history(), trial.elections() - before);
            write(summary);
          }
          trial.drop();
        }
      }
    }
  }

  private static void write(SoakSummary summary) throws IOException {
    System.out.println(summary);
    String file = System.getProperty("sluice.soak.summary");
    if (file != null) {
      Files.writeString(Path.of(file), summary.toString());
    }
  }
}

package io.sluice.systemtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * The rules as they are, over thousands of runs. {@code -Dsluice.seed=N} runs one and prints what
 * happened in it when it fails; {@code -Dsluice.simulation.seeds=N} runs more.
 */
class ReplicationSimulationTest {
  private static final Logger log = Logger.getLogger(ReplicationSimulationTest.class.getName());
  private static final int SEEDS = Integer.getInteger("sluice.simulation.seeds", 3_000);

  @Test
  void nothingAcknowledgedIsLostWhateverBreaks() {
    long[] total = new long[5];
    long began = System.nanoTime();
    Seeds.run(
        SEEDS,
        (seed, random) -> {
          Simulation.Summary summary = Simulation.run(seed, Rules.REAL);
          total[0]++;
          total[1] += summary.events();
          total[2] += summary.acks();
          total[3] += summary.lookups();
          total[4] += summary.losses();
        });
    double seconds = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    log.info(
        String.format(
            "%d seeds, %d events, %d puts acknowledged, %d lookups answered, %d accepted losses,"
                + " %.0f seeds/s",
            total[0], total[1], total[2], total[3], total[4], total[0] / seconds));
    // A simulation in which nothing happens proves nothing.
    assertThat(total[2]).isGreaterThan(total[0] * 20);
    assertThat(total[3]).isGreaterThan(total[0] * 20);
  }

  @Test
  void aSeedIsAlwaysTheSameRun() {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(Simulation.runUntraced(seed, Rules.REAL))
          .isEqualTo(Simulation.runUntraced(seed, Rules.REAL));
    }
  }
}

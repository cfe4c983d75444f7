package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * durable-ack, no-dup, dense, bounded: random puts, rolls, forces, deletions, reads, stops and
 * crashes of a log against a list of what is stored; more than 100,000 operations.
 */
final class LogRandomTest {
  private static final int SEEDS = 65;
  private static final int OPERATIONS = 1600;

  @TempDir private Path temp;

  @Test
  void logEqualsTheModelAfterEveryKindOfStop() {
    Seeds.run(SEEDS, (seed, random) -> run(temp.resolve("seed-" + seed), new LogModel(random)));
  }

  private static void run(Path root, LogModel model) throws IOException {
    try (LogRun run = new LogRun(root, model)) {
      for (int i = 0; i < OPERATIONS; i++) {
        run.step();
      }
      run.check();
    }
    TestLog.delete(root);
    assertThat(root).doesNotExist();
  }
}

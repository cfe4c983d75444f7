package io.sluice.tablet.log;

import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two logs that follow each other: replicated appends, cuts, new beginnings, holes, retention,
 * stops, crashes and kills inside of all of them, against a list of what is stored with its epochs
 * and writers; more than 100,000 operations.
 */
final class FollowerRandomTest {
  private static final int SEEDS = 30;
  private static final int OPERATIONS = 1700;

  @TempDir private Path temp;

  @Test
  void logsEqualTheirModelsWhateverHappens() {
    Seeds.run(SEEDS, (seed, random) -> run(temp.resolve("seed-" + seed), random));
  }

  private static void run(Path root, SplittableRandom random) throws IOException {
    try (FollowerRun run = new FollowerRun(root, random)) {
      for (int i = 0; i < OPERATIONS; i++) {
        run.step();
      }
      run.check();
    }
    TestLog.delete(root);
  }
}

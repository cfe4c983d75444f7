package io.sluice.systemtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checks can fail: each broken rule is found within the seeds over which the real ones hold.
 */
class BrokenRulesSimulationTest {
  private static final Logger log = Logger.getLogger(BrokenRulesSimulationTest.class.getName());
  private static final int SEEDS = 3_000;

  @ParameterizedTest
  @EnumSource
  void aBrokenRuleIsFound(BrokenRules broken) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Violation found = violation(seed, broken);
      // That a cluster does not come to rest may have other reasons than the one looked for.
      if (found != null && !found.invariant().equals("liveness")) {
        log.info(broken + " is found by seed " + seed + ": " + found.getMessage());
        assertThat(found.invariant()).isIn(invariantsOf(broken));
        return;
      }
    }
    throw new AssertionError(broken + " is not found by " + SEEDS + " seeds");
  }

  private static Set<String> invariantsOf(BrokenRules broken) {
    return switch (broken) {
      case NO_SEQUENCES -> Set.of("no-dup");
      case NO_MIN_INSYNC -> Set.of("min-insync");
      case NO_LEASE, LEASE_WITHOUT_PROPOSED, NO_PROMISE -> Set.of("read-your-write");
      case SERVES_AT_ONCE -> Set.of("committed-monotonic", "read-your-write");
      case NO_JUMP -> Set.of("dense");
      default -> Set.of("durable-ack", "same-log");
    };
  }

  private static @Nullable Violation violation(long seed, BrokenRules broken) {
    try {
      Simulation.runUntraced(seed, broken);
      return null;
    } catch (Violation found) {
      return found;
    }
  }
}

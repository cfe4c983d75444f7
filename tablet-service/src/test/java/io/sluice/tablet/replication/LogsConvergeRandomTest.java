package io.sluice.tablet.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.EpochHistory;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Any two logs that leaders can have written become the same after a few cuts. */
class LogsConvergeRandomTest {
  /** Epoch of each record; equal prefixes of an epoch are equal records. */
  private static final class Log {
    private final List<Integer> records = new ArrayList<>();
    private EpochHistory epochs = EpochHistory.EMPTY;

    void append(int epoch) {
      epochs = epochs.started(epoch, records.size());
      records.add(epoch);
    }

    void cutTo(long offset) {
      while (records.size() > offset) {
        records.remove(records.size() - 1);
      }
      epochs = epochs.cutTo(records.size());
    }

    FetchPosition position(int leaderEpoch) {
      return new FetchPosition(leaderEpoch, records.size(), epochs.epochBefore(records.size()));
    }
  }

  @Test
  void everyCutMakesProgressAndTheEndIsTheLongestCommonPart() {
    Seeds.run(
        2_000,
        (seed, random) -> {
          List<Log> logs = List.of(new Log(), new Log(), new Log());
          int epoch = lead(logs, random);
          Log leader = logs.get(random.nextInt(3));
          Log follower = logs.get(random.nextInt(3));
          int common = common(leader, follower);
          int cuts = 0;
          while (true) {
            FetchDecision decision =
                FetchDecision.of(
                    epoch, leader.epochs, 0, leader.records.size(), follower.position(epoch));
            if (decision instanceof FetchDecision.Agrees) {
              break;
            }
            int before = follower.records.size();
            cut(follower, decision);
            assertThat(follower.records.size()).isLessThan(before);
            cuts++;
          }
          assertThat(follower.records).isEqualTo(leader.records.subList(0, common));
          assertThat(cuts).isLessThanOrEqualTo(epoch);
          assertThat(follower.epochs).isEqualTo(leader.epochs.cutTo(common));
        });
  }

  private static void cut(Log follower, FetchDecision decision) {
    if (!(decision instanceof FetchDecision.Diverges diverges)) {
      follower.cutTo(0);
      return;
    }
    Truncation.Cut cut =
        Truncation.cutTo(follower.epochs, 0, follower.records.size(), diverges.end());
    follower.cutTo(cut instanceof Truncation.To to ? to.logEnd() : 0);
  }

  /** Leaders come and go, each appends, some followers take some of it; returns the next epoch. */
  private static int lead(List<Log> logs, SplittableRandom random) {
    int epochs = 1 + random.nextInt(8);
    for (int epoch = 1; epoch <= epochs; epoch++) {
      Log leader = logs.get(random.nextInt(logs.size()));
      int count = random.nextInt(6);
      for (int i = 0; i < count; i++) {
        leader.append(epoch);
      }
      for (Log follower : logs) {
        if (follower != leader && random.nextBoolean()) {
          follower.cutTo(common(leader, follower));
          int end = follower.records.size();
          int taken = random.nextInt(leader.records.size() - end + 1);
          leader.records.subList(end, end + taken).forEach(follower::append);
        }
      }
    }
    return epochs + 1;
  }

  private static int common(Log one, Log other) {
    int at = 0;
    while (at < Math.min(one.records.size(), other.records.size())
        && one.records.get(at).equals(other.records.get(at))) {
      at++;
    }
    return at;
  }
}

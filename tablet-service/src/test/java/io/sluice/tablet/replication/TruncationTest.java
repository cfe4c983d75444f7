package io.sluice.tablet.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.log.EpochHistory.End;
import io.sluice.tablet.log.EpochHistory.Start;
import java.util.List;
import org.junit.jupiter.api.Test;

class TruncationTest {
  private static final EpochHistory OWN =
      new EpochHistory(List.of(new Start(3, 10), new Start(5, 50), new Start(6, 90)));

  private static Truncation.Cut cut(int epoch, long endOffset) {
    return Truncation.cutTo(OWN, 10, 120, new End(epoch, endOffset));
  }

  @Test
  void cutsToTheSmallestOfBothEndsOfTheEpoch() {
    assertThat(cut(6, 110)).isEqualTo(new Truncation.To(110));
    assertThat(cut(5, 200)).isEqualTo(new Truncation.To(90));
    assertThat(cut(5, 70)).isEqualTo(new Truncation.To(70));
    assertThat(cut(6, 500)).isEqualTo(new Truncation.To(120));
  }

  /** KIP-279: the leader's epoch is not known here, so the one below it may be longer there. */
  @Test
  void cutsToItsOwnEndOfTheEpochBelowWhenItDoesNotKnowTheLeaders() {
    assertThat(cut(4, 80)).isEqualTo(new Truncation.To(50));
  }

  @Test
  void startsAnewWhenTheLogsPartBelowItsStart() {
    assertThat(cut(2, 40)).isEqualTo(new Truncation.StartAnew());
    assertThat(cut(3, 9)).isEqualTo(new Truncation.StartAnew());
    assertThat(cut(EpochHistory.NO_EPOCH, 0)).isEqualTo(new Truncation.StartAnew());
    assertThat(cut(3, 10)).isEqualTo(new Truncation.To(10));
  }
}

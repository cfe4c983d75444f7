package io.sluice.tablet.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.log.EpochHistory.End;
import io.sluice.tablet.log.EpochHistory.Start;
import java.util.List;
import org.junit.jupiter.api.Test;

class FetchDecisionTest {
  private static final EpochHistory LEADER =
      new EpochHistory(List.of(new Start(2, 0), new Start(4, 50), new Start(7, 80)));

  private static FetchDecision decide(long logStart, long offset, int lastEpoch) {
    return FetchDecision.of(7, LEADER, logStart, 100, new FetchPosition(7, offset, lastEpoch));
  }

  @Test
  void agreesBelowTheEndOfTheFollowersEpoch() {
    assertThat(decide(0, 100, 7)).isEqualTo(new FetchDecision.Agrees());
    assertThat(decide(0, 80, 4)).isEqualTo(new FetchDecision.Agrees());
    assertThat(decide(0, 50, 2)).isEqualTo(new FetchDecision.Agrees());
    assertThat(decide(0, 30, 2)).isEqualTo(new FetchDecision.Agrees());
  }

  @Test
  void namesTheEndOfAnEpochThatIsLongerAtTheFollower() {
    assertThat(decide(0, 81, 4)).isEqualTo(new FetchDecision.Diverges(new End(4, 80)));
    assertThat(decide(0, 101, 7)).isEqualTo(new FetchDecision.Diverges(new End(7, 100)));
  }

  @Test
  void namesTheLargestOlderEpochWhenItDoesNotKnowTheFollowers() {
    assertThat(decide(0, 60, 5)).isEqualTo(new FetchDecision.Diverges(new End(4, 80)));
    assertThat(decide(0, 60, 3)).isEqualTo(new FetchDecision.Diverges(new End(2, 50)));
  }

  @Test
  void aFollowerBelowTheLogStartStartsAnew() {
    assertThat(decide(20, 19, 2)).isEqualTo(new FetchDecision.Behind(20));
    assertThat(decide(20, 20, 2)).isEqualTo(new FetchDecision.Agrees());
  }

  /** Asking it to cut would never end: what it has below the log start is of that epoch, too. */
  @Test
  void aFollowerWhoseEpochIsOlderThanAllKnownStartsAnew() {
    assertThat(decide(10, 60, 1)).isEqualTo(new FetchDecision.Behind(10));
    assertThat(decide(0, 60, 1)).isEqualTo(new FetchDecision.Behind(0));
  }

  @Test
  void aFollowerThatHasNothingStandsAtTheLogStartOrStartsAnew() {
    assertThat(decide(0, 0, 0)).isEqualTo(new FetchDecision.Agrees());
    assertThat(decide(20, 20, 0)).isEqualTo(new FetchDecision.Agrees());
    assertThat(decide(20, 0, 0)).isEqualTo(new FetchDecision.Behind(20));
    assertThat(decide(20, 60, 0)).isEqualTo(new FetchDecision.Behind(20));
    assertThat(decide(20, 500, 0)).isEqualTo(new FetchDecision.Behind(20));
  }

  @Test
  void epochsMustBeTheSameOnBothSides() {
    FetchPosition older = new FetchPosition(6, 100, 4);
    FetchPosition newer = new FetchPosition(8, 100, 7);
    assertThat(FetchDecision.of(7, LEADER, 0, 100, older))
        .isEqualTo(new FetchDecision.FollowerIsStale(7));
    assertThat(FetchDecision.of(7, LEADER, 0, 100, newer))
        .isEqualTo(new FetchDecision.LeaderIsStale(7));
  }

  /** The hole of a lost tail belongs to the epoch that left it: records in it do not agree. */
  @Test
  void recordsInsideOfAHoleDoNotAgree() {
    EpochHistory jumped = new EpochHistory(List.of(new Start(5, 0), new Start(6, 100)));
    FetchDecision decision = FetchDecision.of(6, jumped, 0, 201, new FetchPosition(6, 180, 5));
    assertThat(decision).isEqualTo(new FetchDecision.Diverges(new End(5, 100)));
  }
}

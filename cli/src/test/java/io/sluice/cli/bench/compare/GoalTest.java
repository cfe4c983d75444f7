package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.compare.Standings.Figure;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GoalTest {
  private static Optional<Figure> sluice(double value) {
    return Optional.of(new Figure(Lane.of(Lane.SLUICE, "defaults"), value));
  }

  private static Optional<Figure> kafka(double value) {
    return Optional.of(new Figure(Lane.of(Peers.KAFKA, "1 MiB batches"), value));
  }

  @Test
  void ratesMustBeSoManyTimesTheOthers() {
    Goal goal = Goal.atLeast("rows/s", sluice(300), kafka(200), 1.5, 2).orElseThrow();

    assertThat(goal.ratio()).isEqualTo(1.5);
    assertThat(goal.mustReached()).isTrue();
    assertThat(goal.aimReached()).contains(false);
    assertThat(goal.against()).isEqualTo("kafka, 1 MiB batches");
  }

  @Test
  void timesMustBeAtMostAPartOfTheOthers() {
    Goal goal = Goal.atMost("p50", sluice(1.2), kafka(1.1), 1, 0.5).orElseThrow();

    assertThat(goal.mustReached()).isFalse();
    assertThat(Goal.atMost("p50", sluice(0.5), kafka(1), 1, 0.5).orElseThrow().aimReached())
        .contains(true);
  }

  @Test
  void aBoundNeedsNoOther() {
    Goal goal = Goal.bound("server CPU", sluice(0.13), 0.13).orElseThrow();

    assertThat(goal.mustReached()).isTrue();
    assertThat(goal.aimReached()).isEmpty();
    assertThat(goal.json())
        .containsEntry("must_be_at_most", 0.13)
        .containsEntry("must_reached", true)
        .doesNotContainKey("aim");
  }

  @Test
  void aBoundMayHaveAnAim() {
    Goal goal = Goal.bound("p50, ms", sluice(0.2), 0.35, 0.15).orElseThrow();

    assertThat(goal.mustReached()).isTrue();
    assertThat(goal.aimReached()).contains(false);
  }

  @Test
  void whatWasNotMeasuredHasNoGoal() {
    assertThat(Goal.atLeast("rows/s", sluice(1), Optional.empty(), 1)).isEmpty();
    assertThat(Goal.bound("server CPU", Optional.empty(), 1)).isEmpty();
  }
}

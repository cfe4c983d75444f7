package io.sluice.tiering.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.tiering.read.BucketLog;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoundPlannerTest {
  private static final TablePath PATH = TablePath.parse("demo.t");

  private static RoundPlan plan(
      long maxBytes, Map<Integer, Long> recorded, Map<Integer, BucketLog> logs) {
    return new RoundPlanner(maxBytes).plan(PATH, recorded, logs);
  }

  @Test
  void readsEveryBucketFromTheRecordedOffsetToWhatIsStable() {
    RoundPlan plan =
        plan(
            1_000_000,
            Map.of(0, 5L, 1, 9L),
            Map.of(
                0,
                new BucketLog(0, 10, 100),
                1,
                new BucketLog(0, 9, 100),
                2,
                new BucketLog(0, 3, 1)));
    assertThat(plan.starts()).isEqualTo(Map.of(0, 5L, 2, 0L));
    assertThat(plan.ends()).isEqualTo(Map.of(0, 10L, 2, 3L));
    assertThat(plan.more()).isFalse();
  }

  @Test
  void isEmptyWhenNothingIsNew() {
    RoundPlan plan =
        plan(
            1_000_000,
            Map.of(0, 10L, 1, 30L),
            Map.of(0, new BucketLog(0, 10, 100), 1, new BucketLog(0, 20, 100)));
    assertThat(plan.isEmpty()).isTrue();
    assertThat(plan.more()).isFalse();
  }

  @Test
  void sharesTheBytesOfARoundAndGivesOnWhatABucketDoesNotNeed() {
    RoundPlan plan =
        plan(
            3_000,
            Map.of(),
            Map.of(
                0, new BucketLog(0, 1_000, 100),
                1, new BucketLog(0, 5, 100),
                2, new BucketLog(0, 1_000, 50)));
    // 500 bytes for bucket 1; of the other 2,500 half each.
    assertThat(plan.ends()).isEqualTo(Map.of(0, 12L, 1, 5L, 2, 25L));
    assertThat(plan.more()).isTrue();
  }

  @Test
  void takesARowOfEveryBucketHoweverLargeItIs() {
    RoundPlan plan =
        plan(
            10,
            Map.of(0, 4L),
            Map.of(0, new BucketLog(0, 9, Long.MAX_VALUE / 2), 1, new BucketLog(0, 1, 5_000)));
    assertThat(plan.ends()).isEqualTo(Map.of(0, 5L, 1, 1L));
    assertThat(plan.more()).isTrue();
  }

  @Test
  void leavesTheBucketsThatAreLeastBehindForLaterWhenThereAreTooMany() {
    Map<Integer, BucketLog> logs = new HashMap<>();
    for (int bucket = 0; bucket < 100; bucket++) {
      logs.put(bucket, new BucketLog(0, bucket + 1, 10));
    }
    RoundPlan plan = plan(1_000_000, Map.of(), logs);
    assertThat(plan.ends())
        .hasSize(RoundPlanner.MAX_BUCKETS)
        .containsKeys(99, 36)
        .doesNotContainKey(35);
    assertThat(plan.more()).isTrue();
  }

  @Test
  void refusesARangeWhoseRowsAreGone() {
    assertThatThrownBy(() -> plan(1_000, Map.of(2, 40L), Map.of(2, new BucketLog(50, 60, 10))))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
        .hasMessageContaining("Bucket 2 of demo.t begins at offset 50; the lake ends at 40");
  }
}

package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.rest.FakeService;
import io.sluice.cli.rest.RestClient;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LakeStateTest {
  private static LakeState state(String json) {
    try (FakeService coordinator =
        new FakeService().answers("/api/v1/tiering/tables/demo/flights", 200, json)) {
      return LakeState.of(
          new RestClient(coordinator.url(), "coordinator-1", Duration.ofSeconds(10)),
          FlightsTable.PATH);
    }
  }

  @Test
  void coversWhatEveryBucketHasInTheLake() {
    LakeState state =
        state(
            """
            {"state":"SCHEDULED","failures":0,"lastFailure":null,
             "lastRound":{"roundId":"7-1-ab","snapshotId":8012345678901234567,"rows":30,"bytes":900,
              "files":2,"durationMs":700,"committedMs":1},
             "offsets":[{"bucket":0,"offset":10},{"bucket":1,"offset":20}]}
            """);
    assertThat(state.hasSnapshot()).isTrue();
    assertThat(state.snapshotId()).isEqualTo(8012345678901234567L);
    assertThat(state.rowsInLake()).isEqualTo(30);
    assertThat(state.covers(Map.of(0, 10L, 1, 20L))).isTrue();
    assertThat(state.covers(Map.of(0, 10L, 1, 21L))).isFalse();
    assertThat(state.covers(Map.of(2, 1L))).isFalse();
    assertThat(state.failure()).isEmpty();
  }

  @Test
  void nothingIsCoveredBeforeTheFirstSnapshot() {
    LakeState state =
        state(
            """
            {"state":"FAILED","failures":1,"lastFailure":{"cause":"no lake"},"lastRound":null,
             "offsets":[]}
            """);
    assertThat(state.covers(Map.of())).isFalse();
    assertThat(state.failure()).isEqualTo("no lake");
  }
}

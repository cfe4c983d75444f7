package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.AlterIsrResponse;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.IsrChange;
import io.sluice.protocol.cluster.v1.IsrDecision;
import io.sluice.protocol.cluster.v1.IsrMember;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IsrChangesTest {
  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final IsrChanges changes = new IsrChanges(log, (server, bucket) -> false);

  @BeforeEach
  void createTable() {
    log.submit(Fixtures.register(1, "a"));
    log.submit(Fixtures.register(2, "b"));
    log.submit(Fixtures.createTable("t", Collections.nCopies(1500, List.of(1, 2))))
        .join()
        .outcome()
        .orThrow();
  }

  @Test
  void decisionsComeInOrderWithTheBucketAsItIsNow() {
    AlterIsrResponse response =
        changes
            .alter(
                AlterIsrRequest.newBuilder()
                    .setServerId(1)
                    .addChanges(shrink(0, 0))
                    .addChanges(shrink(1, 8))
                    .addChanges(shrink(5000, 0))
                    .build())
            .join();
    IsrDecision done = response.getDecisions(0);
    assertThat(done.getCode()).isEmpty();
    assertThat(done.getState().getIsrList()).containsExactly(1);
    assertThat(done.getState().getIsrVersion()).isEqualTo(1);
    assertThat(done.getState().getMinInsync()).isEqualTo(2);
    IsrDecision stale = response.getDecisions(1);
    assertThat(stale.getCode()).isEqualTo("STALE_ISR");
    assertThat(stale.getMessage()).contains("at version 0");
    assertThat(stale.getState().getIsrList()).containsExactly(1, 2);
    assertThat(response.getDecisions(2).getCode()).isEqualTo("BUCKET_NOT_FOUND");
    assertThat(response.getDecisions(2).hasState()).isFalse();
  }

  @Test
  void manyChangesTravelInBoundedCommands() {
    AlterIsrRequest.Builder request = AlterIsrRequest.newBuilder().setServerId(1);
    for (int bucket = 0; bucket < 1500; bucket++) {
      request.addChanges(shrink(bucket, 0));
    }
    assertThat(changes.alter(request.build()).join().getDecisionsList())
        .hasSize(1500)
        .allMatch(decision -> decision.getCode().isEmpty());
    assertThat(log.commands().stream().filter(c -> c instanceof Command.AlterIsr)).hasSize(2);
  }

  @Test
  void aLogThatTakesNothingFailsTheRequest() {
    log.setAvailable(false);
    AlterIsrRequest request =
        AlterIsrRequest.newBuilder().setServerId(1).addChanges(shrink(0, 0)).build();
    assertThat(changes.alter(request)).isCompletedExceptionally();
    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> changes.alter(AlterIsrRequest.getDefaultInstance()));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void aReplicaThatItsServerReportsAsOfflineDoesNotComeIn() {
    changes
        .alter(AlterIsrRequest.newBuilder().setServerId(1).addChanges(shrink(0, 0)).build())
        .join();
    AlterIsrRequest joining =
        AlterIsrRequest.newBuilder()
            .setServerId(1)
            .addChanges(
                shrink(0, 1).toBuilder()
                    .addIsr(IsrMember.newBuilder().setServerId(2).setIncarnation("b")))
            .build();
    IsrDecision refused =
        new IsrChanges(log, (server, bucket) -> server == 2).alter(joining).join().getDecisions(0);
    assertThat(refused.getCode()).isEqualTo("STALE_INCARNATION");
    assertThat(changes.alter(joining).join().getDecisions(0).getCode()).isEmpty();
  }

  private static IsrChange shrink(int bucket, int version) {
    return IsrChange.newBuilder()
        .setBucket(BucketId.newBuilder().setTableId(1).setBucket(bucket))
        .setLeaderEpoch(1)
        .setIsrVersion(version)
        .addIsr(IsrMember.newBuilder().setServerId(1))
        .build();
  }
}

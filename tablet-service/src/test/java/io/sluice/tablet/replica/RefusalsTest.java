package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class RefusalsTest {
  private final Refusals refusals = new Refusals(1, () -> "demo.t-0", server -> null);

  @Test
  void aWriterWhoseRowsAreNotCommittedIsNamedWithItsBucket() {
    SluiceException failure = refusals.notCommitted(5, 30, new TimeoutException());
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure)
        .hasMessageContaining("writer 5 in demo.t-0")
        .hasMessageContaining("within 30 s");
  }

  @Test
  void aPutOfAnEpochThatIsOverIsToldWhoLeads() {
    ReplicaRole elsewhere = TestTablet.role(TableBucket.of(7, 0), 2, 3);
    assertThat(refusals.epochIsOver(1, new Leadership(Leadership.State.FOLLOWER, elsewhere)))
        .hasMessageContaining("Server 2 leads demo.t-0");
    ReplicaRole here = TestTablet.role(TableBucket.of(7, 0), 1, 3);
    assertThat(refusals.epochIsOver(1, new Leadership(Leadership.State.PREPARING, here)))
        .hasMessageContaining("taken under epoch 1, this server leads under 3; send it again");
  }
}

package io.sluice.tiering.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.tiering.v1.FailureScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FailureScopesTest {
  private static FailureScope scope(Throwable failure) {
    return FailureScopes.of(failure).scope();
  }

  @Test
  void memoryAndAFullDiskAreTheWorkers() {
    assertThat(scope(new OutOfMemoryError("Java heap space")))
        .isEqualTo(FailureScope.FAILURE_WORKER);
    assertThat(scope(new UnsatisfiedLinkError("zstd"))).isEqualTo(FailureScope.FAILURE_WORKER);
    assertThat(scope(new org.apache.arrow.memory.OutOfMemoryException("direct")))
        .isEqualTo(FailureScope.FAILURE_WORKER);
    assertThat(scope(new UncheckedIOException(new IOException("No space left on device"))))
        .isEqualTo(FailureScope.FAILURE_WORKER);
  }

  @Test
  void aStoreThatRefusesFilesIsTheLakes() {
    assertThat(scope(new UncheckedIOException(new AccessDeniedException("/warehouse"))))
        .isEqualTo(FailureScope.FAILURE_LAKE);
  }

  @Test
  void everythingElseIsTheTables() {
    assertThat(scope(new SluiceException(ErrorCode.INVALID_VALUE, "too late")))
        .isEqualTo(FailureScope.FAILURE_TABLE);
    assertThat(scope(new SluiceException(ErrorCode.UNAVAILABLE, "a tablet is away")))
        .isEqualTo(FailureScope.FAILURE_TABLE);
    assertThat(FailureScopes.of(new SluiceException(ErrorCode.INVALID_VALUE, "too late")).weight())
        .isEqualTo(RoundResult.Weight.COUNTED);
    assertThat(FailureScopes.of(new SluiceException(ErrorCode.UNAVAILABLE, "away")).weight())
        .isEqualTo(RoundResult.Weight.OUTAGE);
    assertThat(FailureScopes.of(new IllegalStateException("defect")).cause())
        .isEqualTo("IllegalStateException: defect");
  }

  @Test
  void aTabletThatCannotBeReachedIsAnOutageOfTheTable() {
    SluiceException away =
        new SluiceException(
            ErrorCode.UNAVAILABLE,
            "io exception",
            Status.UNAVAILABLE
                .withCause(new ConnectException("Connection refused: /127.0.0.1:9223"))
                .asRuntimeException());
    SluiceException reset =
        new SluiceException(
            ErrorCode.UNAVAILABLE,
            "io exception",
            Status.UNAVAILABLE
                .withCause(new IOException("Connection reset by peer"))
                .asRuntimeException());
    for (SluiceException failure : List.of(away, reset)) {
      assertThat(scope(failure)).isEqualTo(FailureScope.FAILURE_TABLE);
      assertThat(FailureScopes.of(failure).weight()).isEqualTo(RoundResult.Weight.OUTAGE);
    }
  }

  @Test
  void lakeServiceSaysWhoseFaultItIs() {
    assertThat(FailureScopes.ofLake(ErrorCode.UNAVAILABLE, "away").scope())
        .isEqualTo(FailureScope.FAILURE_LAKE);
    assertThat(FailureScopes.ofLake(ErrorCode.STORAGE_ERROR, "disk").scope())
        .isEqualTo(FailureScope.FAILURE_LAKE);
    assertThat(FailureScopes.ofLake(ErrorCode.LAKE_TABLE_EXISTS, "taken").scope())
        .isEqualTo(FailureScope.FAILURE_TABLE);
    assertThat(FailureScopes.ofLake(ErrorCode.LAKE_REGRESSED, "back").superseded()).isFalse();
    assertThat(FailureScopes.ofLake(ErrorCode.FENCED_ROUND, "old").superseded()).isTrue();
  }
}

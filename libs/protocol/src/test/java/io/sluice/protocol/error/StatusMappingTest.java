package io.sluice.protocol.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.PutError;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class StatusMappingTest {
  /** As the other side sees it: the cause stays behind. */
  private static StatusRuntimeException travelled(StatusRuntimeException status) {
    return new StatusRuntimeException(status.getStatus().withCause(null), status.getTrailers());
  }

  @Test
  void everyCodeSurvivesTheJourney() {
    for (ErrorCode code : ErrorCode.values()) {
      SluiceException sent =
          new SluiceException(code, "Bucket demo.orders-3: wrong", Map.of("leader", "h:1"), null);
      StatusRuntimeException status = StatusMapping.toStatus(sent);
      assertThat(status.getStatus().getCode().name()).isEqualTo(code.grpcStatus());
      SluiceException got = StatusMapping.fromStatus(travelled(status));
      assertThat(got.code()).isEqualTo(code);
      assertThat(got).hasMessage("Bucket demo.orders-3: wrong");
      assertThat(got.details()).containsExactly(Map.entry("leader", "h:1"));
    }
  }

  @Test
  void statusAndTrailersAloneAreEnough() {
    StatusRuntimeException status =
        travelled(StatusMapping.toStatus(new SluiceException(ErrorCode.NOT_LEADER, "moved")));
    SluiceException got = StatusMapping.fromStatus(status.getStatus(), status.getTrailers());
    assertThat(got.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(got.code().retriable()).isTrue();
  }

  @Test
  void foreignStatusesMapByTheirCode() {
    Map<Status, ErrorCode> expected =
        Map.of(
            Status.UNAVAILABLE, ErrorCode.UNAVAILABLE,
            Status.DEADLINE_EXCEEDED, ErrorCode.TIMEOUT,
            Status.CANCELLED, ErrorCode.CANCELLED,
            Status.UNAUTHENTICATED, ErrorCode.UNAUTHENTICATED,
            Status.PERMISSION_DENIED, ErrorCode.PERMISSION_DENIED,
            Status.UNIMPLEMENTED, ErrorCode.UNSUPPORTED,
            Status.RESOURCE_EXHAUSTED, ErrorCode.BACKPRESSURE,
            Status.UNKNOWN, ErrorCode.INTERNAL);
    expected.forEach(
        (status, code) -> {
          SluiceException got =
              StatusMapping.fromStatus(status.withDescription("why").asRuntimeException());
          assertThat(got.code()).isEqualTo(code);
          assertThat(got).hasMessageContaining("why");
        });
  }

  @Test
  void anythingElseBecomesInternalWithClassAndMessage() {
    StatusRuntimeException status =
        StatusMapping.toStatus(new CompletionException(new IllegalStateException("broken")));
    assertThat(status.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(StatusMapping.fromStatus(travelled(status)))
        .hasMessage("java.lang.IllegalStateException: broken");
  }

  @Test
  void aStatusPassesThrough() {
    StatusRuntimeException given = Status.ABORTED.asRuntimeException(new Metadata());
    assertThat(StatusMapping.toStatus(given)).isSameAs(given);
  }

  @Test
  void aCodeOfANewerServerKeepsItsNameAndTheMeaningOfItsStatus() {
    PutError error =
        PutError.newBuilder().setCode("TOO_NEW").setMessage("x").setRetriable(true).build();
    SluiceException got = PutErrors.fromPutError(error);
    assertThat(got.code().retriable()).isTrue();
    assertThat(got).hasMessage("TOO_NEW: x");
    PutError hard = error.toBuilder().setRetriable(false).build();
    assertThat(PutErrors.fromPutError(hard).code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @Test
  void putErrorsMakeTheRoundTrip() {
    for (ErrorCode code : ErrorCode.values()) {
      PutError error = PutErrors.toPutError(new SluiceException(code, "m", Map.of("k", "v"), null));
      assertThat(error.getRetriable()).isEqualTo(code.retriable());
      SluiceException got = PutErrors.fromPutError(error);
      assertThat(got.code()).isEqualTo(code);
      assertThat(got).hasMessage("m");
      assertThat(got.details()).isEqualTo(Map.of("k", "v"));
    }
  }

  @Test
  void longTextsAreCutSoThatTrailersFitTheDefaultLimit() {
    Map<String, String> details = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      details.put("key" + i, "\u20ac".repeat(1000));
    }
    String message = "\ud83d\ude00".repeat(5000);
    StatusRuntimeException status =
        StatusMapping.toStatus(new SluiceException(ErrorCode.INTERNAL, message, details, null));
    String text = status.getStatus().getDescription();
    assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(1024);
    assertThat(text).startsWith("\ud83d\ude00").endsWith("...").doesNotContain("\ufffd");
    int trailerBytes = 3 * text.getBytes(StandardCharsets.UTF_8).length;
    for (String key : status.getTrailers().keys()) {
      byte[] value =
          status.getTrailers().get(Metadata.Key.of(key, Metadata.BINARY_BYTE_MARSHALLER));
      trailerBytes += value.length * 4 / 3;
    }
    assertThat(trailerBytes).isLessThan(8192);
  }
}

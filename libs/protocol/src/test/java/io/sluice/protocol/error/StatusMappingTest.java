package io.sluice.protocol.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.PutError;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
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
  void aConnectionThatClosesUnderAMessageMayBeTriedAgain() {
    Status closed =
        Status.UNKNOWN.withDescription("channel closed").withCause(new ClosedChannelException());
    assertThat(StatusMapping.fromStatus(closed.asRuntimeException()).code())
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void aMessageThatIsTooLargeForItsReceiverIsNotTriedAgain() throws Exception {
    int limit = 1024;
    ByteString large = ByteString.copyFrom(new byte[10 * limit]);
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .maxInboundMessageSize(limit)
            .addService(
                new FlightServiceGrpc.FlightServiceImplBase() {
                  @Override
                  public void getSchema(
                      Flight.FlightDescriptor request, StreamObserver<Flight.SchemaResult> answer) {
                    answer.onNext(Flight.SchemaResult.newBuilder().setSchema(large).build());
                    answer.onCompleted();
                  }
                })
            .build()
            .start();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .maxInboundMessageSize(limit)
            .build();
    try {
      FlightServiceGrpc.FlightServiceBlockingStub stub = FlightServiceGrpc.newBlockingStub(channel);
      Flight.FlightDescriptor small = Flight.FlightDescriptor.getDefaultInstance();
      for (Flight.FlightDescriptor request :
          List.of(small, small.toBuilder().setCmd(large).build())) {
        SluiceException got =
            StatusMapping.fromStatus(catchThrowable(() -> stub.getSchema(request)));
        assertThat(got.code().retriable()).isFalse();
        assertThat(got)
            .hasMessageContaining(Integer.toString(limit))
            .hasMessageContaining("ask for less, or send less, at a time");
      }
    } finally {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
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

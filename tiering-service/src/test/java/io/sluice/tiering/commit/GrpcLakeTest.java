package io.sluice.tiering.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.lake.v1.ResolveRoundRequest;
import io.sluice.protocol.tiering.v1.BucketOffset;
import io.sluice.tiering.commit.CommitOutcome.Committed;
import io.sluice.tiering.commit.CommitOutcome.Refused;
import io.sluice.tiering.commit.CommitOutcome.Unknown;
import io.sluice.tiering.write.WrittenFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GrpcLakeTest {
  private static final RoundKey KEY = RoundKey.of(5, 3, 0xabc);

  private final Answers answers = new Answers();
  private Server server;
  private ManagedChannel channel;
  private Lake lake;

  /** Gives every call the same answer; none at all when there is neither. */
  private static final class Answers extends LakeServiceGrpc.LakeServiceImplBase {
    @Nullable CommitRoundResponse response;
    @Nullable Throwable failure;
    @Nullable CommitRoundRequest committed;
    @Nullable ResolveRoundRequest resolved;

    @Override
    public void prepareRound(PrepareRoundRequest request, StreamObserver<PrepareRoundResponse> to) {
      if (failure != null) {
        to.onError(failure);
        return;
      }
      to.onNext(
          PrepareRoundResponse.newBuilder()
              .setFence(9)
              .setDataLocation("file:///w/" + request.getRoundId())
              .addOffsets(BucketOffset.newBuilder().setBucket(2).setOffset(40))
              .build());
      to.onCompleted();
    }

    @Override
    public void commitRound(CommitRoundRequest request, StreamObserver<CommitRoundResponse> to) {
      committed = request;
      answer(to);
    }

    @Override
    public void resolveRound(ResolveRoundRequest request, StreamObserver<CommitRoundResponse> to) {
      resolved = request;
      answer(to);
    }

    private void answer(StreamObserver<CommitRoundResponse> to) {
      if (failure != null) {
        to.onError(failure);
      } else if (response != null) {
        to.onNext(response);
        to.onCompleted();
      }
    }
  }

  @BeforeEach
  void open() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(answers)
            .build()
            .start();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    lake = new GrpcLake(channel, Duration.ofSeconds(10));
  }

  @AfterEach
  void close() throws InterruptedException {
    channel.shutdownNow();
    server.shutdownNow().awaitTermination();
  }

  private static RoundCommit round() {
    return new RoundCommit(
        KEY, 9, Map.of(2, 40L), Map.of(2, 50L), List.of(new WrittenFile("{}", 2, 40, 50, 777)));
  }

  private void answer(io.sluice.protocol.lake.v1.CommitOutcome outcome, String code) {
    answers.response =
        CommitRoundResponse.newBuilder()
            .setOutcome(outcome)
            .setSnapshotId(123)
            .setCode(code)
            .setMessage("because")
            .build();
  }

  private void fail(ErrorCode code) {
    answers.failure = StatusMapping.toStatus(new SluiceException(code, "because"));
  }

  @Test
  void preparesARound() {
    assertThat(lake.prepare(KEY))
        .isEqualTo(new PreparedRound(9, Map.of(2, 40L), "file:///w/5-3-00000abc", "", ""));
    fail(ErrorCode.FENCED_ROUND);
    assertThatThrownBy(() -> lake.prepare(KEY))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED_ROUND));
  }

  @Test
  void sendsWhatTheRoundWrote() {
    answer(io.sluice.protocol.lake.v1.CommitOutcome.COMMITTED, "");
    assertThat(lake.commit(round())).isEqualTo(new Committed(123));
    CommitRoundRequest sent = answers.committed;
    assertThat(sent).isNotNull();
    assertThat(sent.getRoundId()).isEqualTo("5-3-00000abc");
    assertThat(sent.getEpoch()).isEqualTo(3);
    assertThat(sent.getFence()).isEqualTo(9);
    assertThat(sent.getRows()).isEqualTo(10);
    assertThat(sent.getBytes()).isEqualTo(777);
    assertThat(sent.getStart(0).getOffset()).isEqualTo(40);
    assertThat(sent.getEnd(0).getOffset()).isEqualTo(50);
    assertThat(sent.getFiles(0).getStartOffset()).isEqualTo(40);
    assertThat(sent.getFiles(0).getEndOffset()).isEqualTo(50);
  }

  @Test
  void tellsTheThreeAnswersApart() {
    answer(io.sluice.protocol.lake.v1.CommitOutcome.REFUSED, "FENCED_ROUND");
    assertThat(lake.commit(round())).isEqualTo(new Refused(ErrorCode.FENCED_ROUND, "because"));
    answer(io.sluice.protocol.lake.v1.CommitOutcome.UNKNOWN, "TIMEOUT");
    assertThat(lake.commit(round())).isEqualTo(new Unknown("TIMEOUT: because"));
    answer(io.sluice.protocol.lake.v1.CommitOutcome.REFUSED, "A_CODE_OF_A_LATER_VERSION");
    assertThat(lake.resolve(KEY)).isEqualTo(new Refused(ErrorCode.INTERNAL, "because"));
  }

  @Test
  void onlyErrorsThatComeBeforeAnythingIsDoneAreANo() {
    for (ErrorCode code : ErrorCode.values()) {
      fail(code);
      boolean certain =
          switch (code) {
            case FENCED_ROUND,
                LAKE_REGRESSED,
                LAKE_TABLE_EXISTS,
                TABLE_NOT_FOUND,
                TABLE_CHANGED,
                INVALID_ARGUMENT,
                INVALID_SCHEMA,
                UNSUPPORTED,
                UNAUTHENTICATED,
                PERMISSION_DENIED ->
                true;
            default -> false;
          };
      assertThat(lake.commit(round()))
          .as(code.name())
          .isInstanceOf(certain ? Refused.class : Unknown.class);
      assertThat(lake.resolve(KEY)).as(code.name()).isInstanceOf(Unknown.class);
    }
  }

  @Test
  void noAnswerInTimeIsUnknown() {
    Lake impatient = new GrpcLake(channel, Duration.ofMillis(200));
    assertThat(impatient.commit(round())).isInstanceOf(Unknown.class);
    assertThat(answers.committed).isNotNull();
  }

  @Test
  void aServerThatIsAwayIsUnknown() throws InterruptedException {
    server.shutdownNow().awaitTermination();
    assertThat(lake.commit(round())).isInstanceOf(Unknown.class);
    assertThat(lake.resolve(KEY)).isInstanceOf(Unknown.class);
  }
}

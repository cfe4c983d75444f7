package io.sluice.tablet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.GrantIdsRequest;
import io.sluice.protocol.cluster.v1.GrantIdsResponse;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.tablet.replica.IdRange;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class IdGrantClientTest {
  private static final TableBucket BUCKET = new TableBucket(7, 3, 2);

  private final List<Coordinator> coordinators = new ArrayList<>();
  private CoordinatorChannels channels;
  private IdGrantClient client;

  /** Grants what is asked for from 1 on, or refuses. */
  private static final class Coordinator extends ClusterServiceGrpc.ClusterServiceImplBase {
    private final List<GrantIdsRequest> requests = new ArrayList<>();
    private final Server server;
    private volatile @Nullable SluiceException refusal;

    Coordinator() throws Exception {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .addService(this)
              .directExecutor()
              .build()
              .start();
    }

    String address() {
      return "127.0.0.1:" + server.getPort();
    }

    @Override
    public synchronized void grantIds(
        GrantIdsRequest request, StreamObserver<GrantIdsResponse> answer) {
      requests.add(request);
      SluiceException why = refusal;
      if (why != null) {
        answer.onError(StatusMapping.toStatus(why));
        return;
      }
      answer.onNext(GrantIdsResponse.newBuilder().setFirst(1).setCount(request.getCount()).build());
      answer.onCompleted();
    }
  }

  @BeforeEach
  void open() throws Exception {
    coordinators.add(new Coordinator());
    coordinators.add(new Coordinator());
    channels =
        new CoordinatorChannels(
            coordinators.stream().map(Coordinator::address).toList(),
            new ClusterTokenClientInterceptor(ClusterSecret.of(new byte[32]), TimeSource.SYSTEM));
    client = new IdGrantClient(channels, 4, Duration.ofSeconds(10));
  }

  @AfterEach
  void close() {
    channels.close();
    coordinators.forEach(each -> each.server.shutdownNow());
  }

  private IdRange grant() throws Exception {
    return client.grant(BUCKET, 5, 128).get(20, TimeUnit.SECONDS);
  }

  private void refused(ErrorCode code) {
    CompletableFuture<IdRange> grant = client.grant(BUCKET, 5, 128);
    assertThatThrownBy(() -> grant.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SluiceException.class, why -> assertThat(why.code()).isEqualTo(code));
  }

  @Test
  void asksInTheNameOfTheBucketsLeader() throws Exception {
    assertThat(grant()).isEqualTo(new IdRange(1, 128));
    GrantIdsRequest asked = coordinators.get(0).requests.get(0);
    assertThat(asked.getServerId()).isEqualTo(4);
    assertThat(asked.getLeaderEpoch()).isEqualTo(5);
    assertThat(asked.getCount()).isEqualTo(128);
    assertThat(asked.getBucket().getTableId()).isEqualTo(7);
    assertThat(asked.getBucket().getPartitionId()).isEqualTo(3);
    assertThat(asked.getBucket().getBucket()).isEqualTo(2);
  }

  @Test
  void findsTheLeaderThatACoordinatorNames() throws Exception {
    coordinators.get(0).refusal =
        new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "another leads",
            Map.of("leader", coordinators.get(1).address()),
            null);
    refused(ErrorCode.NOT_COORDINATOR_LEADER);
    assertThat(grant()).isEqualTo(new IdRange(1, 128));
  }

  @Test
  void asksTheNextCoordinatorWhenOneIsAway() throws Exception {
    coordinators.get(0).server.shutdownNow().awaitTermination();
    refused(ErrorCode.UNAVAILABLE);
    assertThat(grant()).isEqualTo(new IdRange(1, 128));
  }

  @Test
  void saysThatThereAreNoMoreIds() {
    coordinators.get(0).refusal = new SluiceException(ErrorCode.IDS_EXHAUSTED, "widen it");
    refused(ErrorCode.IDS_EXHAUSTED);
  }
}

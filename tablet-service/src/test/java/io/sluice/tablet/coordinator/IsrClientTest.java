package io.sluice.tablet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.AlterIsrResponse;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.IsrDecision;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.tablet.replication.IsrProposals.Decision;
import io.sluice.tablet.replication.IsrTracker;
import io.sluice.testkit.Await;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class IsrClientTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final SessionTimings FAST = new SessionTimings(20, 5, 50, 400);

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  /** A coordinator whose answers are lost, refused or given, as the test says. */
  private static final class FakeCoordinator extends ClusterServiceGrpc.ClusterServiceImplBase {
    final List<AlterIsrRequest> heard = new CopyOnWriteArrayList<>();
    final List<StreamObserver<AlterIsrResponse>> held = new CopyOnWriteArrayList<>();
    volatile SluiceException failure;
    volatile boolean holds;
    volatile String refusal = "";

    @Override
    public void alterIsr(AlterIsrRequest request, StreamObserver<AlterIsrResponse> answer) {
      heard.add(request);
      if (failure != null) {
        answer.onError(StatusMapping.toStatus(failure));
      } else if (holds) {
        held.add(answer);
      } else {
        answer(request, answer);
      }
    }

    void answer(AlterIsrRequest request, StreamObserver<AlterIsrResponse> answer) {
      AlterIsrResponse.Builder response = AlterIsrResponse.newBuilder();
      request
          .getChangesList()
          .forEach(
              change ->
                  response.addDecisions(
                      IsrDecision.newBuilder()
                          .setCode(refusal)
                          .setState(
                              ReplicaState.newBuilder()
                                  .setBucket(change.getBucket())
                                  .setLeaderServerId(1)
                                  .setLeaderEpoch(change.getLeaderEpoch())
                                  .addAllReplicas(List.of(1, 2, 3))
                                  .addAllIsr(List.of(1, 2))
                                  .setIsrVersion(change.getIsrVersion() + 1)
                                  .setMinInsync(2))));
      answer.onNext(response.build());
      answer.onCompleted();
    }
  }

  private String serve(FakeCoordinator coordinator) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(coordinator)
            .build()
            .start();
    opened.add(() -> server.shutdownNow().awaitTermination());
    return "127.0.0.1:" + server.getPort();
  }

  private IsrClient client(Duration timeout, String... coordinators) {
    CoordinatorChannels channels =
        new CoordinatorChannels(
            List.of(coordinators),
            new ClusterTokenClientInterceptor(ClusterSecret.of(new byte[32]), TimeSource.SYSTEM));
    opened.add(channels);
    IsrClient client = new IsrClient(channels, 1, timeout, FAST);
    opened.add(client);
    return client;
  }

  private static IsrTracker.Proposal proposal(int version) {
    return new IsrTracker.Proposal(
        4,
        version,
        List.of(new IsrTracker.Member(1, ""), new IsrTracker.Member(2, "process-of-2")));
  }

  @Test
  void asksAndHandsOverWhatWasDecided() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    IsrClient client = client(SOON, serve(coordinator));
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    client.ask(TableBucket.of(7, 1), proposal(9), decisions::add);
    Await.until("decided", SOON, () -> decisions.size() == 1);
    assertThat(decisions.get(0).refusal()).isNull();
    assertThat(decisions.get(0).now().isr()).containsExactly(1, 2);
    assertThat(decisions.get(0).now().isrVersion()).isEqualTo(10);
    assertThat(decisions.get(0).now().minInsync()).isEqualTo(2);
    assertThat(coordinator.heard.get(0).getServerId()).isEqualTo(1);
    assertThat(coordinator.heard.get(0).getChanges(0).getIsr(1).getIncarnation())
        .isEqualTo("process-of-2");
    coordinator.refusal = ErrorCode.STALE_INCARNATION.name();
    client.ask(TableBucket.of(7, 1), proposal(10), decisions::add);
    Await.until("refused", SOON, () -> decisions.size() == 2);
    assertThat(decisions.get(1).refusal().code()).isEqualTo(ErrorCode.STALE_INCARNATION);
  }

  @Test
  void whatComesWhileACallIsOnItsWayTravelsTogether() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    coordinator.holds = true;
    IsrClient client = client(SOON, serve(coordinator));
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    client.ask(TableBucket.of(7, 0), proposal(1), decisions::add);
    Await.until("the first is there", SOON, () -> coordinator.held.size() == 1);
    for (int i = 1; i <= 1_200; i++) {
      client.ask(TableBucket.of(7, i), proposal(1), decisions::add);
    }
    coordinator.holds = false;
    coordinator.answer(coordinator.heard.get(0), coordinator.held.get(0));
    Await.until("all are decided", SOON, () -> decisions.size() == 1_201);
    assertThat(coordinator.heard.stream().map(AlterIsrRequest::getChangesCount))
        .containsExactly(1, 1_000, 200);
  }

  @Test
  void asksAgainWhenTheAnswerIsLost() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    coordinator.holds = true;
    IsrClient client = client(Duration.ofMillis(200), serve(coordinator));
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    client.ask(TableBucket.of(7, 0), proposal(1), decisions::add);
    Await.until("asked again", SOON, () -> coordinator.heard.size() >= 3);
    assertThat(decisions).isEmpty();
    coordinator.holds = false;
    Await.until("decided", SOON, () -> decisions.size() == 1);
    assertThat(coordinator.heard).allMatch(each -> each.equals(coordinator.heard.get(0)));
  }

  @Test
  void findsTheCoordinatorThatLeads() throws Exception {
    FakeCoordinator leader = new FakeCoordinator();
    FakeCoordinator other = new FakeCoordinator();
    String there = serve(leader);
    // By its id the leader is reached where it is configured, not where it says that it is.
    other.failure =
        new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "ask 2",
            Map.of("leader", "127.0.0.1:1", "leader_id", "2"),
            null);
    IsrClient client = client(SOON, "1=" + serve(other), "2=" + there);
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    client.ask(TableBucket.of(7, 0), proposal(1), decisions::add);
    Await.until("decided", SOON, () -> decisions.size() == 1);
    assertThat(other.heard).hasSize(1);
    assertThat(leader.heard).hasSize(1);
  }
}

package io.sluice.tablet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.Alive;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.testkit.Await;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CoordinatorSessionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final SessionTimings FAST = new SessionTimings(20, 5, 50, 400);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final FakeState state = new FakeState();
  private final AtomicInteger applied = new AtomicInteger();
  private final AtomicInteger replaced = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  /** A coordinator that remembers what it heard and says what the test wants. */
  private static final class FakeClusterService extends ClusterServiceGrpc.ClusterServiceImplBase {
    final List<TabletMessage> heard = new CopyOnWriteArrayList<>();
    final List<StreamObserver<CoordinatorMessage>> sessions = new CopyOnWriteArrayList<>();
    volatile SluiceException refusal;

    @Override
    public StreamObserver<TabletMessage> tabletSession(StreamObserver<CoordinatorMessage> out) {
      if (refusal != null) {
        out.onError(StatusMapping.toStatus(refusal));
      } else {
        sessions.add(out);
      }
      return new StreamObserver<>() {
        @Override
        public void onNext(TabletMessage message) {
          heard.add(message);
        }

        @Override
        public void onError(Throwable gone) {
          sessions.remove(out);
        }

        @Override
        public void onCompleted() {
          out.onCompleted();
        }
      };
    }

    long registrations() {
      return heard.stream().filter(TabletMessage::hasRegister).count();
    }

    TabletMessage lastHeartbeat() {
      return heard.stream().filter(TabletMessage::hasHeartbeat).reduce((a, b) -> b).orElseThrow();
    }
  }

  private static final class FakeState implements AssignedState {
    private volatile long index;
    private volatile String cluster = "";
    final List<Long> order = new CopyOnWriteArrayList<>();
    volatile boolean failing;
    volatile boolean leadsForOthers;

    @Override
    public boolean leadsForOthers() {
      return leadsForOthers;
    }

    @Override
    public String clusterId() {
      return cluster;
    }

    @Override
    public long appliedIndex() {
      return index;
    }

    @Override
    public boolean cleanStop() {
      return true;
    }

    @Override
    public List<BucketId> directories() {
      return List.of(BucketId.newBuilder().setTableId(4).setBucket(2).build());
    }

    @Override
    public void apply(Image image) {
      cluster = image.getClusterId();
      move(image.getIndex());
    }

    @Override
    public void apply(Delta delta) {
      move(delta.getIndex());
    }

    private void move(long to) {
      if (failing) {
        throw new SluiceException(ErrorCode.STORAGE_ERROR, "disk");
      }
      order.add(to);
      index = to;
    }

    @Override
    public List<OfflineReplica> offline() {
      return List.of(OfflineReplica.newBuilder().setReason("damaged").build());
    }

    @Override
    public long diskUsedBytes() {
      return 77;
    }
  }

  private Server serve(FakeClusterService service) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(service)
            .build()
            .start();
    opened.add(() -> server.shutdownNow().awaitTermination());
    return server;
  }

  private CoordinatorSession session(String... coordinators) {
    CoordinatorChannels channels =
        new CoordinatorChannels(
            List.of(coordinators),
            new ClusterTokenClientInterceptor(ClusterSecret.of(new byte[32]), TimeSource.SYSTEM));
    opened.add(channels);
    TabletIdentity identity =
        new TabletIdentity(3, "127.0.0.1", 9223, 9280, "rack-a", "incarnation", "boot");
    CoordinatorSession session =
        new CoordinatorSession(
            channels,
            identity,
            state,
            TimeSource.SYSTEM,
            FAST,
            applied::incrementAndGet,
            replaced::incrementAndGet);
    opened.add(session);
    session.start();
    return session;
  }

  private static String address(Server server) {
    return "127.0.0.1:" + server.getPort();
  }

  private static CoordinatorMessage image(long index) {
    return CoordinatorMessage.newBuilder()
        .setImage(Image.newBuilder().setClusterId("c-1").setIndex(index))
        .build();
  }

  private static CoordinatorMessage delta(long index) {
    return CoordinatorMessage.newBuilder().setDelta(Delta.newBuilder().setIndex(index)).build();
  }

  @Test
  void registersAppliesInOrderAndReportsWhatItApplied() throws Exception {
    FakeClusterService service = new FakeClusterService();
    CoordinatorSession session = session(address(serve(service)));
    Await.until("registration", SOON, () -> service.registrations() == 1);
    TabletMessage first = service.heard.get(0);
    assertThat(first.getRegister().getServerId()).isEqualTo(3);
    assertThat(first.getRegister().getCleanStop()).isTrue();
    assertThat(first.getRegister().getDirectoriesList()).hasSize(1);
    assertThat(session.connected()).isFalse();
    service.sessions.get(0).onNext(image(10));
    service.sessions.get(0).onNext(delta(11));
    service.sessions.get(0).onNext(delta(15));
    Await.until(
        "heartbeat with the last index",
        SOON,
        () -> service.lastHeartbeat().getHeartbeat().getAppliedIndex() == 15);
    assertThat(state.order).containsExactly(10L, 11L, 15L);
    assertThat(session.connected()).isTrue();
    assertThat(applied).hasValue(3);
    assertThat(service.lastHeartbeat().getHeartbeat().getDiskUsedBytes()).isEqualTo(77);
    assertThat(service.lastHeartbeat().getHeartbeat().getOffline(0).getReason())
        .isEqualTo("damaged");
  }

  @Test
  void registersAgainWithItsIndexWhenTheSessionEnds() throws Exception {
    FakeClusterService service = new FakeClusterService();
    CoordinatorSession session = session(address(serve(service)));
    Await.until("registration", SOON, () -> service.registrations() == 1);
    service.sessions.get(0).onNext(image(10));
    Await.until("connected", SOON, session::connected);
    service.sessions.remove(0).onCompleted();
    Await.until("second registration", SOON, () -> service.registrations() == 2);
    TabletMessage second =
        service.heard.stream().filter(TabletMessage::hasRegister).skip(1).findFirst().orElseThrow();
    assertThat(second.getRegister().getLastIndex()).isEqualTo(10);
    assertThat(second.getRegister().getClusterId()).isEqualTo("c-1");
    assertThat(session.registeredOnce()).isTrue();
  }

  @Test
  void neverRegistersAgainWhenAnotherProcessTookItsId() throws Exception {
    FakeClusterService service = new FakeClusterService();
    CoordinatorSession session = session(address(serve(service)));
    Await.until("registration", SOON, () -> service.registrations() == 1);
    service.sessions.get(0).onNext(image(10));
    Await.until("connected", SOON, session::connected);
    service
        .sessions
        .remove(0)
        .onError(
            StatusMapping.toStatus(
                new SluiceException(ErrorCode.FENCED_LEADER_EPOCH, "tablet 3 was replaced")));
    Await.until("told", SOON, () -> replaced.get() == 1);
    assertThat(session.connected()).isFalse();
    assertThat(service.registrations()).isEqualTo(1);
  }

  @Test
  void followsTheLeaderThatACoordinatorNames() throws Exception {
    FakeClusterService follower = new FakeClusterService();
    FakeClusterService leader = new FakeClusterService();
    String leaderAddress = address(serve(leader));
    follower.refusal =
        new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER, "ask 2", Map.of("leader", leaderAddress), null);
    session(address(serve(follower)));
    Await.until("registration with the leader", SOON, () -> leader.registrations() == 1);
  }

  @Test
  void triesTheNextCoordinatorWhenOneIsAway() throws Exception {
    FakeClusterService second = new FakeClusterService();
    String there = address(serve(second));
    Server gone = serve(new FakeClusterService());
    String away = address(gone);
    gone.shutdownNow().awaitTermination();
    session(away, there);
    Await.until("registration with the second", SOON, () -> second.registrations() == 1);
  }

  @Test
  void startsAnewWhenStateCannotBeApplied() throws Exception {
    FakeClusterService service = new FakeClusterService();
    state.failing = true;
    CoordinatorSession session = session(address(serve(service)));
    Await.until("registration", SOON, () -> service.registrations() == 1);
    service.sessions.get(0).onNext(image(10));
    Await.until("second registration", SOON, () -> service.registrations() >= 2);
    assertThat(session.registeredOnce()).isFalse();
    state.failing = false;
    Await.until(
        "applied at last",
        SOON,
        () -> {
          service.sessions.forEach(each -> each.onNext(image(10)));
          return session.connected();
        });
  }

  @Test
  void looksForAnotherCoordinatorWhenOneNoLongerAnswersHeartbeats() throws Exception {
    FakeClusterService paused = new FakeClusterService();
    FakeClusterService next = new FakeClusterService();
    CoordinatorSession session = session(address(serve(paused)), address(serve(next)));
    Await.until("registration", SOON, () -> paused.registrations() == 1);
    paused.sessions.get(0).onNext(image(10));
    Await.until("connected", SOON, session::connected);
    paused
        .sessions
        .get(0)
        .onNext(CoordinatorMessage.newBuilder().setAlive(Alive.getDefaultInstance()).build());
    Await.until("registration with the next", SOON, () -> next.registrations() == 1);
    assertThat(paused.registrations()).isEqualTo(1);
  }

  @Test
  void looksForAnotherCoordinatorWhenOneDoesNotSendTheFirstImage() throws Exception {
    FakeClusterService silent = new FakeClusterService();
    FakeClusterService next = new FakeClusterService();
    session(address(serve(silent)), address(serve(next)));
    Await.until("registration with the next", SOON, () -> next.registrations() == 1);
  }

  @Test
  void handsOverWhatItLeadsBeforeItLeaves() throws Exception {
    FakeClusterService service = new FakeClusterService();
    CoordinatorSession session = session(address(serve(service)));
    assertThat(session.leave(SOON)).isFalse();
    Await.until("registration", SOON, () -> service.registrations() == 1);
    state.leadsForOthers = true;
    service.sessions.get(0).onNext(image(10));
    Await.until("connected", SOON, session::connected);
    CompletableFuture<Boolean> left = CompletableFuture.supplyAsync(() -> session.leave(SOON));
    Await.until(
        "it is said more than once",
        SOON,
        () -> service.heard.stream().filter(TabletMessage::hasLeaving).count() > 1);
    assertThat(left).isNotDone();
    state.leadsForOthers = false;
    service.sessions.get(0).onNext(delta(11));
    assertThat(left.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void leavesWhenNobodyIsLeftToTakeOver() throws Exception {
    FakeClusterService service = new FakeClusterService();
    CoordinatorSession session = session(address(serve(service)));
    Await.until("registration", SOON, () -> service.registrations() == 1);
    state.leadsForOthers = true;
    service.sessions.get(0).onNext(image(10));
    Await.until("connected", SOON, session::connected);
    assertThat(session.leave(SOON)).isFalse();
    assertThat(service.heard).anyMatch(TabletMessage::hasLeaving);
  }
}

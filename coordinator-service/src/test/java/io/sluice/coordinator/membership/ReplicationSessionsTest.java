package io.sluice.coordinator.membership;

import static io.sluice.coordinator.metadata.Fixtures.createLakeTable;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.Leaving;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.ServerAddress;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.testkit.MovedClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tablet servers report of replicas, and hear of each other's. */
class ReplicationSessionsTest {
  private static final TableBucket B = TableBucket.of(1, 0);

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock = new MovedClock(1_000_000);
  private final TabletSessions sessions = new TabletSessions(log, clock, Duration.ofSeconds(6));
  private final FakeSink one = new FakeSink();
  private final FakeSink two = new FakeSink();
  private final FakeSink three = new FakeSink();
  private TabletSession first;

  @BeforeEach
  void lead() {
    log.addListener(sessions);
    sessions.leading();
    first = connect(one, register(1, "a"));
    connect(two, register(2, "b"));
    connect(three, register(3, "c"));
  }

  @Test
  void serversHearOfEachOthersAddressesAndSessions() {
    assertThat(three.image(0).getServersList()).hasSize(3);
    ServerAddress address = three.image(0).getServers(1);
    assertThat(address.getServerId()).isEqualTo(2);
    assertThat(address.getHost()).isEqualTo("127.0.0.1");
    assertThat(address.getFlightPort()).isEqualTo(9225);
    assertThat(address.getIncarnation()).isEqualTo("b");
    assertThat(address.getAlive()).isTrue();
    assertThat(one.serverNews.stream().map(delta -> delta.getServers(0).getServerId()))
        .containsExactly(2, 3);
    submit(new Command.EndSession(3, "c"));
    assertThat(one.serverNews.get(2).getServersList())
        .containsExactly(
            address.toBuilder()
                .setServerId(3)
                .setFlightPort(9226)
                .setIncarnation("c")
                .setAlive(false)
                .build());
  }

  @Test
  void aRegistrationThatIsDoneWhenAnotherOneLeadsIsSentAway() {
    log.addListener(new LosesTheLeadershipAt("d"));
    FakeSink four = new FakeSink();
    connect(four, register(4, "d"));
    assertThat(log.current().state().isAlive(4)).as("the command went through").isTrue();
    assertThat(four.sent).isEmpty();
    assertThat(four.failure.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
  }

  /** Has the leadership lost when that incarnation has registered, before the answer is there. */
  private final class LosesTheLeadershipAt implements MetadataLog.Listener {
    private final String incarnation;

    LosesTheLeadershipAt(String incarnation) {
      this.incarnation = incarnation;
    }

    @Override
    public void applied(MetadataImage image, List<Event> events) {
      for (Event event : events) {
        if (event instanceof Event.ServerRegistered registered
            && registered.incarnation().equals(incarnation)) {
          sessions.following();
        }
      }
    }

    @Override
    public void leading() {}

    @Override
    public void following() {}

    @Override
    public void replaced(MetadataImage image) {}
  }

  @Test
  void everyHeartbeatIsAnsweredWhileTheTransportTakesIt() {
    first.received(heartbeat());
    work();
    assertThat(one.alive).isEqualTo(1);
    one.ready = false;
    first.received(heartbeat());
    first.received(heartbeat());
    work();
    assertThat(one.alive).isEqualTo(1);
    one.ready = true;
    work();
    assertThat(one.alive).as("one answer will do for both").isEqualTo(2);
    sessions.following();
    first.received(heartbeat());
    work();
    assertThat(one.alive).isEqualTo(2);
  }

  @Test
  void diskUseIsThatOfTheNewestHeartbeat() {
    assertThat(sessions.diskUsedBytes(1)).isZero();
    first.received(
        TabletMessage.newBuilder()
            .setHeartbeat(Heartbeat.newBuilder().setDiskUsedBytes(77))
            .build());
    assertThat(sessions.diskUsedBytes(1)).isEqualTo(77);
    assertThat(sessions.diskUsedBytes(9)).isZero();
  }

  @Test
  void aReplicaStateSaysWhatReplicationNeeds() {
    submit(createLakeTable("t", List.of(List.of(1, 2))));
    submit(new Command.RaiseTieringEpoch(1, 1));
    submit(
        new Command.RoundCommitted(
            1,
            1,
            "r",
            5,
            List.of(),
            List.of(new LakeOffset(0, 0, 1234)),
            LakeTable.LastRound.NONE));
    submit(reassign(1, 3));
    ReplicaState state = last(one).getReplicas(0);
    assertThat(state.getReplicasList()).containsExactly(1, 2, 3);
    assertThat(state.getTargetList()).containsExactly(1, 3);
    assertThat(state.getMinInsync()).isEqualTo(2);
    assertThat(state.getLakeEndOffset()).isEqualTo(1234);
    assertThat(state.getIsrVersion()).isEqualTo(1);
  }

  @Test
  void aMoveGivesTheNewServerTheTableAndTakesTheBucketFromTheOldOne() {
    submit(createTable("t", List.of(List.of(1, 2))));
    assertThat(three.sent).hasSize(1);
    submit(reassign(1, 3));
    assertThat(last(three).getTables(0).getTable()).isEqualTo("t");
    assertThat(last(three).getReplicas(0).getLeaderServerId()).isEqualTo(1);
    submit(
        new Command.AlterIsr(
            1,
            List.of(
                new Command.IsrChange(
                    B,
                    1,
                    1,
                    List.of(new Command.IsrMember(1, ""), new Command.IsrMember(3, "c"))))));
    assertThat(last(two).getRemovedReplicasList()).containsExactly(bucket(1, 0));
    assertThat(last(two).getReplicasList()).isEmpty();
    assertThat(last(one).getReplicas(0).getReplicasList()).containsExactly(1, 3);
    assertThat(last(one).getReplicas(0).getTargetList()).isEmpty();
    assertThat(last(one).getRemovedReplicasList()).isEmpty();
    submit(new Command.DropTable(new TablePath("demo", "t")));
    assertThat(last(two).getDroppedTablesList()).as("it knew the table").containsExactly(1L);
  }

  /** Field report B26: as with dropped tables, so with replicas that moved meanwhile. */
  @Test
  void aServerThatWasAwayLosesTheReplicasThatMoved() {
    submit(createTable("t", List.of(List.of(1, 2))));
    long seen = log.current().index();
    first.failed(null);
    submit(new Command.EndSession(1, "a"));
    submit(reassign(2));
    FakeSink again = new FakeSink();
    connect(
        again,
        register(1, "a2").setClusterId("c1").setLastIndex(seen).addDirectories(bucket(1, 0)));
    assertThat(last(again).getRemovedReplicasList()).containsExactly(bucket(1, 0));
    FakeSink whole = new FakeSink();
    connect(whole, register(1, "a3").setClusterId("c1").addDirectories(bucket(1, 0)));
    Image image = whole.image(0);
    assertThat(image.getReplicasList()).as("it deletes what the image does not name").isEmpty();
  }

  @Test
  void offlineReplicasLeaveTheSetOnceAndAreElectedAway() {
    submit(createTable("t", List.of(List.of(1, 2), List.of(1))));
    first.received(offline(bucket(1, 0), bucket(1, 1), bucket(9, 9)));
    assertThat(state(B)).isEqualTo(new Bucket(0, 0, List.of(1, 2), 2, 2, List.of(2), 1));
    assertThat(state(TableBucket.of(1, 1)).leader()).isEqualTo(1);
    int commands = log.commands().size();
    first.received(offline(bucket(1, 0), bucket(1, 1)));
    assertThat(log.commands()).hasSize(commands);
  }

  @Test
  void whatIsReportedIsTriedAgainWhenTheLogWasUnavailable() {
    submit(createTable("t", List.of(List.of(1, 2))));
    log.setAvailable(false);
    first.received(TabletMessage.newBuilder().setLeaving(Leaving.getDefaultInstance()).build());
    log.setAvailable(true);
    assertThat(state(B).leader()).isEqualTo(1);
    first.received(heartbeat());
    assertThat(state(B).leader()).isEqualTo(2);
    assertThat(state(B).isr()).as("it stays in sync until it is gone").containsExactly(1, 2);
    work();
    assertThat(last(one).getReplicas(0).getLeaderServerId()).isEqualTo(2);
    first.closedByPeer();
    assertThat(state(B).isr()).containsExactly(2);
  }

  @Test
  void aServerWithAnEmptyDiskLeavesTheSets() {
    submit(createTable("t", List.of(List.of(1, 2))));
    connect(new FakeSink(), register(1, "a2"));
    assertThat(state(B).isr()).containsExactly(2);
    submit(createTable("u", List.of(List.of(2, 1))));
    connect(new FakeSink(), register(2, "b2").setClusterId("c1"));
    assertThat(state(TableBucket.of(2, 0)).isr()).containsExactly(2, 1);
  }

  private Bucket state(TableBucket bucket) {
    return log.current().state().bucket(bucket);
  }

  private static Delta last(FakeSink sink) {
    return sink.delta(sink.sent.size() - 1);
  }

  private static Command reassign(Integer... target) {
    return new Command.Reassign(List.of(new Command.Move(B, List.of(target))));
  }

  private TabletSession connect(FakeSink sink, RegisterTablet.Builder message) {
    TabletSession session = sessions.connect(sink);
    session.received(TabletMessage.newBuilder().setRegister(message).build());
    work();
    return session;
  }

  private void submit(Command command) {
    assertThat(log.submit(command).join().outcome().orThrow().decisions())
        .allMatch(decision -> decision.accepted());
    work();
  }

  private void work() {
    int passes = 0;
    while (sessions.doWork() > 0) {
      assertThat(++passes).as("passes until nothing is left to do").isLessThan(20);
    }
  }

  private static RegisterTablet.Builder register(int id, String incarnation) {
    return RegisterTablet.newBuilder()
        .setServerId(id)
        .setHost("127.0.0.1")
        .setFlightPort(9223 + id)
        .setHttpPort(9280)
        .setIncarnation(incarnation)
        .setBootId("boot");
  }

  private static TabletMessage heartbeat() {
    return TabletMessage.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();
  }

  private static TabletMessage offline(BucketId... buckets) {
    Heartbeat.Builder heartbeat = Heartbeat.newBuilder();
    for (BucketId bucket : buckets) {
      heartbeat.addOffline(OfflineReplica.newBuilder().setBucket(bucket).setReason("damaged"));
    }
    return TabletMessage.newBuilder().setHeartbeat(heartbeat).build();
  }

  private static BucketId bucket(long table, int bucket) {
    return BucketId.newBuilder().setTableId(table).setBucket(bucket).build();
  }
}

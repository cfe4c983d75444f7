package io.sluice.coordinator.membership;

import static io.sluice.coordinator.metadata.Fixtures.createPartitioned;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.cluster.v1.WriterEpoch;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.testkit.MovedClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TabletSessionsTest {
  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock = new MovedClock(1_000_000);
  private final TabletSessions sessions = new TabletSessions(log, clock, Duration.ofSeconds(6));

  @BeforeEach
  void lead() {
    log.addListener(sessions);
    sessions.leading();
  }

  @Test
  void aNewServerGetsAnImageAndThenDeltasInIndexOrder() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    assertThat(sink.image(0).getClusterId()).isEqualTo("c1");
    assertThat(sink.image(0).getReplicasList()).isEmpty();

    submit(createTable("t", List.of(List.of(1), List.of(1))));
    submit(new Command.InitWriter("w"));
    submit(new Command.InitWriter("w"));
    submit(new Command.DropTable(new TablePath("demo", "t")));

    Delta created = sink.delta(1);
    assertThat(created.getTables(0).getTable()).isEqualTo("t");
    assertThat(created.getTables(0).getSchemasList()).hasSize(1);
    assertThat(created.getReplicasList()).hasSize(2);
    assertThat(created.getReplicas(1).getLeaderServerId()).isEqualTo(1);
    assertThat(created.getReplicas(1).getLeaderEpoch()).isEqualTo(1);
    assertThat(sink.delta(2).getWritersList()).containsExactly(writer(1, 0));
    assertThat(sink.delta(3).getWritersList()).containsExactly(writer(1, 1));
    assertThat(sink.delta(4).getDroppedTablesList()).containsExactly(1L);
    assertThat(sink.delta(4).getRemovedReplicasList()).containsExactly(bucket(1, 0), bucket(1, 1));
    List<Long> indexes = sink.sent.stream().skip(1).map(m -> m.getDelta().getIndex()).toList();
    assertThat(indexes).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aServerSeesOnlyItsOwnReplicas() {
    FakeSink one = new FakeSink();
    FakeSink two = new FakeSink();
    connect(one, register(1, "a"));
    connect(two, register(2, "b"));
    submit(createTable("t", List.of(List.of(1), List.of(2))));
    submit(createTable("u", List.of(List.of(2))));
    assertThat(one.sent).hasSize(2);
    assertThat(one.delta(1).getReplicasList()).hasSize(1);
    assertThat(two.delta(1).getReplicas(0).getBucket()).isEqualTo(bucket(1, 1));
    assertThat(two.delta(2).getTables(0).getTable()).isEqualTo("u");
  }

  @Test
  void silenceOfSixSecondsEndsTheSessionAndAHeartbeatPostponesIt() {
    FakeSink sink = new FakeSink();
    TabletSession session = connect(sink, register(1, "a"));
    submit(createTable("t", List.of(List.of(1))));
    advance(5_000);
    session.received(heartbeat());
    advance(6_000);
    work();
    assertThat(log.current().state().isAlive(1)).isTrue();
    advance(1);
    work();
    assertThat(log.current().state().isAlive(1)).isFalse();
    assertThat(log.current().state().bucket(TableBucket.of(1, 0)).leader()).isZero();
    assertThat(log.current().state().bucket(TableBucket.of(1, 0)).leaderEpoch()).isEqualTo(2);
    assertThat(sink.failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void aWallClockThatJumpsEndsNoSession() {
    connect(new FakeSink(), register(1, "a"));
    clock.jumpTo(9_000_000_000L);
    work();
    assertThat(log.current().state().isAlive(1)).isTrue();
  }

  @Test
  void aNewIncarnationWinsAndRaisesTheEpochs() {
    FakeSink old = new FakeSink();
    FakeSink young = new FakeSink();
    TabletSession first = connect(old, register(1, "a"));
    submit(createTable("t", List.of(List.of(1))));
    connect(young, register(1, "b"));
    assertThat(old.failure).hasMessageContaining("replaced by a newer registration");
    assertThat(old.failure).hasMessageContaining("incarnation b");
    Image image = young.image(0);
    assertThat(image.getReplicas(0).getLeaderEpoch()).isEqualTo(2);
    assertThat(image.getReplicas(0).getLeaderServerId()).isEqualTo(1);

    first.received(heartbeat());
    advance(6_001);
    work();
    assertThat(log.current().state().isAlive(1))
        .as("heartbeats of the old incarnation do not count")
        .isFalse();
  }

  @Test
  void aBrokenStreamKeepsTheSessionUntilItExpires() {
    FakeSink broken = new FakeSink();
    TabletSession session = connect(broken, register(1, "a"));
    submit(createTable("t", List.of(List.of(1))));
    session.failed(new RuntimeException("connection reset"));
    advance(3_000);
    work();
    assertThat(log.current().state().isAlive(1)).isTrue();
    FakeSink again = new FakeSink();
    connect(again, register(1, "a"));
    assertThat(again.image(0).getReplicas(0).getLeaderEpoch())
        .as("the same incarnation keeps its epoch")
        .isEqualTo(1);
    assertThat(broken.failure).isNull();
  }

  @Test
  void anOrderlyCloseEndsTheSessionAtOnce() {
    FakeSink sink = new FakeSink();
    TabletSession session = connect(sink, register(1, "a"));
    session.closedByPeer();
    work();
    assertThat(log.current().state().isAlive(1)).isFalse();
    assertThat(sink.completed).isTrue();
  }

  @Test
  void aReconnectGetsOnlyWhatItMissedAndLosesStrayDirectories() {
    TabletSession session = connect(new FakeSink(), register(1, "a"));
    submit(createTable("t", List.of(List.of(1))));
    long seen = log.current().index();
    session.failed(null);
    submit(createTable("u", List.of(List.of(1))));
    submit(new Command.DropTable(new TablePath("demo", "t")));

    FakeSink again = new FakeSink();
    connect(
        again,
        register(1, "a")
            .setClusterId("c1")
            .setLastIndex(seen)
            .addDirectories(bucket(1, 0))
            .addDirectories(bucket(2, 0))
            .addDirectories(bucket(77, 3)));
    Delta missed = again.delta(0);
    assertThat(missed.getTablesList()).hasSize(1);
    assertThat(missed.getTables(0).getTable()).isEqualTo("u");
    assertThat(missed.getDroppedTablesList()).containsExactly(1L);
    assertThat(missed.getRemovedReplicasList())
        .containsExactlyInAnyOrder(bucket(1, 0), bucket(77, 3));
  }

  @Test
  void anAlterationSendsTheTableToThoseWhoHoldItAlone() {
    FakeSink one = new FakeSink();
    FakeSink two = new FakeSink();
    connect(one, register(1, "a"));
    connect(two, register(2, "b"));
    submit(createTable("t", List.of(List.of(1))));
    submit(new Command.AlterTable(1, 0, Fixtures.wider(2), Map.of("owner", "you"), ""));
    Delta altered = one.delta(2);
    assertThat(altered.getTables(0).getSchemasList()).hasSize(2);
    assertThat(altered.getTables(0).getSchemas(1).getColumns(2).getInitialDefault()).isEqualTo("7");
    assertThat(altered.getTables(0).getOptionsMap()).containsEntry("owner", "you");
    assertThat(altered.getReplicasList()).isEmpty();
    assertThat(two.sent).hasSize(1);
  }

  @Test
  void partitionsComeAndGoWithTheirReplicas() {
    FakeSink one = new FakeSink();
    FakeSink two = new FakeSink();
    connect(one, register(1, "a"));
    connect(two, register(2, "b"));
    submit(createPartitioned("t"));
    assertThat(one.sent).as("nobody holds a table without partitions").hasSize(1);
    submit(new Command.CreatePartition(1, partition("x", 1), 5));
    Delta created = one.delta(1);
    assertThat(created.getTables(0).getPartitionKeysList()).containsExactly("name");
    assertThat(created.getTables(0).getBucketCount()).isEqualTo(2);
    assertThat(created.getTables(0).getPartitions(0).getValuesList()).containsExactly("x");
    assertThat(created.getReplicasList().stream().map(ReplicaState::getBucket))
        .containsExactly(bucket(1, 1, 0), bucket(1, 1, 1));
    assertThat(two.sent).hasSize(1);

    submit(new Command.CreatePartition(1, partition("y", 2), 5));
    assertThat(one.delta(2).getTables(0).getPartitionsList()).hasSize(2);
    assertThat(one.delta(2).getReplicasList()).isEmpty();

    submit(new Command.DropPartition(1, 1));
    Delta dropped = one.delta(3);
    assertThat(dropped.getRemovedReplicasList()).containsExactly(bucket(1, 1, 0), bucket(1, 1, 1));
    assertThat(dropped.getTables(0).getPartitionsList()).hasSize(1);
    assertThat(dropped.getDroppedTablesList()).isEmpty();
    assertThat(two.delta(2).getRemovedReplicasList()).isEmpty();

    submit(new Command.DropTable(new TablePath("demo", "t")));
    assertThat(one.delta(4).getDroppedTablesList())
        .as("a server that held a partition of it once forgets it too")
        .containsExactly(1L);
    assertThat(two.delta(3).getRemovedReplicasList())
        .containsExactly(bucket(1, 2, 0), bucket(1, 2, 1));
  }

  /** Field report B26: a server that was down meanwhile revives nothing. */
  @Test
  void aServerThatWasDownLosesADroppedPartitionAndGetsTheNewOneOfTheSameName() {
    TabletSession session = connect(new FakeSink(), register(1, "a"));
    submit(createTable("t1", List.of(List.of(1))));
    submit(createPartitioned("t2", partition("20250101", 1)));
    long seen = log.current().index();
    session.failed(null);
    submit(new Command.DropTable(new TablePath("demo", "t1")));
    submit(new Command.DropPartition(2, 1));
    submit(new Command.CreatePartition(2, partition("20250101", 1), 9));

    FakeSink again = new FakeSink();
    connect(
        again,
        register(1, "b")
            .setClusterId("c1")
            .setLastIndex(seen)
            .addDirectories(bucket(1, 0))
            .addDirectories(bucket(2, 1, 0))
            .addDirectories(bucket(2, 1, 1)));
    Delta missed = again.delta(0);
    assertThat(missed.getRemovedReplicasList())
        .containsExactlyInAnyOrder(bucket(1, 0), bucket(2, 1, 0), bucket(2, 1, 1));
    assertThat(missed.getReplicasList().stream().map(ReplicaState::getBucket))
        .containsExactly(bucket(2, 2, 0), bucket(2, 2, 1));
    assertThat(missed.getTables(0).getPartitionsList())
        .containsExactly(
            PartitionInfo.newBuilder()
                .setPartitionId(2)
                .addValues("20250101")
                .setCreatedMs(9)
                .build());
  }

  @Test
  void aPartitionThatCameAndWentBetweenTwoDeltasLeavesNothing() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    submit(createPartitioned("t"));
    sink.ready = false;
    submit(new Command.CreatePartition(1, partition("x", 1), 5));
    submit(new Command.DropPartition(1, 1));
    submit(new Command.DropTable(new TablePath("demo", "t")));
    sink.ready = true;
    work();
    assertThat(sink.delta(1).getTablesList()).isEmpty();
    assertThat(sink.delta(1).getReplicasList()).isEmpty();
    assertThat(sink.delta(1).getRemovedReplicasList())
        .containsExactly(bucket(1, 1, 0), bucket(1, 1, 1));
  }

  @Test
  void anIndexOlderThanTheHistoryGetsAFullImage() {
    connect(new FakeSink(), register(2, "x"));
    for (int i = 0; i < 4100; i++) {
      log.submit(new Command.InitWriter("w"));
    }
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a").setClusterId("c1").setLastIndex(3));
    assertThat(sink.sent.get(0).hasImage()).isTrue();
    assertThat(sink.image(0).getWritersList()).containsExactly(writer(1, 4099));
  }

  @Test
  void aSlowReaderGetsOneDeltaForManyChanges() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    sink.ready = false;
    submit(createTable("t", List.of(List.of(1))));
    submit(createTable("u", List.of(List.of(1))));
    submit(new Command.DropTable(new TablePath("demo", "t")));
    assertThat(sink.sent).hasSize(1);
    sink.ready = true;
    work();
    assertThat(sink.sent).hasSize(2);
    assertThat(sink.delta(1).getTablesList()).hasSize(1);
    assertThat(sink.delta(1).getIndex()).isEqualTo(log.current().index());
  }

  @Test
  void aNewLeaderGivesEveryServerAFullSession() {
    log.submit(new Command.RegisterServer(fixture(1, "a"), 1));
    clock.advanceMs(100_000);
    sessions.leading();
    work();
    advance(6_000);
    work();
    assertThat(log.current().state().isAlive(1)).isTrue();
    advance(1);
    work();
    assertThat(log.current().state().isAlive(1)).isFalse();
  }

  @Test
  void aFollowerEndsItsStreamsAndExpiresNobody() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    sessions.following();
    advance(60_000);
    work();
    assertThat(sink.failure.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
    assertThat(log.current().state().isAlive(1)).isTrue();
  }

  @Test
  void expiryIsTriedAgainWhenTheLogWasUnavailable() {
    connect(new FakeSink(), register(1, "a"));
    advance(6_000);
    log.setAvailable(false);
    advance(1);
    log.setAvailable(true);
    work();
    assertThat(log.current().state().isAlive(1)).as("not at once").isTrue();
    advance(1_000);
    work();
    assertThat(log.current().state().isAlive(1)).isFalse();
  }

  @Test
  void aCoordinatorThatWasStoppedItselfEndsNoSession() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    clock.advanceMs(30_000);
    work();
    advance(6_000);
    assertThat(log.current().state().isAlive(1)).isTrue();
    advance(1);
    assertThat(log.current().state().isAlive(1)).isFalse();
  }

  @Test
  void registrationsOfAnotherClusterOrAFutureIndexAreRefused() {
    FakeSink stranger = new FakeSink();
    connect(stranger, register(1, "a").setClusterId("other"));
    assertThat(stranger.failure).hasMessageContaining("holds data of cluster other");
    FakeSink ahead = new FakeSink();
    connect(ahead, register(1, "a").setClusterId("c1").setLastIndex(1_000_000));
    assertThat(ahead.failure).hasMessageContaining("was rolled back");
    assertThat(ahead.sent).isEmpty();
  }

  @Test
  void nonsenseIsRefusedNamingIt() {
    assertThat(refusal(register(0, "a"))).contains("sluice.tablet.id is 0");
    assertThat(refusal(register(1, ""))).contains("incarnation ''");
    assertThat(refusal(register(1, "a").setFlightPort(0))).contains("Flight port 0");
    assertThat(refusal(register(1, "a").setHost(" "))).contains("host ' '");
    FakeSink empty = new FakeSink();
    sessions.connect(empty).received(TabletMessage.getDefaultInstance());
    work();
    assertThat(empty.failure).hasMessage("The message is empty");
  }

  @Test
  void offlineReplicasAreKeptWhileTheSessionIsOpen() {
    TabletSession session = connect(new FakeSink(), register(1, "a"));
    session.received(
        TabletMessage.newBuilder()
            .setHeartbeat(
                Heartbeat.newBuilder()
                    .addOffline(
                        OfflineReplica.newBuilder()
                            .setBucket(bucket(5, 2))
                            .setReason("segment damaged")))
            .build());
    assertThat(sessions.offlineReplicas()).containsEntry(TableBucket.of(5, 2), "segment damaged");
    session.received(heartbeat());
    assertThat(sessions.offlineReplicas()).isEmpty();
  }

  @Test
  void closeEndsEveryStreamWithARetriableError() {
    FakeSink sink = new FakeSink();
    connect(sink, register(1, "a"));
    sessions.close();
    assertThat(sink.failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  private String refusal(RegisterTablet.Builder message) {
    FakeSink sink = new FakeSink();
    connect(sink, message);
    assertThat(sink.failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    return sink.failure.getMessage();
  }

  private TabletSession connect(FakeSink sink, RegisterTablet.Builder message) {
    TabletSession session = sessions.connect(sink);
    session.received(TabletMessage.newBuilder().setRegister(message).build());
    work();
    return session;
  }

  private void submit(Command command) {
    log.submit(command).join().outcome().orThrow();
    work();
  }

  /** Time passes while the agent works, as it does. */
  private void advance(long ms) {
    for (long left = ms; left > 0; left -= 500) {
      clock.advanceMs(Math.min(left, 500));
      work();
    }
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
        .setFlightPort(9223)
        .setHttpPort(9280)
        .setIncarnation(incarnation)
        .setBootId("boot");
  }

  private static io.sluice.coordinator.metadata.TabletServer.Registration fixture(
      int id, String incarnation) {
    return io.sluice.coordinator.metadata.Fixtures.server(id, incarnation);
  }

  private static TabletMessage heartbeat() {
    return TabletMessage.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();
  }

  private static BucketId bucket(long table, int bucket) {
    return BucketId.newBuilder().setTableId(table).setBucket(bucket).build();
  }

  private static BucketId bucket(long table, long partition, int bucket) {
    return bucket(table, bucket).toBuilder().setPartitionId(partition).build();
  }

  private static WriterEpoch writer(long id, int epoch) {
    return WriterEpoch.newBuilder().setWriterId(id).setWriterEpoch(epoch).build();
  }
}

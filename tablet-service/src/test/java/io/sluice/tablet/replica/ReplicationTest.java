package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.TestBatches;
import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.Await;
import io.sluice.testkit.FaultyFiles.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReplicationTest {
  private static final String NO_SPACE = "No space left on device";

  /** A replica that is offline is kept for so long before it is begun anew. */
  private static final long SETTLING_MS = 5_000;

  @TempDir private Path temp;

  private ReplicaGroup group;

  @BeforeEach
  void open() {
    group = new ReplicaGroup(temp, 3);
    group.awaitLeader(1);
    group.awaitFollowers();
  }

  @AfterEach
  void close() {
    group.close();
  }

  private Answer put(int server, TestBatch batch) {
    return TestTablet.put(group.replica(server), batch, batch.header().baseSequence() - 1);
  }

  private Answer acknowledged(int server, TestBatch batch) throws Exception {
    Answer answer = put(server, batch);
    group.pumpUntil("answered", answer::done);
    answer.get();
    return answer;
  }

  @Test
  void aPutIsAnsweredInTheTurnInWhichTheLastFollowerHasIt() throws Exception {
    Answer answer = put(1, TestBatches.of(3, 5, 0, 0, 100));
    group.drain(1);
    assertThat(answer.done()).isFalse();
    assertThat(group.replica(1).offsets().logEnd()).isEqualTo(3);
    assertThat(group.replica(1).offsets().visible()).isZero();
    // The followers take it in, and say so with their next fetch.
    group.pump.round();
    group.drain(1);
    assertThat(answer.done()).isFalse();
    group.pump.round();
    assertThat(answer.get()).isEqualTo(new Answer.Stored(0, false, 1));
    group.awaitEqual();
    assertThat(group.batches(2)).isEqualTo(group.batches(1));
    assertThat(group.batches(3)).isEqualTo(group.batches(1));
  }

  @Test
  void followersHearOfTheLogEndAndOfWhatIsCommittedOnceATurn() throws Exception {
    AtomicInteger told = new AtomicInteger();
    group.server(1).set().source(ReplicaGroup.BUCKET).addReplicationListener(told::incrementAndGet);
    put(1, TestBatches.plain(1, 10));
    // The end of the turn, which the put was done before.
    Await.until("the followers are told", Duration.ofSeconds(20), () -> told.get() > 0);
    assertThat(told.get()).isEqualTo(1);
    group.awaitEqual();
    assertThat(told.get()).isGreaterThan(1);
  }

  @Test
  void anotherReplicaLeadsOnWithAllThatWasAcknowledgedAndKnowsItsWriters() throws Exception {
    for (int i = 0; i < 5; i++) {
      acknowledged(1, TestBatches.of(2, 5, 0, i * 2, 100));
    }
    group.pump.cut(1);
    group.elect(2);
    group.dropFromIsr(1);
    Replica leader = group.awaitLeader(2);
    assertThat(leader.requireLeader()).isEqualTo(2);
    // The answer was lost: the client sends the batch again.
    Answer again = acknowledged(2, TestBatches.of(2, 5, 0, 8, 100));
    assertThat(again.get()).isEqualTo(new Answer.Stored(8, true, 2));
    assertThat(acknowledged(2, TestBatches.of(2, 5, 0, 10, 100)).get())
        .isEqualTo(new Answer.Stored(10, false, 2));
    assertThat(TestTablet.sequences(leader, 5)).hasSize(6);
  }

  @Test
  void whatALeaderHadForItselfIsCutWhenItComesBack() throws Exception {
    acknowledged(1, TestBatches.of(2, 5, 0, 0, 100));
    group.awaitEqual();
    group.pump.cut(1);
    Answer lost = put(1, TestBatches.of(2, 5, 0, 2, 100));
    group.drain(1);
    group.elect(2);
    group.dropFromIsr(1);
    group.awaitLeader(2);
    acknowledged(2, TestBatches.of(3, 5, 0, 2, 50));
    assertThat(lost.done()).isFalse();
    group.pump.heal(1);
    group.tell(1);
    assertThat(lost.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2));
    assertThat(group.server(1).set().replicationCounters().cuts()).isEqualTo(1);
    group.pumpUntil("in sync again", () -> group.isr().size() == 3);
    // It leads again: its writers are those of the log as it is now.
    group.elect(1);
    group.awaitLeader(1);
    assertThat(acknowledged(1, TestBatches.of(3, 5, 0, 2, 50)).get().duplicate()).isTrue();
    assertThat(acknowledged(1, TestBatches.of(1, 5, 0, 5, 50)).get().baseOffset()).isEqualTo(5);
  }

  @Test
  void oneThatLagsLeavesTheInSyncSetAndComesBack() throws Exception {
    acknowledged(1, TestBatches.plain(1, 10));
    group.pump.cut(3);
    Answer waits = put(1, TestBatches.plain(1, 10));
    group.pump.round();
    group.pump.round();
    group.clock.advanceMs(9_000);
    group.pump.round();
    group.server(1).set().tick();
    group.drain(1);
    assertThat(group.isr()).containsExactly(1, 2, 3);
    assertThat(waits.done()).isFalse();
    group.clock.advanceMs(1_500);
    group.pump.round();
    group.server(1).set().tick();
    group.pumpUntil("server 3 is out", () -> group.isr().equals(List.of(1, 2)));
    assertThat(waits.get().baseOffset()).isEqualTo(1);
    assertThat(group.server(1).set().replicationCounters().shrinks()).isEqualTo(1);
    group.server(1).set().tick();
    group.drain(1);
    ReplicationStats stats = group.server(1).set().replicationStats();
    assertThat(stats).isEqualTo(new ReplicationStats(1, 1, 0, 1, 1));
    group.pump.heal(3);
    group.pumpUntil("server 3 is back", () -> group.isr().size() == 3);
    group.pumpUntil("counted", () -> group.server(1).set().replicationCounters().expands() == 1);
    group.awaitEqual();
  }

  @Test
  void aRefusedProposalIsMadeAgainLater() throws Exception {
    group.dropFromIsr(3);
    group.refuseIsr(true);
    group.pump.round();
    group.pump.round();
    group.drain(1);
    assertThat(group.isr()).containsExactly(1, 2);
    group.refuseIsr(false);
    group.clock.advanceMs(2_000);
    group.pumpUntil("server 3 is back", () -> group.isr().size() == 3);
  }

  @Test
  void withTooFewInSyncPutsAreRefusedBeforeAnythingIsStored() throws Exception {
    acknowledged(1, TestBatches.plain(1, 10));
    group.pump.cut(2);
    group.pump.cut(3);
    Answer waits = put(1, TestBatches.plain(1, 10));
    group.dropFromIsr(2);
    group.dropFromIsr(3);
    Answer refused = put(1, TestBatches.plain(1, 10));
    assertThat(refused.refusal()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
    assertThat(refused.failure())
        .hasMessageContaining("[1]")
        .hasMessageContaining("only 1 of the 2 needed");
    assertThat(group.replica(1).offsets().logEnd()).isEqualTo(2);
    // Alone it commits nothing either.
    assertThat(waits.done()).isFalse();
    group.server(1).set().tick();
    group.drain(1);
    assertThat(group.server(1).set().replicationStats().underMinIsr()).isEqualTo(1);
    group.pump.heal(2);
    group.tell(2);
    group.pumpUntil(
        "server 2 is back",
        () -> {
          // The coordinator refuses server 3 at first, which the leader proposes too.
          group.clock.advanceMs(50);
          return group.isr().equals(List.of(1, 2));
        });
    assertThat(waits.get().baseOffset()).isEqualTo(1);
    acknowledged(1, TestBatches.plain(1, 10));
  }

  @Test
  void aNewLeaderIsNotReadyBeforeAllOfEarlierEpochsIsCommitted() throws Exception {
    Answer first = put(1, TestBatches.of(2, 5, 0, 0, 100));
    group.pump.round();
    group.drain(2);
    group.pump.cut(1);
    group.pump.cut(3);
    group.elect(2);
    group.drain(2);
    Replica leader = group.replica(2);
    // It has the rows, but cannot know whether they are committed.
    assertThatThrownBy(leader::requireLeader)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEADER_NOT_READY));
    assertThat(leader.offsets().visible()).isZero();
    group.pump.heal(3);
    group.tell(3);
    group.dropFromIsr(1);
    group.awaitLeader(2);
    assertThat(leader.offsets().visible()).isEqualTo(2);
    assertThat(acknowledged(2, TestBatches.of(2, 5, 0, 0, 100)).get().duplicate()).isTrue();
    assertThat(first.done()).isFalse();
  }

  @Test
  void newestEpochsOfNamedWritersAreKnownToEveryLeader() throws Exception {
    acknowledged(1, TestBatches.of(2, 5, 3, 0, 100));
    group.elect(2);
    group.awaitLeader(2);
    assertThat(put(2, TestBatches.of(1, 5, 2, 2, 10)).refusal()).isEqualTo(ErrorCode.FENCED_WRITER);
    acknowledged(2, TestBatches.of(1, 5, 4, 2, 10));
    group.elect(3);
    group.awaitLeader(3);
    assertThat(put(3, TestBatches.of(1, 5, 3, 3, 10)).refusal()).isEqualTo(ErrorCode.FENCED_WRITER);
  }

  @Test
  void whatAWriterHasStoredIsToldOnlyWhenItIsCommitted() throws Exception {
    acknowledged(1, TestBatches.of(2, 5, 0, 0, 100));
    put(1, TestBatches.of(2, 5, 0, 2, 100));
    CompletableFuture<Long> asked =
        CompletableFuture.supplyAsync(() -> group.replica(1).writerSequence(5, 0));
    group.drain(1);
    assertThat(asked).isNotDone();
    group.pumpUntil("told", asked::isDone);
    assertThat(asked.get()).isEqualTo(3);
  }

  @Test
  void theLeaseEndsWhenAnInSyncReplicaIsSilent() throws Exception {
    // A follower may still be about to hear whom it follows.
    group.pumpUntil("a lease", this::hasLease);
    group.clock.advanceMs(2_500);
    assertThatThrownBy(() -> group.replica(1).requireLease())
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEADER_NOT_READY));
    group.pump.round();
    group.pump.round();
    group.replica(1).requireLease();
  }

  private boolean hasLease() {
    try {
      group.replica(1).requireLease();
      return true;
    } catch (SluiceException e) {
      return false;
    }
  }

  @Test
  void aFollowerThatGetsDamagedBatchesIsBegunAnew() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    group.pump.inTransit(
        batches -> {
          if (batches.hasRemaining()) {
            int last = batches.limit() - 10;
            batches.put(last, (byte) (batches.get(last) ^ 1));
          }
          return batches;
        });
    put(1, TestBatches.plain(2, 100));
    group.pumpUntil("server 3 is offline", () -> !group.server(3).set().offline().isEmpty());
    assertThat(group.pump.failures())
        .isNotEmpty()
        .allSatisfy(e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH));
    group.pump.inTransit(batches -> batches);
    // Both followers are: the coordinator takes out those that tell it, and one stays.
    group.pumpUntil("server 2 is offline", () -> !group.server(2).set().offline().isEmpty());
    group.dropFromIsr(3);
    group.dropFromIsr(2);
    group.clock.advanceMs(SETTLING_MS);
    group.pumpUntil("both are back", () -> group.isr().size() == 3);
    group.awaitEqual();
    assertThat(group.batches(3)).isEqualTo(group.batches(1));
    assertThat(group.server(3).set().replicationCounters().rebuilds()).isEqualTo(1);
  }

  @Test
  void theLastInSyncCopyIsNotThrownAway() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    ((LocalReplica) group.replica(1)).takeOffline("found damage");
    group.dropFromIsr(2);
    group.dropFromIsr(3);
    group.elect(0);
    group.server(1).set().tick();
    assertThat(group.server(1).set().offline()).hasSize(1);
    assertThat(group.server(1).set().replicationCounters().rebuilds()).isZero();
  }

  @Test
  void aLeaderThatFindsDamageGoesOfflineAndComesBackAsAFollower() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    ((LocalReplica) group.replica(1)).takeOffline("found damage");
    group.elect(2);
    group.dropFromIsr(1);
    group.awaitLeader(2);
    // That it is in sync may be on its way to the coordinator still.
    group.clock.advanceMs(SETTLING_MS - 1);
    group.server(1).set().tick();
    assertThat(group.server(1).set().offline()).hasSize(1);
    assertThat(group.server(1).set().replicationCounters().rebuilds()).isZero();
    group.clock.advanceMs(1);
    group.pumpUntil("server 1 is back", () -> group.isr().size() == 3);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2));
  }

  @Test
  void aFollowerOnAFullDiskGoesOnWhenThereIsRoomAgain() throws Exception {
    group.server(3).diskUsed = 0.93;
    group.server(3).set().housekeeper().doWork();
    acknowledged(1, TestBatches.plain(2, 100));
    group.server(3).diskUsed = 0.96;
    group.server(3).set().housekeeper().doWork();
    Answer waits = put(1, TestBatches.plain(2, 100));
    group.pump.round();
    group.pump.round();
    group.pump.round();
    assertThat(group.pump.failures())
        .isNotEmpty()
        .allSatisfy(e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
    assertThat(waits.done()).isFalse();
    assertThat(group.server(3).set().offline()).isEmpty();
    group.server(3).diskUsed = 0.5;
    group.server(3).set().housekeeper().doWork();
    group.pumpUntil("answered", waits::done);
    group.awaitEqual();
  }

  @Test
  void whatIsCommittedIsKnownAfterARestart() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    put(1, TestBatches.plain(1, 100));
    group.pump.round();
    group.drain(2);
    group.pump.cut(2);
    group.restart(2);
    group.pump.heal(2);
    group.tell(2);
    ReplicaOffsets offsets = group.replica(2).offsets();
    assertThat(offsets.committed()).isEqualTo(2);
    assertThat(offsets.logEnd()).isEqualTo(3);
    group.awaitEqual();
    assertThat(group.server(2).set().replicationCounters().cuts()).isZero();
  }

  @Test
  void offsetsThatTheLakeHasAreNotUsedAgain() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    group.lakeEnd(50);
    group.elect(2);
    group.awaitLeader(2);
    assertThat(acknowledged(2, TestBatches.plain(2, 100)).get().baseOffset()).isEqualTo(50);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2)).hasSize(3);
    assertThat(group.server(2).set().replicationCounters().holes()).isEqualTo(1);
    assertThat(group.server(3).set().replicationCounters().holes()).isEqualTo(1);
    // Another election changes nothing of it.
    group.elect(3);
    group.awaitLeader(3);
    assertThat(acknowledged(3, TestBatches.plain(1, 100)).get().baseOffset()).isEqualTo(52);
    assertThat(group.server(3).set().replicationCounters().holes()).isEqualTo(1);
  }

  @Test
  void rowsBeginAtTheLakesEndAlsoWhenOneRecordAloneIsLost() throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    group.lakeEnd(3);
    group.elect(2);
    group.awaitLeader(2);
    assertThat(acknowledged(2, TestBatches.plain(2, 100)).get().baseOffset()).isEqualTo(3);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2)).hasSize(3);
    assertThat(group.server(2).set().replicationCounters().holes()).isEqualTo(1);
  }

  /** The last copy must not be lost to a disk that was full for a while. */
  @ParameterizedTest
  @ValueSource(strings = {"log-holes.tmp", "00000000000000000049.log", "leader-epochs.tmp"})
  void aLeaderThatFoundNoSpaceBeginsWhenThereIsRoom(String file) throws Exception {
    acknowledged(1, TestBatches.plain(2, 100));
    group.awaitEqual();
    group.lakeEnd(50);
    ReplicaSet set = group.server(2).set();
    group.server(2).files.failAlways(Operation.WRITE, file, NO_SPACE);
    group.elect(2);
    for (int i = 0; i < 3; i++) {
      group.drain(2);
      assertThat(set.offline()).isEmpty();
      assertThatThrownBy(() -> group.replica(2).requireLeader())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.LEADER_NOT_READY));
      set.tick();
    }
    assertThat(set.disk().full()).isTrue();
    group.server(2).files.heal();
    set.tick();
    group.awaitLeader(2);
    set.housekeeper().doWork();
    assertThat(acknowledged(2, TestBatches.plain(2, 100)).get().baseOffset()).isEqualTo(50);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2)).hasSize(3);
    assertThat(set.replicationCounters().holes()).isEqualTo(1);
  }

  @Test
  void followersAreToldWhereTheirLeaderIs() {
    assertThatThrownBy(() -> group.replica(2).requireLeader())
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER);
              assertThat(e.details())
                  .isEqualTo(Map.of("leader_server_id", "1", "leader", "host-1:1"));
            });
    assertThat(group.server(2).set().source(ReplicaGroup.BUCKET).state()).isNull();
    ReplicaStanding standing = group.server(2).set().standing(ReplicaGroup.BUCKET);
    assertThat(standing).isNotNull();
    assertThat(standing.state()).isEqualTo(ReplicaStanding.State.FOLLOWER);
    assertThat(standing.isr()).containsExactly(1, 2, 3);
  }
}

package io.sluice.coordinator.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.testkit.MovedClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BalancerTest {
  private static final TableBucket B0 = TableBucket.of(1, 0);
  private static final TableBucket B1 = TableBucket.of(1, 1);
  private static final TableBucket B2 = TableBucket.of(1, 2);

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock = new MovedClock(5_000);
  private final Balancer balancer = new Balancer(log, clock, 2);
  private final Map<TableBucket, Integer> damaged = new HashMap<>();
  private final ReplicaOperations operations =
      new ReplicaOperations(
          log, balancer, server -> 0, (server, id) -> server.equals(damaged.get(id)));

  @BeforeEach
  void threeBucketsOnTwoOfThreeServers() {
    for (int id = 1; id <= 3; id++) {
      log.submit(Fixtures.register(id, "i"));
    }
    log.submit(Fixtures.createTable("t", List.of(List.of(1, 2), List.of(1, 2), List.of(2, 1))));
    balancer.leading();
  }

  @Test
  void aPlanIsCarriedOutAFewBucketsAtATime() {
    balancer.start(
        List.of(step(B0, List.of(3, 2)), step(B1, List.of(3, 2)), step(B2, List.of(2, 3))), "");
    work();
    assertThat(balancer.progress().moving()).hasSize(2);
    assertThat(balancer.progress().waiting()).isEqualTo(1);
    assertThat(bucket(B0).target()).containsExactly(3, 2);
    assertThat(bucket(B2).moving()).isFalse();
    arrive(B0);
    work();
    assertThat(bucket(B0).leader()).as("the preferred one leads").isEqualTo(3);
    assertThat(bucket(B2).moving()).as("the next one has begun").isTrue();
    arrive(B1);
    arrive(B2);
    work();
    Balancer.Progress over = balancer.progress();
    assertThat(over.state()).isEqualTo(Balancer.State.FINISHED);
    assertThat(over.done()).isEqualTo(3);
    assertThat(over.failed()).isZero();
  }

  @Test
  void aRefusedChangeIsCountedWithItsReasonAndTheOthersGoOn() {
    balancer.start(List.of(step(B0, List.of(9, 2)), step(B1, List.of(3, 2))), "");
    work();
    arrive(B1);
    work();
    Balancer.Progress over = balancer.progress();
    assertThat(over.state()).isEqualTo(Balancer.State.FINISHED);
    assertThat(over.done()).isEqualTo(1);
    assertThat(over.failed()).isEqualTo(1);
    assertThat(over.lastFailure()).contains("9");
  }

  @Test
  void whatSomebodyElseChangesMeanwhileIsNotWaitedFor() {
    balancer.start(List.of(step(B0, List.of(3, 2))), "");
    work();
    log.submit(new Command.CancelReassign(List.of(B0)));
    work();
    assertThat(balancer.progress().state()).isEqualTo(Balancer.State.FINISHED);
    assertThat(balancer.progress().lastFailure()).contains("changed by somebody else");
  }

  @Test
  void aFailingLogFailsTheChangesAndNotTheBalancer() {
    balancer.start(List.of(step(B0, List.of(3, 2))), "");
    log.setAvailable(false);
    work();
    work();
    assertThat(balancer.progress().failed()).isEqualTo(1);
    assertThat(balancer.progress().state()).isEqualTo(Balancer.State.FINISHED);
  }

  @Test
  void oneAtATimeAndOnlyWhereThisCoordinatorLeads() {
    balancer.start(List.of(step(B0, List.of(3, 2))), "");
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> balancer.start(List.of(), ""));
    balancer.following();
    assertThat(balancer.progress().state()).isEqualTo(Balancer.State.IDLE);
    assertRefused(ErrorCode.UNAVAILABLE, () -> balancer.start(List.of(), ""));
    work();
    assertThat(bucket(B0).moving()).as("nothing is begun by one that follows").isFalse();
    balancer.leading();
    assertThat(balancer.start(List.of(), "").state()).isEqualTo(Balancer.State.FINISHED);
  }

  @Test
  void aNewLeaderSaysSinceWhenItKnowsOfPlans() {
    balancer.start(List.of(step(B0, List.of(3, 2)), step(B1, List.of(3, 2))), "");
    work();
    balancer.following();
    assertRefused(ErrorCode.UNAVAILABLE, operations::progress);
    assertRefused(ErrorCode.UNAVAILABLE, operations::cancel);
    clock.advanceMs(60_000);
    balancer.leading();
    Balancer.Progress next = operations.progress();
    assertThat(next.state()).isEqualTo(Balancer.State.IDLE);
    assertThat(next.leadsSinceMs()).isEqualTo(clock.epochMs());
    assertThat(bucket(B0).moving()).as("what is under way goes on").isTrue();
  }

  @Test
  void cancelledItTakesBackWhatIsUnderWay() {
    assertRefused(ErrorCode.NOT_FOUND, balancer::cancel);
    balancer.start(
        List.of(step(B0, List.of(3, 2)), step(B1, List.of(3, 2)), step(B2, List.of(2, 3))), "");
    work();
    assertThat(operations.cancel().join().state()).isEqualTo(Balancer.State.CANCELLED);
    assertThat(Stream.of(B0, B1, B2)).noneMatch(id -> bucket(id).moving());
    assertThat(bucket(B0).replicas()).containsExactly(1, 2);
    work();
    assertThat(Stream.of(B0, B1, B2)).noneMatch(id -> bucket(id).moving());
  }

  @Test
  void drainingMovesEverythingAwayAndThenTheServerCanGo() {
    assertThat(message(operations.decommission(1)))
        .contains("still holds 3 replicas")
        .contains("drain it first");
    operations.drain(1).join();
    assertThat(log.current().state().servers().get(1).state()).isEqualTo(ServerState.DRAINING);
    work();
    Stream.of(B0, B1, B2).filter(id -> bucket(id).moving()).forEach(this::arrive);
    work();
    Stream.of(B0, B1, B2).filter(id -> bucket(id).moving()).forEach(this::arrive);
    work();
    assertThat(balancer.progress().state()).isEqualTo(Balancer.State.FINISHED);
    assertThat(Stream.of(B0, B1, B2)).noneMatch(id -> bucket(id).replicas().contains(1));
    operations.decommission(1).join();
    assertThat(log.current().state().servers().get(1).state())
        .isEqualTo(ServerState.DECOMMISSIONED);
  }

  @Test
  void aMoveToAServerThatDiesIsGivenUp() {
    balancer.start(List.of(step(B0, List.of(3, 2))), "");
    work();
    log.submit(new Command.EndSession(3, "i"));
    work();
    assertThat(bucket(B0).moving()).isFalse();
    assertThat(balancer.progress().state()).isEqualTo(Balancer.State.FINISHED);
    assertThat(balancer.progress().lastFailure()).contains("server 3, its target, died");
  }

  @Test
  void drainingSaysWhatHasNowhereToGoAndWaitsForAnotherRebalance() {
    log.submit(new Command.EndSession(3, "i"));
    Balancer.Progress stays = operations.drain(2).join();
    assertThat(stays.lastFailure()).contains("3 replicas stay on server 2");
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> operations.drain(1));
    assertThat(log.current().state().servers().get(1).state()).isEqualTo(ServerState.ACTIVE);
  }

  @Test
  void theLastCopyIsNamedWhenAServerCannotGo() {
    log.submit(new Command.EndSession(2, "i"));
    assertThat(message(operations.decommission(1)))
        .contains("among them the last in-sync copy of demo.t, bucket 2");
  }

  @Test
  void anUncleanElectionIsRefusedWhileAHealthyReplicaIsAlive() {
    assertThat(message(operations.electUnclean(B0, 2)))
        .contains("needs no unclean election")
        .contains("server 1");
    log.submit(new Command.EndSession(2, "i"));
    log.submit(new Command.EndSession(1, "i"));
    log.submit(Fixtures.register(2, "i2"));
    assertThat(bucket(B0).hasLeader()).isFalse();
    operations.electUnclean(B0, 2).join();
    assertThat(bucket(B0).leader()).isEqualTo(2);
  }

  @Test
  void anUncleanElectionHelpsWhereTheOnlyOneInSyncIsDamagedOrEmpty() {
    log.submit(new Command.EndSession(2, "i"));
    log.submit(Fixtures.register(2, "i2"));
    damaged.put(B0, 2);
    assertThat(message(operations.electUnclean(B0, 2)))
        .as("the damaged one is not the one in sync")
        .contains("needs no unclean election");
    damaged.put(B0, 1);
    operations.electUnclean(B0, 2).join();
    assertThat(bucket(B0).leader()).isEqualTo(2);
    log.submit(new Command.EndSession(1, "i"));
    log.submit(new Command.RegisterServer(Fixtures.server(1, "i3", "boot-1", false), 9, true));
    assertThat(bucket(B1).stranded()).isTrue();
    operations.electUnclean(B1, 2).join();
    assertThat(bucket(B1).leader()).isEqualTo(2);
    assertThat(bucket(B1).stranded()).isFalse();
  }

  @Test
  void preferredReplicasAreGivenTheLeadAgain() {
    log.submit(new Command.Leaving(1, "i"));
    log.submit(Fixtures.register(1, "i2"));
    assertThat(bucket(B0).leader()).isEqualTo(2);
    assertThat(operations.electPreferred().join()).isEqualTo(2);
    assertThat(bucket(B0).leader()).isEqualTo(1);
    assertThat(operations.electPreferred().join()).isZero();
  }

  @Test
  void oneBucketIsMovedAndItsMoveGivenUp() {
    operations.reassign(B0, List.of(3, 2)).join();
    assertThat(bucket(B0).target()).containsExactly(3, 2);
    operations.cancelMove(B0).join();
    assertThat(bucket(B0).moving()).isFalse();
    assertThat(message(operations.reassign(B0, List.of(9)))).contains("9");
  }

  private BalancePlanner.Step step(TableBucket id, List<Integer> to) {
    return new BalancePlanner.Step(id, "demo.t", bucket(id).replicas(), to);
  }

  private Bucket bucket(TableBucket id) {
    return log.current().state().bucket(id);
  }

  private void work() {
    clock.advanceMs(1_000);
    balancer.doWork();
  }

  /** The copies have caught up. */
  private void arrive(TableBucket id) {
    Bucket moving = bucket(id);
    log.submit(
        new Command.AlterIsr(
            moving.leader(),
            List.of(
                new Command.IsrChange(
                    id,
                    moving.leaderEpoch(),
                    moving.isrVersion(),
                    moving.replicas().stream()
                        .map(server -> new Command.IsrMember(server, "i"))
                        .toList()))));
    assertThat(bucket(id).moving()).isFalse();
  }

  private static String message(CompletableFuture<?> future) {
    Throwable failure = future.handle((value, thrown) -> thrown).join();
    assertThat(failure).isNotNull();
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return String.valueOf(cause.getMessage());
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}

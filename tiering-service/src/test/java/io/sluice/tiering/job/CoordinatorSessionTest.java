package io.sluice.tiering.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.tiering.v1.RoundFailed;
import io.sluice.protocol.tiering.v1.RoundFinished;
import io.sluice.protocol.tiering.v1.TableProgress;
import io.sluice.protocol.tiering.v1.WorkerReport;
import io.sluice.testkit.Await;
import io.sluice.tiering.commit.CommitOutcome;
import io.sluice.tiering.commit.Committer;
import io.sluice.tiering.write.WriteSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CoordinatorSessionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final WorkerIdentity IDENTITY =
      new WorkerIdentity("tiering-1", "incarnation-a", "here", "9.9");

  @TempDir private Path directory;
  private final AtomicInteger replaced = new AtomicInteger();
  private BufferAllocator allocator;
  private FakeLog log;
  private FakeLake lake;
  private FakeCoordinator coordinator;
  private ManagedChannel channel;
  private Worker worker;
  private CoordinatorSession session;

  @BeforeEach
  void open() throws IOException {
    allocator = new RootAllocator();
    log = new FakeLog(allocator).bucket(0, 0, 25);
    lake = new FakeLake(directory);
    coordinator = new FakeCoordinator();
  }

  private void start(Duration coordinatorTimeout, long reportMs) {
    TimeSource clock = TimeSource.SYSTEM;
    CoordinatorContact contact = new CoordinatorContact(clock, coordinatorTimeout);
    worker =
        new Worker(
            new WorkerParts(
                log,
                lake,
                new Committer(lake, clock, new Committer.Timings(1, 10, 60_000)),
                new RoundPlanner(1_000_000),
                new WriteSettings(1 << 20, 1 << 20, 1 << 20),
                contact,
                new RoundObserver() {
                  @Override
                  public void phaseEnded(RoundPhase phase, long nanos) {}

                  @Override
                  public void ended(RoundResult result) {}
                },
                clock),
            2);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.port()).usePlaintext().build();
    Coordinators coordinators =
        new Coordinators() {
          @Override
          public Target target() {
            channel.resetConnectBackoff();
            return new Target("fake", channel);
          }

          @Override
          public void failed(Target target, Throwable failure) {}
        };
    session =
        new CoordinatorSession(
            coordinators,
            IDENTITY,
            worker,
            contact,
            clock,
            new SessionTimings(reportMs, 10, 50),
            replaced::incrementAndGet);
    session.start();
    Await.until("a report", SOON, () -> !coordinator.reports.isEmpty());
  }

  @AfterEach
  void close() throws InterruptedException {
    worker.close();
    session.close();
    channel.shutdownNow();
    coordinator.close();
    allocator.close();
  }

  private List<RoundFinished> finished() {
    List<RoundFinished> all = new ArrayList<>();
    coordinator.reports.forEach(report -> all.addAll(report.getFinishedList()));
    return all;
  }

  private List<RoundFailed> failed() {
    List<RoundFailed> all = new ArrayList<>();
    coordinator.reports.forEach(report -> all.addAll(report.getFailedList()));
    return all;
  }

  private List<TableProgress> progress() {
    List<TableProgress> all = new ArrayList<>();
    coordinator.reports.forEach(report -> all.addAll(report.getTablesList()));
    return all;
  }

  @Test
  void saysWhoItIsAndReportsEveryPhaseAndTheEndOfARoundAtOnce() {
    // Reports by the clock alone would come after the test.
    start(Duration.ofMinutes(2), 600_000);
    WorkerReport first = coordinator.reports.get(0);
    assertThat(first.getWorkerId()).isEqualTo("tiering-1");
    assertThat(first.getIncarnation()).isEqualTo("incarnation-a");
    assertThat(first.getHost()).isEqualTo("here");
    assertThat(first.getVersion()).isEqualTo("9.9");
    assertThat(first.getSlots()).isEqualTo(2);
    assertThat(first.getTablesList()).isEmpty();
    CountDownLatch go = new CountDownLatch(1);
    lake.inCommit = () -> awaitUninterruptibly(go);
    coordinator.assign(5, 3, 10_000);
    Await.until(
        "the commit to be reported",
        SOON,
        () -> progress().stream().anyMatch(table -> table.getPhase().equals("committing")));
    TableProgress last = progress().get(progress().size() - 1);
    assertThat(last.getTableId()).isEqualTo(5);
    assertThat(last.getEpoch()).isEqualTo(3);
    assertThat(last.getRoundId()).startsWith("5-3-");
    assertThat(last.getRows()).isEqualTo(25);
    go.countDown();
    Await.until("the end to be reported", SOON, () -> !finished().isEmpty());
    RoundFinished end = finished().get(0);
    assertThat(end.getSnapshotId()).isEqualTo(101);
    assertThat(end.getRows()).isEqualTo(25);
    assertThat(end.getFiles()).isEqualTo(1);
    assertThat(end.getMore()).isFalse();
    assertThat(coordinator.reports.get(coordinator.reports.size() - 1).getTablesList()).isEmpty();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void reportsByTheClockWhenNothingHappens() {
    start(Duration.ofMinutes(2), 20);
    Await.until("five reports", SOON, () -> coordinator.reports.size() >= 5);
    Await.until("connected", SOON, () -> session.connected());
  }

  @Test
  void saysAgainWhatTheLostStreamMayNotHaveDelivered() {
    start(Duration.ofMinutes(2), 600_000);
    coordinator.assign(5, 3, 10_000);
    Await.until("the end to be reported", SOON, () -> finished().size() == 1);
    coordinator.breakStream(new SluiceException(ErrorCode.UNAVAILABLE, "restarting"));
    Await.until("the end to be reported again", SOON, () -> finished().size() == 2);
    assertThat(finished().get(1)).isEqualTo(finished().get(0));
  }

  @Test
  void forgetsResultsOnceTheStreamHasStoodForTwoIntervals() {
    start(Duration.ofMinutes(2), 50);
    coordinator.assign(5, 3, 10_000);
    Await.until("the end to be reported", SOON, () -> finished().size() == 1);
    int seen = coordinator.reports.size();
    Await.until("more reports", SOON, () -> coordinator.reports.size() > seen + 3);
    int streams = coordinator.streams.get();
    coordinator.breakStream(new SluiceException(ErrorCode.UNAVAILABLE, "restarting"));
    Await.until("another stream", SOON, () -> coordinator.streams.get() > streams);
    int before = coordinator.reports.size();
    Await.until("a report", SOON, () -> coordinator.reports.size() > before);
    assertThat(finished()).hasSize(1);
  }

  @Test
  void goesOnWithItsRoundsWhileTheStreamIsDown() {
    start(Duration.ofMinutes(2), 600_000);
    CountDownLatch go = new CountDownLatch(1);
    log.beforePoll = polls -> awaitUninterruptibly(go);
    coordinator.assign(5, 3, 10_000);
    Await.until("the round", SOON, () -> !worker.rounds().isEmpty());
    coordinator.refusal = new SluiceException(ErrorCode.NOT_COORDINATOR_LEADER, "not me");
    coordinator.breakStream(new SluiceException(ErrorCode.UNAVAILABLE, "going"));
    Await.until("attempts", SOON, () -> coordinator.streams.get() > 3);
    go.countDown();
    Await.until("the commit", SOON, () -> lake.commits.size() == 1);
    coordinator.refusal = null;
    Await.until("the end to be reported", SOON, () -> finished().size() == 1);
  }

  @Test
  void dropsWhatIsNotInItsCommitWhenTheCoordinatorIsLostForTooLong() {
    start(Duration.ofMillis(1_500), 100);
    CountDownLatch go = new CountDownLatch(1);
    log.beforePoll =
        polls -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new SluiceException(ErrorCode.CANCELLED, "interrupted", e);
          }
        };
    coordinator.assign(5, 3, 10_000);
    Await.until("the round", SOON, () -> !worker.rounds().isEmpty());
    coordinator.refusal = new SluiceException(ErrorCode.NOT_COORDINATOR_LEADER, "not me");
    coordinator.breakStream(new SluiceException(ErrorCode.UNAVAILABLE, "going"));
    Await.until("the round to be dropped", SOON, () -> worker.rounds().isEmpty());
    coordinator.refusal = null;
    Await.until("the end to be reported", SOON, () -> failed().size() == 1);
    assertThat(failed().get(0).getSuperseded()).isTrue();
    assertThat(failed().get(0).getCause()).contains("coordinator was not reached");
    assertThat(lake.commits).isEmpty();
  }

  @Test
  void obeysAFenceAndReportsTheTableNoMore() {
    start(Duration.ofMinutes(2), 600_000);
    CountDownLatch go = new CountDownLatch(1);
    log.beforePoll =
        polls -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new SluiceException(ErrorCode.CANCELLED, "interrupted", e);
          }
        };
    coordinator.assign(5, 3, 10_000);
    Await.until(
        "the round to read",
        SOON,
        () -> worker.rounds().stream().anyMatch(r -> r.phase().equals("reading")));
    coordinator.fence(5, 3);
    Await.until("the round to be dropped", SOON, () -> worker.busy() == 0);
    Await.until(
        "a report without it",
        SOON,
        () -> coordinator.reports.get(coordinator.reports.size() - 1).getTablesCount() == 0);
    assertThat(failed()).isEmpty();
    assertThat(finished()).isEmpty();
  }

  @Test
  void saysWhatFailedAndWhoseFaultItIs() {
    start(Duration.ofMinutes(2), 600_000);
    lake.outcomes.add(new CommitOutcome.Refused(ErrorCode.INVALID_ARGUMENT, "bad file"));
    coordinator.assign(5, 3, 10_000);
    Await.until("the failure to be reported", SOON, () -> !failed().isEmpty());
    RoundFailed failure = failed().get(0);
    assertThat(failure.getCause()).isEqualTo("lake-service: INVALID_ARGUMENT: bad file");
    assertThat(failure.getScope())
        .isEqualTo(io.sluice.protocol.tiering.v1.FailureScope.FAILURE_TABLE);
    assertThat(failure.getSuperseded()).isFalse();
  }

  @Test
  void stopsForGoodWhenANewerProcessHasItsId() {
    start(Duration.ofMinutes(2), 600_000);
    coordinator.breakStream(new SluiceException(ErrorCode.FENCED_ROUND, "replaced by b"));
    Await.until("replaced", SOON, () -> replaced.get() == 1);
    assertThat(session.connected()).isFalse();
    assertThat(coordinator.streams).hasValue(1);
  }

  @Test
  void aStopIsReportedBeforeTheStreamEnds() {
    start(Duration.ofMinutes(2), 600_000);
    CountDownLatch go = new CountDownLatch(1);
    log.beforePoll =
        polls -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new SluiceException(ErrorCode.CANCELLED, "interrupted", e);
          }
        };
    coordinator.assign(5, 3, 10_000);
    Await.until("the round", SOON, () -> !worker.rounds().isEmpty());
    worker.close();
    session.close();
    Await.until("the end of the stream", SOON, () -> coordinator.endedInOrder.get() == 1);
    assertThat(failed()).hasSize(1);
    assertThat(failed().get(0).getCause()).isEqualTo("The worker stops");
    assertThat(failed().get(0).getSuperseded()).isTrue();
  }
}

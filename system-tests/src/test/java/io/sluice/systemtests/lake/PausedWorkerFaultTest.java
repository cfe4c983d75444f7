package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.protocol.lake.v1.CommitOutcome;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.systemtests.local.LocalServices;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.systemtests.relay.Hook;
import io.sluice.systemtests.relay.Moment;
import io.sluice.systemtests.relay.Relayed;
import io.sluice.testkit.Await;
import io.sluice.tiering.app.TieringApplication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * fence: a worker process that was stopped in its tracks (SIGSTOP) and whose table was given to
 * another worker changes nothing when it goes on, whether it was about to write or to commit.
 */
@ExtendWith(ProcessClusters.class)
final class PausedWorkerFaultTest {
  private static final TablePath BEFORE_WRITING = TablePath.parse("paused.before_writing");
  private static final TablePath BEFORE_COMMIT = TablePath.parse("paused.before_commit");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WORKER = "tiering-1";

  private final CompletableFuture<Void> commitMayPass = new CompletableFuture<>();

  /** Answers to the commits of the worker that is paused, by round. */
  private final Map<String, CommitRoundResponse> answers = new ConcurrentHashMap<>();

  @Test
  void resumedWorkerIsRefused(@TempDir Path dir) throws Exception {
    try (RelayedCluster cluster = new RelayedCluster(dir.resolve("home"));
        Connection connection = cluster.connect();
        LocalServices others = new LocalServices()) {
      cluster.relay(RoundStep.Link.WORKER_TO_LAKE).install(this::seeAnswer);
      String unwritten = pauseAt(cluster, connection, RoundStep.AFTER_PREPARE, BEFORE_WRITING);
      startOtherWorker(others, cluster.processes());
      assertThat(OnceInLake.settle(cluster.lake(), connection, BEFORE_WRITING)).isEqualTo(500);
      List<String> rounds = cluster.lake().table(BEFORE_WRITING).rounds();

      cluster.processes().resume(WORKER);

      awaitReady(cluster.processes());
      LakeTables.appendPlain(connection, BEFORE_WRITING, 500, 600);
      assertThat(OnceInLake.settle(cluster.lake(), connection, BEFORE_WRITING)).isEqualTo(600);
      assertThat(cluster.lake().table(BEFORE_WRITING).rounds())
          .containsAll(rounds)
          .doesNotContain(unwritten);
      others.close();

      String uncommitted = pauseAt(cluster, connection, RoundStep.BEFORE_COMMIT, BEFORE_COMMIT);
      startOtherWorker(others, cluster.processes());
      assertThat(OnceInLake.settle(cluster.lake(), connection, BEFORE_COMMIT)).isEqualTo(500);

      commitMayPass.complete(null);
      Await.until(
          "the lake answered " + uncommitted, PATIENCE, () -> answers.containsKey(uncommitted));
      cluster.processes().resume(WORKER);

      assertThat(answers.get(uncommitted).getOutcome())
          .as("%s", answers.get(uncommitted))
          .isEqualTo(CommitOutcome.REFUSED);
      assertThat(answers.get(uncommitted).getCode()).isEqualTo("FENCED_ROUND");
      awaitReady(cluster.processes());
      LakeTables.appendPlain(connection, BEFORE_COMMIT, 500, 600);
      assertThat(OnceInLake.settle(cluster.lake(), connection, BEFORE_COMMIT)).isEqualTo(600);
      assertThat(cluster.lake().table(BEFORE_COMMIT).rounds()).doesNotContain(uncommitted);
    } finally {
      commitMayPass.complete(null);
    }
  }

  /**
   * Fills a new table and stops the worker when its first round is at the step; the message goes on
   * but for a commit, which is held. Returns the id of the round.
   */
  private String pauseAt(
      RelayedCluster cluster, Connection connection, RoundStep step, TablePath path)
      throws Exception {
    CompletableFuture<String> round = new CompletableFuture<>();
    Hook action =
        message -> {
          cluster.processes().pause(WORKER);
          round.complete(roundOf(message));
          if (step == RoundStep.BEFORE_COMMIT) {
            commitMayPass.join();
          }
          return Hook.Verdict.PASS;
        };
    LakeTables.createPlain(connection, path, 2);
    try (RelayedCluster.Caught trap = cluster.trap(step, action)) {
      LakeTables.appendPlain(connection, path, 0, 500);
      return round.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static String roundOf(Relayed message) throws Exception {
    return message.method().equals("CommitRound")
        ? CommitRoundRequest.parseFrom(message.question()).getRoundId()
        : PrepareRoundRequest.parseFrom(message.question()).getRoundId();
  }

  private Hook.Verdict seeAnswer(Relayed message) throws Exception {
    if (message.is("CommitRound", Moment.ANSWERED)) {
      answers.put(roundOf(message), CommitRoundResponse.parseFrom(message.bytes()));
    }
    return Hook.Verdict.PASS;
  }

  /** A second worker, in this JVM, which talks to the services without relays. */
  private static void startOtherWorker(LocalServices others, ProcessCluster cluster)
      throws Exception {
    others.start(
        TieringApplication.class,
        "--spring.application.name=tiering",
        "--logging.level.org.apache=ERROR",
        "--spring.grpc.server.enabled=false",
        "--server.port=" + LocalServices.freePorts(1).get(0),
        "--sluice.tiering.worker-id=tiering-2",
        "--sluice.tiering.coordinators=" + cluster.coordinators(),
        "--sluice.tiering.lake=" + cluster.grpcAddress("lake-1"),
        "--sluice.tiering.report-interval=300ms",
        "--sluice.tiering.coordinator-timeout=2s",
        "--sluice.cluster.secret-file=" + cluster.secret());
  }

  private static void awaitReady(ProcessCluster cluster) {
    Await.until(WORKER + " is ready", PATIENCE, () -> cluster.run("status").exitCode() == 0);
  }
}

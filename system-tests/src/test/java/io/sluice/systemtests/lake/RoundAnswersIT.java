package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.protocol.lake.v1.CommitOutcome;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.systemtests.relay.GrpcRelay;
import io.sluice.systemtests.relay.Hook;
import io.sluice.systemtests.relay.Moment;
import io.sluice.systemtests.relay.Relayed;
import io.sluice.systemtests.relay.Trap;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Answers of a round that are lost or late: nothing is done twice and nothing is given up. */
final class RoundAnswersIT {
  private static final String DATABASE = "answers";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LakeCluster cluster = LakeCluster.shared();
  private Connection connection;
  private Lake lake;

  @BeforeEach
  void connect() {
    connection = cluster.connect();
    lake = cluster.lake();
  }

  @AfterEach
  void disconnect() {
    lake.close();
    connection.close();
  }

  @Test
  void aCommitWhoseAnswerIsLostIsFoundAndNotDoneAgain() throws Exception {
    Trap trap = Trap.losing(commitOf("lost_commit", Moment.ANSWERED));
    Relayed lost = runWith(cluster.workerToLake(), trap, "lost_commit");
    assertThat(CommitRoundResponse.parseFrom(lost.bytes()).getOutcome())
        .isEqualTo(CommitOutcome.COMMITTED);
    String round = CommitRoundRequest.parseFrom(lost.question()).getRoundId();
    assertThat(lake.table(path("lost_commit")).rounds()).containsOnlyOnce(round);
  }

  @Test
  void aCommitThatNeverArrivedIsDoneInAnotherRoundOrAgain() {
    runWith(
        cluster.workerToLake(),
        Trap.losing(commitOf("lost_request", Moment.ASKED)),
        "lost_request");
  }

  @Test
  void aLostAnswerToPrepareOnlyCostsTime() {
    runWith(
        cluster.workerToLake(),
        Trap.losing(
            message ->
                message.is("PrepareRound", Moment.ANSWERED)
                    && prepares(message).getTableId() == tableId("lost_prepare")),
        "lost_prepare");
  }

  @Test
  void aRecordWhoseAnswerIsLostIsRecordedOnce() throws Exception {
    Relayed lost =
        runWith(
            cluster.lakeToCoordinator(),
            Trap.losing(recordOf("lost_record", Moment.ANSWERED)),
            "lost_record");
    String round = RoundCommittedRequest.parseFrom(lost.question()).getRoundId();
    assertThat(lake.table(path("lost_record")).rounds()).containsOnlyOnce(round);
  }

  @Test
  void aRecordThatNeverArrivedIsCaughtUpFromTheLake() throws Exception {
    Relayed lost =
        runWith(
            cluster.lakeToCoordinator(),
            Trap.losing(recordOf("lost_record_request", Moment.ASKED)),
            "lost_record_request");
    String round = RoundCommittedRequest.parseFrom(lost.bytes()).getRoundId();
    assertThat(lake.table(path("lost_record_request")).rounds()).containsOnlyOnce(round);
  }

  /** The first round of a table meets the trap; all the same its rows are in the lake once. */
  private Relayed runWith(GrpcRelay relay, Trap trap, String table) {
    LakeTables.createPlain(connection, path(table), 2);
    try (GrpcRelay.Installed installed = relay.install(trap)) {
      LakeTables.appendPlain(connection, path(table), 0, 500);
      Relayed caught = trap.await("a round of " + table + " meets the trap", PATIENCE);
      assertThat(OnceInLake.settle(lake, connection, path(table))).isEqualTo(500);
      LakeTables.appendPlain(connection, path(table), 500, 700);
      assertThat(OnceInLake.settle(lake, connection, path(table))).isEqualTo(700);
      return caught;
    }
  }

  /**
   * fence: the commit of a worker is held up until its table was given to another one and that one
   * committed; then it arrives, with files that were written in good faith.
   */
  @Test
  void aCommitThatArrivesAfterItsTableWasGivenAwayIsRefused() throws Exception {
    String table = "late_commit";
    LakeTables.createPlain(connection, path(table), 2);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    CompletableFuture<Relayed> answer = new CompletableFuture<>();
    List<String> roundIds = Collections.synchronizedList(new ArrayList<>());
    Trap held =
        Trap.of(
            commitOf(table, Moment.ASKED),
            message -> {
              roundIds.add(commits(message.bytes()).getRoundId());
              goOn.join();
              return Hook.Verdict.PASS;
            });
    Hook silence =
        message ->
            message.is("Work", Moment.ASKED) && !roundIds.isEmpty() && !goOn.isDone()
                ? Hook.Verdict.LOSE
                : Hook.Verdict.PASS;
    Hook answers =
        message -> {
          if (message.is("CommitRound", Moment.ANSWERED)
              && roundIds.contains(commits(message.question()).getRoundId())) {
            answer.complete(message);
          }
          return Hook.Verdict.PASS;
        };
    ConfigurableApplicationContext other = null;
    try (GrpcRelay.Installed first = cluster.workerToLake().install(held);
        GrpcRelay.Installed second = cluster.workerToCoordinator().install(silence);
        GrpcRelay.Installed third = cluster.workerToLake().install(answers)) {
      LakeTables.appendPlain(connection, path(table), 0, 300);
      Await.until("the first worker commits", PATIENCE, () -> !roundIds.isEmpty());
      other = cluster.startWorker("tiering-2");
      assertThat(OnceInLake.settle(lake, connection, path(table))).isEqualTo(300);
      List<String> before = lake.table(path(table)).rounds();

      goOn.complete(null);

      CommitRoundResponse refused =
          CommitRoundResponse.parseFrom(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).bytes());
      assertThat(refused.getOutcome()).as("%s", refused).isEqualTo(CommitOutcome.REFUSED);
      assertThat(refused.getCode()).isEqualTo("FENCED_ROUND");
      assertThat(lake.table(path(table)).rounds())
          .containsAll(before)
          .doesNotContain(roundIds.get(0));
      LakeTables.appendPlain(connection, path(table), 300, 400);
      assertThat(OnceInLake.settle(lake, connection, path(table))).isEqualTo(400);
    } finally {
      goOn.complete(null);
      if (other != null) {
        cluster.stop(other);
      }
    }
  }

  /** The worker is free for others, and nothing of the round is seen anywhere. */
  @Test
  void aCommitOfATableThatWasDroppedIsRefused() throws Exception {
    String table = "dropped_meanwhile";
    LakeTables.createPlain(connection, path(table), 1);
    long id = tableId(table);
    CompletableFuture<Relayed> answer = new CompletableFuture<>();
    Trap dropping =
        Trap.of(
            message ->
                message.is("CommitRound", Moment.ASKED)
                    && commits(message.question()).getTableId() == id,
            message -> {
              connection.admin().dropTable(path(table), false);
              return Hook.Verdict.PASS;
            });
    Hook answers =
        message -> {
          if (message.is("CommitRound", Moment.ANSWERED)
              && commits(message.question()).getTableId() == id) {
            answer.complete(message);
          }
          return Hook.Verdict.PASS;
        };
    try (GrpcRelay.Installed first = cluster.workerToLake().install(dropping);
        GrpcRelay.Installed second = cluster.workerToLake().install(answers)) {
      LakeTables.appendPlain(connection, path(table), 0, 100);
      CommitRoundResponse refused =
          CommitRoundResponse.parseFrom(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).bytes());
      assertThat(refused.getOutcome()).as("%s", refused).isEqualTo(CommitOutcome.REFUSED);
    }
    Await.until(
        "the queue does not list the table",
        PATIENCE,
        () -> lake.get("/api/v1/tiering/tables/" + DATABASE + "/" + table).status() == 404);
    assertThat(lake.table(path(table)).hasSnapshot()).isFalse();
    LakeTables.createPlain(connection, path("after_the_drop"), 1);
    LakeTables.appendPlain(connection, path("after_the_drop"), 0, 10);
    assertThat(OnceInLake.settle(lake, connection, path("after_the_drop"))).isEqualTo(10);
  }

  private static TablePath path(String table) {
    return new TablePath(DATABASE, table);
  }

  private long tableId(String table) {
    return connection.admin().describe(path(table)).tableId();
  }

  private Predicate<Relayed> commitOf(String table, Moment moment) {
    return message ->
        message.is("CommitRound", moment)
            && commits(message.question()).getTableId() == tableId(table);
  }

  private Predicate<Relayed> recordOf(String table, Moment moment) {
    return message -> {
      try {
        return message.is("RoundCommitted", moment)
            && RoundCommittedRequest.parseFrom(message.question()).getTableId() == tableId(table);
      } catch (com.google.protobuf.InvalidProtocolBufferException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  private static CommitRoundRequest commits(byte[] bytes) {
    try {
      return CommitRoundRequest.parseFrom(bytes);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private static PrepareRoundRequest prepares(Relayed message) {
    try {
      return PrepareRoundRequest.parseFrom(message.question());
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}

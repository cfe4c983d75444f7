package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.MetadataLog.Applied;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Groups of three listed peers: who leads, what is lost when one is, and who may answer. */
@Timeout(180)
class RaftGroupTest {
  private static final long NO_SNAPSHOTS = 1_000_000;

  @TempDir Path home;

  private static Command createDatabase(String name) {
    return new Command.CreateDatabase(name, "", 1);
  }

  private static boolean has(MetadataImage image, String database) {
    return image.state().databases().containsKey(database);
  }

  private static SluiceException failure(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      return (SluiceException) e.getCause();
    }
    throw new AssertionError("It did not fail");
  }

  @Test
  void followersNameTheLeaderAndAnotherOneLeadsWhenItStops() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, NO_SNAPSHOTS).startAll()) {
      String leader = cluster.leaderId();
      cluster.submit(createDatabase("demo"));
      RaftMetadataLog follower = cluster.log(cluster.followerId());
      SluiceException refused = failure(follower.submit(new Command.InitWriter("w")));
      assertThat(refused.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
      assertThat(refused.details())
          .containsEntry("leader", cluster.member(leader).grpcAddress())
          .doesNotContainKey("outcome");
      assertThat(follower.notLeading().details())
          .containsEntry("leader", cluster.member(leader).grpcAddress());
      assertThat(cluster.leader().notLeading()).isNull();
      CoordinatorGroup group = follower.group();
      assertThat(group.role()).isEqualTo(Role.FOLLOWER);
      assertThat(group.leader()).isEqualTo(leader);
      assertThat(group.member(leader)).isEqualTo(cluster.member(leader));

      cluster.stop(leader);
      RaftMetadataLog next = cluster.leader();
      assertThat(has(next.readLatest().join(), "demo")).isTrue();
      cluster.submit(createDatabase("after"));
      for (String id : cluster.ids()) {
        assertThat(has(cluster.read(id), "after")).isTrue();
      }
      cluster.awaitAgreement();
      assertThat(next.group().role()).isEqualTo(Role.LEADER);
    }
  }

  @Test
  void everyCoordinatorReadsWhatWasCompletedBefore() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, NO_SNAPSHOTS).startAll()) {
      for (int i = 0; i < 20; i++) {
        String database = "d" + i;
        cluster.submit(createDatabase(database));
        for (String id : cluster.ids()) {
          assertThat(has(cluster.read(id), database)).isTrue();
        }
      }
    }
  }

  @Test
  void theStateSurvivesARestartOfEachAndOfAll() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, 50).startAll()) {
      for (int i = 1; i <= 3; i++) {
        String id = String.valueOf(i);
        cluster.submit(createDatabase("before" + i));
        cluster.stop(id);
        cluster.submit(createDatabase("without" + i));
        cluster.start(id);
        cluster.awaitAgreement();
      }
      for (int i = 0; i < 60; i++) {
        cluster.submit(new Command.InitWriter("w" + i % 7));
      }
      MetadataImage expected = cluster.read();
      cluster.stopAll();
      cluster.startAll();
      assertThat(cluster.read().state()).isEqualTo(expected.state());
      cluster.awaitAgreement();
    }
  }

  @Test
  void oneThatHasFallenBehindTheLogIsGivenASnapshot() throws Exception {
    // As large as commands may be, so that the files of the log are soon full and deleted.
    String comment = "c".repeat(RaftMetadataLog.MAX_COMMAND - 1000);
    try (RaftCluster cluster = new RaftCluster(home, 3, 3).startAll()) {
      cluster.submit(createDatabase("first"));
      cluster.awaitAgreement();
      String behind = cluster.followerId();
      cluster.stop(behind);
      for (int i = 0; i < 7; i++) {
        cluster.submit(new Command.CreateDatabase("large", comment, i));
        cluster.submit(new Command.DropDatabase("large", false));
      }
      cluster.submit(createDatabase("last"));

      Heard heard = new Heard();
      RaftMetadataLog log = cluster.prepare(behind);
      log.addListener(heard);
      log.start();
      cluster.awaitAgreement();
      assertThat(heard.replaced).isNotEmpty();
      // It goes on from there, also after a restart, and takes its part.
      cluster.submit(createDatabase("after"));
      cluster.stop(behind);
      cluster.start(behind);
      cluster.stop(cluster.leaderId());
      cluster.submit(createDatabase("more"));
      cluster.awaitAgreement();
    }
  }

  @Test
  void whatWasAcknowledgedSurvivesTheLeaderAndTheRestIsReportedAsUnknown() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, NO_SNAPSHOTS).startAll()) {
      RaftMetadataLog leader = cluster.leader();
      List<CompletableFuture<Applied>> sent = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        sent.add(leader.submit(createDatabase("d" + i)));
      }
      sent.get(20).join();
      cluster.stop(cluster.leaderId());
      MetadataImage image = cluster.read();
      for (int i = 0; i < sent.size(); i++) {
        Await.until("request " + i + " ends", RaftCluster.SOON, sent.get(i)::isDone);
        if (!sent.get(i).isCompletedExceptionally()) {
          assertThat(has(image, "d" + i)).as("d" + i + " was acknowledged").isTrue();
          continue;
        }
        SluiceException why = failure(sent.get(i));
        assertThat(why.code().retriable()).as("%s", why).isTrue();
        // The same request once more has the same effect, whatever became of the first.
        Outcome again = cluster.submit(createDatabase("d" + i)).outcome();
        assertThat(again instanceof Outcome.Accepted).isEqualTo(!has(image, "d" + i));
      }
    }
  }

  @Test
  void aMinorityNeitherAnswersNorDecides() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, NO_SNAPSHOTS).startAll()) {
      String alone = cluster.leaderId();
      RaftMetadataLog log = cluster.log(alone);
      log.submit(createDatabase("kept")).join();
      for (String other : List.of("1", "2", "3")) {
        if (!other.equals(alone)) {
          cluster.stop(other);
        }
      }
      CompletableFuture<Applied> undecided = log.submit(createDatabase("undecided"));
      SluiceException why = failure(undecided);
      assertThat(why.code().retriable()).isTrue();
      Await.until("it has given up the leadership", RaftCluster.SOON, () -> !log.leads());
      assertThat(failure(log.readLatest()).code().retriable()).isTrue();
      assertThat(failure(log.submit(createDatabase("no"))).code().retriable()).isTrue();

      cluster.startAll();
      assertThat(has(cluster.read(), "kept")).isTrue();
      assertThat(has(cluster.read(), "no")).isFalse();
    }
  }

  /** What a listener is told of. */
  private static final class Heard implements MetadataLog.Listener {
    private final List<MetadataImage> replaced = new CopyOnWriteArrayList<>();

    @Override
    public void applied(MetadataImage image, List<Event> events) {}

    @Override
    public void leading() {}

    @Override
    public void following() {}

    @Override
    public void replaced(MetadataImage image) {
      replaced.add(image);
    }
  }
}

package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.BucketDescription;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ProcessClusters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The in-sync set of an idle table does not shrink for nothing, and is whole again soon after it
 * shrank for something. Takes minutes, so it runs with soaks only.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak", matches = "true")
final class InSyncSetFaultTest {
  private static final String PATH = "idle.rows";
  private static final int RESTARTS = 8;
  private static final int STOPS = 5;
  private static final Duration BETWEEN = Duration.ofSeconds(5);
  private static final Duration WHOLE_AGAIN = Duration.ofSeconds(30);

  @Test
  void staysWholeWhileCoordinatorsRestart(@TempDir Path dir) {
    try (ReplicatedCluster cluster = start(dir)) {
      for (int restart = 0; restart < RESTARTS; restart++) {
        cluster.processes().restart(ReplicatedCluster.coordinator(cluster.coordinatorLeader()));
        long until = System.nanoTime() + BETWEEN.toNanos();
        do {
          assertThat(inSync(cluster)).as("restart %s", restart).allMatch(set -> set.size() == 3);
          Client.pause(Duration.ofMillis(200));
        } while (System.nanoTime() < until);
      }
    }
  }

  /** Answers to what leaders ask for are lost again and again while a follower comes and goes. */
  @Test
  void isWholeAgainThoughAnswersOfTheCoordinatorsAreLost(@TempDir Path dir) {
    try (ReplicatedCluster cluster = start(dir)) {
      int leader = cluster.leader(PATH, 0);
      String follower = ReplicatedCluster.tablet(Scene.others(leader).get(0));
      List<Link> links = cluster.network().toCoordinators(leader);
      for (int stop = 0; stop < STOPS; stop++) {
        cluster.processes().kill(follower);
        // As long as nothing is missed by anybody a session is kept.
        for (int loss = 0; loss < 3; loss++) {
          links.forEach(Link::cutAnswers);
          Client.pause(Duration.ofSeconds(2));
          cluster.network().heal();
          links.forEach(Link::reset);
          Client.pause(Duration.ofSeconds(2));
        }
        cluster.processes().restart(follower);
      }
      cluster.awaitInSync(List.of(PATH), WHOLE_AGAIN);
    }
  }

  private static ReplicatedCluster start(Path dir) {
    ReplicatedCluster cluster = ReplicatedCluster.start(dir.resolve("home"), 3);
    cluster.connection().admin().createDatabase("idle", true);
    LogTable.create(cluster.connection(), PATH, 3, ReplicatedCluster.TABLETS);
    cluster.awaitInSync(List.of(PATH), Duration.ofSeconds(60));
    return cluster;
  }

  private static List<List<Integer>> inSync(ReplicatedCluster cluster) {
    List<List<Integer>> sets = new ArrayList<>();
    for (BucketDescription bucket :
        cluster.connection().admin().describe(TablePath.parse(PATH)).buckets()) {
      assertThat(bucket.inSync()).contains(bucket.leaderServerId());
      sets.add(bucket.inSync());
    }
    return sets;
  }
}

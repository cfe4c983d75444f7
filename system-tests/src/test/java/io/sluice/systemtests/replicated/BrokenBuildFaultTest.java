package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Scene.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The checker finds what it is there to find: on real processes in which one rule is broken, it
 * says so. Each test starts a cluster of its own, so they run with soaks only.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak", matches = "true")
final class BrokenBuildFaultTest {
  @TempDir Path dir;

  @Test
  void leaderThatCommitsAloneLosesAcknowledgedRows() {
    // Changes of cells of all buckets are always under way.
    List<String> found = find(Mutant.commitsAlone(), Workload.Load.LIGHT, Kind.CELLS);
    assertThat(found).anySatisfy(each -> assertThat(each).startsWith("durable-ack"));
  }

  /**
   * Where batches do not end at the same offsets the follower finds out by itself and is rebuilt;
   * the batches of one source do, which are sent again as they were.
   */
  @Test
  void logsThatPartAndAreNotCutDiffer() {
    List<String> found =
        find(Mutant.neverDiverges(), new Workload.Load(1, 3, 1, 2, 1, 250), Kind.LOG);
    assertThat(found).anySatisfy(each -> assertThat(each).startsWith("same-log"));
  }

  @Test
  void leaderWithoutALeaseReadsOldRows() {
    try (ReplicatedCluster cluster =
            ReplicatedCluster.start(dir.resolve("home"), 1, Mutant.leaseForEver().javaOption(dir));
        Trial trial =
            Trial.start(cluster, "broken", Workload.Load.LIGHT, new SplittableRandom(1))) {
      trial.during(
          () -> assertThat(IsolatedLeader.read(trial.scene())).contains("read-your-write"));
    }
  }

  /** A leader has records that its followers never got, dies and comes back. */
  private List<String> find(Mutant mutant, Workload.Load load, Kind kind) {
    try (ReplicatedCluster cluster =
            ReplicatedCluster.start(dir.resolve("home"), 1, mutant.javaOption(dir));
        Trial trial = Trial.start(cluster, "broken", load, new SplittableRandom(1))) {
      Scene scene = trial.scene();
      Target target = new Target(scene.workload().path(kind), 0);
      int leader = scene.leader(target);
      List<Link> links = scene.network().fetchesFrom(leader);
      scene.cut(links);
      scene.hold(2, 2);
      scene.killCutOff(leader, links);
      cluster.awaitOtherLeader(target.path(), target.bucket(), leader);
      scene.hold(2, 2);
      scene.restart(ReplicatedCluster.tablet(leader));
      scene.hold(3, 3);
      return trial.find();
    }
  }
}

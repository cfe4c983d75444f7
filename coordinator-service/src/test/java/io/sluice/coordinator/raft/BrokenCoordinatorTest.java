package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Coordinators that meet a command they cannot apply: they neither lead nor answer any more. */
@Timeout(180)
class BrokenCoordinatorTest {
  private static final long NO_SNAPSHOTS = 1_000_000;

  @TempDir Path home;

  private static Command createDatabase(String name) {
    return new Command.CreateDatabase(name, "", 1);
  }

  private static SluiceException failure(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      return SluiceException.findIn(e);
    }
    throw new AssertionError("It did not fail");
  }

  private static boolean has(MetadataImage image, String database) {
    return image.state().databases().containsKey(database);
  }

  @Test
  void aLeaderThatCannotApplyACommandMakesWayForAnother() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, NO_SNAPSHOTS)) {
      List<Heard> heard = List.of(new Heard(), new Heard(), new Heard());
      for (int i = 0; i < heard.size(); i++) {
        RaftMetadataLog log = cluster.prepare(String.valueOf(i + 1));
        log.addListener(heard.get(i));
        log.start();
      }
      String broken = cluster.leaderId();
      cluster.brittle.add(broken);
      RaftMetadataLog log = cluster.log(broken);
      SluiceException why = failure(log.submit(createDatabase(RaftCluster.POISON)));
      assertThat(why.code() == ErrorCode.INTERNAL || why.details().containsKey("outcome"))
          .as("the others may have made the change: %s", why)
          .isTrue();

      assertThat(cluster.leaderId()).isNotEqualTo(broken);
      assertThat(log.isBroken()).isTrue();
      assertThat(heard.get(Integer.parseInt(broken) - 1).broken)
          .first()
          .asString()
          .contains("index")
          .contains("no poison");
      cluster.submit(createDatabase("after"));
      assertThat(has(cluster.read(), RaftCluster.POISON)).isTrue();
      SluiceException refused = failure(log.readLatest());
      assertThat(refused.code().retriable()).as("%s", refused).isTrue();

      // It still counts for the majority, and elects the only one that can lead.
      cluster.stop(cluster.leaderId());
      assertThat(cluster.leaderId()).isNotEqualTo(broken);
      cluster.submit(createDatabase("last"));

      // A version that knows the command goes on where the log does.
      cluster.brittle.clear();
      cluster.stop(broken);
      cluster.start(broken);
      cluster.awaitAgreement();
      assertThat(cluster.log(broken).isBroken()).isFalse();
      assertThat(has(cluster.read(broken), "last")).isTrue();
    }
  }

  @Test
  void aSingleOneLeadsNoMoreUntilItCanApplyTheCommand() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 1, NO_SNAPSHOTS).startAll()) {
      cluster.submit(createDatabase("before"));
      cluster.brittle.add("1");
      failure(cluster.log("1").submit(createDatabase(RaftCluster.POISON)));
      awaitNoLeader(cluster.log("1"));
      assertThat(failure(cluster.log("1").submit(createDatabase("no"))).code().retriable())
          .isTrue();

      cluster.stop("1");
      RaftMetadataLog again = cluster.start("1");
      Await.until("it meets the command again", RaftCluster.SOON, again::isBroken);
      awaitNoLeader(again);

      cluster.stop("1");
      cluster.brittle.clear();
      cluster.start("1");
      assertThat(has(cluster.read(), RaftCluster.POISON)).isTrue();
      assertThat(has(cluster.read(), "before")).isTrue();
    }
  }

  private static void awaitNoLeader(RaftMetadataLog log) {
    Await.until("it gives up", RaftCluster.SOON, () -> log.group().leader() == null);
    assertThat(log.group().role()).isNotEqualTo(Role.LEADER);
    assertThat(log.leads()).isFalse();
    assertThat(log.notLeading().code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
  }

  /** What a listener is told of. */
  private static final class Heard implements MetadataLog.Listener {
    private final List<SluiceException> broken = new CopyOnWriteArrayList<>();

    @Override
    public void applied(MetadataImage image, List<Event> events) {}

    @Override
    public void leading() {}

    @Override
    public void following() {}

    @Override
    public void replaced(MetadataImage image) {}

    @Override
    public void broken(SluiceException why) {
      broken.add(why);
    }
  }
}

package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.snapshot.BucketSnapshots;
import io.sluice.testkit.Await;
import io.sluice.testkit.MovedClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica of rows that follows: at hand when it has to lead, and rebuilt when it must be. */
final class KvStandbyTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int SMALL = 1000;

  @TempDir private Path temp;
  private final MovedClock clock = new MovedClock(1_700_000_000_000L);
  private final FakeIdGrants ids = new FakeIdGrants();
  private final HostedTable table = StandbyPuts.table(Map.of());
  private final List<StandbyNode> nodes = new ArrayList<>();
  private StandbyNode leader;
  private StandbyNode follower;
  private LocalCheckpoints checkpoints;

  @BeforeEach
  void start() {
    leader = node(1, 1 << 28);
    follower = node(2, 1 << 28);
    connect(follower);
    leader.lead(1);
    follower.follow(leader);
  }

  private StandbyNode node(int id, long maxReplayBytes) {
    StandbyNode node =
        new StandbyNode(id, temp.resolve("node" + id), table, clock, ids, maxReplayBytes);
    nodes.add(node);
    return node;
  }

  private void connect(StandbyNode node) {
    checkpoints = new LocalCheckpoints(leader.host);
    node.host.checkpoints(checkpoints);
  }

  @AfterEach
  void stop() {
    nodes.forEach(StandbyNode::close);
  }

  /** The follower takes everything, and what is committed is shown by the leader. */
  private void replicate() {
    while (follower.log.endOffset() < leader.log.endOffset()
        || follower.committed < leader.log.endOffset()) {
      follower.fetch(leader);
      leader.committed = Math.min(leader.log.endOffset(), follower.log.endOffset());
      leader.kv.apply(leader.committed);
    }
    follower.standBy();
  }

  /** The log of the leader loses its beginning, as retention does to it. */
  private void trimLeader() {
    leader.kv.store().flush();
    leader.log.force();
    leader.log.trimTo(leader.committed);
    assertThat(leader.log.startOffset()).as("the log has lost its beginning").isPositive();
  }

  private void putMuch(int from, int batches) {
    for (int i = 0; i < batches; i++) {
      StandbyPuts.numbers(leader, from + 500 * i, from + 500 * (i + 1), "a rather long text ");
    }
  }

  private static List<Path> named(Path directory, String part) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(path -> path.getFileName().toString().contains(part)).sorted().toList();
    }
  }

  @Test
  void aStandbyLeadsWithoutReadingItsLog() {
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 50, "a");
    replicate();
    // Not committed, but on its way into the rows.
    StandbyPuts.numbers(leader, 50, 60, "b");
    follower.fetch(leader);
    assertThat(follower.kv.ready()).isTrue();
    assertThat(follower.kv.applied()).isEqualTo(50);
    follower.epoch = 2;
    follower.log.startEpoch(2);
    assertThat(follower.kv.catchUp(follower.committed, () -> {}))
        .as("in one turn that has nothing to load")
        .isEqualTo(KvReplica.Progress.DONE);
    follower.kv.lead(2);
    // Evaluated against what is not committed yet.
    StandbyPuts.numbers(follower, 50, 60, "b");
    assertThat(follower.log.endOffset()).isEqualTo(60);
    follower.committed = 60;
    follower.kv.apply(60);
    follower.assertStateIsFold();
  }

  /** Nothing is committed while too few are in sync, and nobody joins them who is not ready. */
  @Test
  void aFollowerOfManyUncommittedRecordsIsReady() {
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 10, "a");
    replicate();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 240; i++) {
      StandbyPuts.numbers(leader, i, i + 1, noise(random, 100_000));
      // Only there: the buffer of a leader would refuse more.
      leader.kv.apply(leader.log.endOffset());
    }
    follower.fetchBytes = 1 << 20;
    while (follower.log.endOffset() < leader.log.endOffset()) {
      follower.fetch(leader);
    }
    assertThat(follower.kv.applied()).isEqualTo(10);
    assertThat(follower.log.sizeBytes()).as("far more than it may load").isGreaterThan(18 << 20);
    assertThat(follower.kv.ready()).isTrue();

    // Whoever leads next may have more committed than this one has heard of.
    follower.follow(leader);
    follower.standBy();
    assertThat(follower.kv.ready()).isFalse();
    follower.fetch(leader);
    assertThat(follower.kv.ready()).isTrue();

    leader.committed = leader.log.endOffset();
    follower.fetch(leader);
    assertThat(follower.kv.applied()).isEqualTo(leader.log.endOffset());
    assertThat(follower.rows()).isEqualTo(leader.rows());
  }

  private static String noise(SplittableRandom random, int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) (' ' + random.nextInt(90)));
    }
    return text.toString();
  }

  @Test
  void aLeaderThatIsNoMoreForgetsWhatIsCut() {
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 20, "a");
    replicate();
    StandbyPuts.numbers(leader, 0, 10, "never committed ");
    StandbyNode old = leader;
    follower.lead(2);
    leader = follower;
    follower = old;
    connect(follower);
    follower.follow(leader);
    StandbyPuts.numbers(leader, 0, 10, "b");
    replicate();
    follower.assertStateIsFold();
    assertThat(follower.rows()).isEqualTo(leader.rows());
  }

  @Test
  void rowsThatTheLogHasLostComeFromTheLeader() throws Exception {
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    trimLeader();
    follower.fetch(leader);
    assertThat(follower.log.startOffset()).isEqualTo(leader.log.startOffset());
    assertThat(follower.kv.ready()).isFalse();
    awaitSame();
    assertThat(checkpoints.fetches()).isEqualTo(1);
    assertThat(named(leader.directory.resolve(BucketSnapshots.DIRECTORY), "sending")).isEmpty();
    assertThat(named(follower.directory, "fetching")).isEmpty();
    // The changelog goes on from there.
    StandbyPuts.numbers(leader, 0, 40, "c");
    replicate();
    awaitSame();
    follower.crash();
    follower.follow(leader);
    awaitSame();
    assertThat(checkpoints.fetches()).isLessThanOrEqualTo(2);
  }

  private void awaitSame() {
    Await.until(
        "same rows",
        SOON,
        () -> {
          follower.fetch(leader);
          return follower.kv.ready() && follower.kv.applied() == leader.kv.applied();
        });
    assertThat(follower.rows()).isEqualTo(leader.rows());
    assertThat(follower.kv.rowCount()).isEqualTo(leader.kv.rowCount());
  }

  @Test
  void rowsWaitUntilTheLogReachesThem() {
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    leader.log.force();
    leader.kv.store().flush();
    leader.log.trimTo(leader.committed / 2);
    follower.fetchBytes = 1;
    follower.fetch(leader);
    Await.until(
        "fetched",
        SOON,
        () -> {
          follower.standBy();
          return checkpoints.fetches() == 1;
        });
    while (follower.log.endOffset() < leader.log.endOffset()) {
      assertThat(follower.kv.ready()).isFalse();
      assertThat(follower.kv.applied()).isLessThanOrEqualTo(follower.log.endOffset());
      follower.fetch(leader);
    }
    awaitSame();
    assertThat(checkpoints.fetches()).isEqualTo(1);
  }

  @Test
  void whatIsDamagedOnItsWayIsFetchedAgain() {
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    trimLeader();
    checkpoints.change(
        content -> {
          content.put(0, (byte) (content.get(0) ^ 1));
          return content;
        });
    follower.fetch(leader);
    awaitFailures(1);
    checkpoints.change(content -> ByteBuffer.wrap(new byte[content.remaining() + 1]));
    awaitFailures(2);
    checkpoints.change(content -> content);
    checkpoints.breakAfter(2);
    awaitFailures(3);
    checkpoints.breakAfter(Integer.MAX_VALUE);
    awaitSame();
  }

  private void awaitFailures(int count) {
    Await.until(
        "failures",
        SOON,
        () -> {
          follower.standBy();
          return checkpoints.failures() >= count;
        });
    assertThat(follower.kv.ready()).isFalse();
  }

  @Test
  void whatAKilledProcessWasFetchingIsRemoved() throws Exception {
    StandbyPuts.numbers(leader, 0, 20, "a");
    replicate();
    follower.stop(KvReplica::discard);
    Path half = Files.createDirectory(follower.directory.resolve("kv.fetching-1"));
    Files.write(half.resolve("000007.sst"), new byte[100]);
    Path dropped = Files.createDirectory(follower.directory.resolve("kv.dropped"));
    Files.write(dropped.resolve("CURRENT"), new byte[10]);
    follower.start();
    follower.follow(leader);
    follower.awaitReady();
    assertThat(half).doesNotExist();
    assertThat(dropped).doesNotExist();
    awaitSame();
    assertThat(checkpoints.fetches()).isZero();
  }

  @Test
  void anEmptyStoreBesideALongLogGetsTheRows() throws Exception {
    StandbyNode third = node(3, SMALL);
    connect(third);
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    third.follow(leader);
    follower = third;
    awaitSame();
    assertThat(checkpoints.fetches()).isPositive();
    third.stop(KvReplica::close);
    for (Path file : named(third.directory.resolve("kv"), "")) {
      Files.delete(file);
    }
    third.start();
    third.follow(leader);
    int before = checkpoints.fetches();
    awaitSame();
    assertThat(checkpoints.fetches()).isGreaterThan(before);
  }

  @Test
  void aStoreBeyondTheCutIsRemovedBeforeTheLogIsCut() {
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 20, "a");
    replicate();
    follower.kv.store().flush();
    assertThat(follower.kv.applied()).isEqualTo(20);
    // An unclean election: the new leader has a part only.
    StandbyNode unclean = node(3, 1 << 28);
    unclean.lead(2);
    follower.epoch = 2;
    follower.kv.follow(3, 2);
    follower.kv.truncate(0);
    // The process is killed between the two.
    follower.crash();
    assertThat(follower.directory.resolve("kv")).doesNotExist();
    follower.follow(unclean);
    follower.fetch(unclean);
    leader = unclean;
    connect(follower);
    StandbyPuts.numbers(leader, 5, 9, "other ");
    replicate();
    follower.awaitReady();
    follower.assertStateIsFold();
    assertThat(follower.rows()).hasSize(4).isEqualTo(unclean.rows());
  }

  @Test
  void rowsOfAnOlderEpochAreNotInstalled() {
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    leader.log.force();
    leader.kv.store().flush();
    leader.log.trimTo(leader.committed / 2);
    follower.fetchBytes = 1;
    follower.fetch(leader);
    Await.until(
        "fetched",
        SOON,
        () -> {
          follower.standBy();
          return checkpoints.fetches() == 1;
        });
    // The same server leads again, perhaps with other records.
    leader.lead(2);
    follower.follow(leader);
    follower.fetchBytes = 1 << 20;
    awaitSame();
    assertThat(checkpoints.fetches()).isEqualTo(2);
  }

  @Test
  void onlyTheLeaderOfTheEpochGivesItsRows() {
    assertThatThrownBy(() -> leader.host.copyRows(StandbyNode.BUCKET, 2))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
    leader.kv.follow(2, 2);
    assertThatThrownBy(() -> leader.host.copyRows(StandbyNode.BUCKET, 1))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
  }

  @Test
  void aFollowerWhoseRowsAreDamagedGetsThemFromTheLeader() throws Exception {
    putMuch(0, 30);
    leader.committed = leader.log.endOffset();
    leader.kv.apply(leader.committed);
    trimLeader();
    follower.fetch(leader);
    awaitSame();
    follower.stop(KvReplica::close);
    for (Path manifest : named(follower.directory.resolve("kv"), "MANIFEST")) {
      Files.delete(manifest);
    }
    follower.start();
    follower.follow(leader);
    awaitSame();
    assertThat(checkpoints.fetches()).isEqualTo(2);
  }

  @Test
  void whoWaitsForTheStoreIsTold() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    CompletableFuture<KvTablet> first =
        follower.host.open(
            () -> {
              try {
                free.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              throw new SluiceException(ErrorCode.UNAVAILABLE, "Not a store");
            });
    CountDownLatch told = new CountDownLatch(2);
    assertThat(follower.kv.standBy(0, false, told::countDown))
        .isEqualTo(KvReplica.Progress.OPENING);
    // The log must not be cut while nobody knows how far the store is.
    assertThat(follower.kv.mayCut(told::countDown)).isFalse();
    free.countDown();
    assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(first).isCompletedExceptionally();
    assertThat(follower.kv.mayCut(() -> {})).isTrue();
  }

  @Test
  void onlyTheLeaderAsksForIds() {
    HostedTable giving = StandbyPuts.table(Map.of("auto-increment.fields", "c"));
    StandbyNode first = new StandbyNode(4, temp.resolve("node4"), giving, clock, ids);
    nodes.add(first);
    FakeIdGrants others = new FakeIdGrants();
    StandbyNode second = new StandbyNode(5, temp.resolve("node5"), giving, clock, others);
    nodes.add(second);
    first.lead(1);
    second.follow(first);
    leader = first;
    follower = second;
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 20, "a");
    replicate();
    assertThat(ids.counts()).isNotEmpty();
    assertThat(others.counts()).isEmpty();
    // The ids are those of the changelog.
    assertThat(follower.rows()).hasSize(20).isEqualTo(leader.rows());
    second.lead(2);
    assertThat(others.counts()).hasSize(1);
    first.follow(second);
    int asked = ids.counts().size();
    first.runQueued();
    assertThat(ids.counts()).hasSize(asked);
  }

  @Test
  void theNumberOfRowsIsThatOfTheLeader() {
    follower.awaitReady();
    StandbyPuts.numbers(leader, 0, 30, "a");
    StandbyPuts.numbers(leader, 0, 30, "b");
    replicate();
    assertThat(follower.kv.rowCount()).isEqualTo(30);
    assertThat(follower.kv.flushed()).isLessThanOrEqualTo(follower.kv.applied());
  }
}

package io.sluice.tablet.replication.stream;

import static io.sluice.tablet.replication.stream.StreamHarness.LEADER;
import static io.sluice.tablet.replication.stream.StreamHarness.bucket;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.ReplicationTimes;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Both ends together: what a leader has gets to its followers, whatever comes between. */
final class FollowingTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BYTES = 100;

  // Held back for so long that nothing in these tests comes of the long poll.
  private static final StreamLimits PATIENT =
      new StreamLimits(64 << 10, 8 << 10, 60_000, 2, 5, 50, 120_000, 1);

  private StreamHarness harness = new StreamHarness(PATIENT);

  @BeforeEach
  void serve() throws Exception {
    harness.serve();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static void awaitEqual(FakeSource source, FakeSink sink) {
    Await.until(
        "the follower has what the leader has",
        SOON,
        () -> sink.log.end() == source.log.end() && sink.log.end() > 0);
    assertThat(sink.log.records()).isEqualTo(source.log.records());
  }

  @Test
  void bringsWhatIsThereAndWhatComesAndWhatIsCommitted() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(1_000);
    FakeSink sink = harness.sink(0, BYTES);
    harness.followers().follow(sink, LEADER, 1, true);
    Await.until("all is there", SOON, () -> sink.log.end() == 1_000);
    Await.until("and committed", SOON, () -> sink.committed == 1_000);
    // The leader answers at once when it is called, not when it would answer anyway.
    source.append(5);
    Await.until("more is there", SOON, () -> sink.committed == 1_005);
    awaitEqual(source, sink);
    assertThat(source.reads).allMatch(bytes -> bytes <= PATIENT.bucketBytes());
  }

  @Test
  void manyBucketsShareAnswersAndEachGetsItsTurn() {
    List<FakeSource> sources = new ArrayList<>();
    List<FakeSink> sinks = new ArrayList<>();
    FollowerStreams followers = harness.followers();
    for (int i = 0; i < 40; i++) {
      sources.add(harness.leads(i, BYTES));
      sources.get(i).append(500);
      sinks.add(harness.sink(i, BYTES));
      followers.follow(sinks.get(i), LEADER, 1, true);
    }
    for (int i = 0; i < 40; i++) {
      awaitEqual(sources.get(i), sinks.get(i));
    }
    assertThat(harness.service().openSessions()).isEqualTo(1);
    // 2 MB in answers of at most 64 KiB and one batch more.
    assertThat(harness.leaderStats.fetches()).isGreaterThan(30);
  }

  @Test
  void aBucketThatIsFollowedLaterDoesNotWaitForTheAnswerThatIsOwed() {
    FakeSource first = harness.leads(0, BYTES);
    first.append(1);
    FollowerStreams followers = harness.followers();
    FakeSink sink = harness.sink(0, BYTES);
    followers.follow(sink, LEADER, 1, true);
    Await.until("committed", SOON, () -> sink.committed == 1);
    FakeSource second = harness.leads(1, BYTES);
    second.append(3);
    FakeSink later = harness.sink(1, BYTES);
    followers.follow(later, LEADER, 1, true);
    awaitEqual(second, later);
  }

  @Test
  void cutsWhereTheLogsDoNotAgree() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(10);
    source.epoch = 3;
    source.epochs =
        new EpochHistory(List.of(new EpochHistory.Start(1, 0), new EpochHistory.Start(3, 6)));
    FakeSink sink = harness.sink(0, BYTES);
    sink.epoch = 3;
    sink.lastEpoch = 1;
    for (int i = 0; i < 8; i++) {
      sink.log.append(i < 6 ? i : 99);
    }
    harness.followers().follow(sink, LEADER, 3, true);
    awaitEqual(source, sink);
    assertThat(sink.received.get(0).diverges()).isEqualTo(new EpochHistory.End(1, 6));
  }

  @Test
  void startsAnewWhereTheLeadersLogBegins() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(10);
    FakeSink sink = harness.sink(0, BYTES);
    Await.until("appended", SOON, () -> source.log.end() == 10);
    source.log.trim(4);
    harness.followers().follow(sink, LEADER, 1, true);
    awaitEqual(source, sink);
    assertThat(sink.log.start()).isEqualTo(4);
    assertThat(sink.received.get(0).beginning().lastTimeMs()).isEqualTo(77);
    assertThat(sink.received.get(0).beginning().writers().remaining()).isEqualTo(3);
    assertThat(sink.received.get(0).beginning().epochs())
        .containsExactly(new EpochHistory.Start(1, 0));
  }

  @Test
  void asksAgainWhereItIsRefusedUntilTheServerLeads() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(2);
    source.leads = false;
    FakeSink sink = harness.sink(0, BYTES);
    harness.followers().follow(sink, LEADER, 1, true);
    Await.until("refused", SOON, () -> harness.followerStats.refusals() >= 2);
    assertThat(sink.log.end()).isZero();
    source.leads = true;
    awaitEqual(source, sink);
  }

  @Test
  void goesOnWithTheOthersWhenOneReplicaTakesLong() {
    FakeSource source = harness.leads(0, BYTES);
    FakeSource other = harness.leads(1, BYTES);
    FollowerStreams followers = harness.followers();
    CountDownLatch release = new CountDownLatch(1);
    FakeSink slow =
        new FakeSink(
            bucket(0),
            new FakeLog(BYTES),
            task ->
                new Thread(
                        () -> {
                          try {
                            release.await();
                            task.run();
                          } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                          }
                        })
                    .start());
    FakeSink quick = harness.sink(1, BYTES);
    source.append(1);
    followers.follow(slow, LEADER, 1, true);
    followers.follow(quick, LEADER, 1, true);
    for (int i = 1; i <= 5; i++) {
      other.append(1);
      int expected = i;
      Await.until("the quick one goes on", SOON, () -> quick.log.end() == expected);
    }
    assertThat(slow.log.end()).isZero();
    release.countDown();
    awaitEqual(source, slow);
  }

  @Test
  void fetchesWhatIsDamagedAgainAndPausesWhenTheDiskIsFull() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(3);
    FakeSink sink = harness.sink(0, BYTES);
    sink.failure = new SluiceException(ErrorCode.CORRUPT_BATCH, "crc");
    FollowerStreams followers = harness.followers();
    followers.follow(sink, LEADER, 1, true);
    Await.until("fetched again", SOON, () -> sink.received.size() >= 3);
    sink.failure = new SluiceException(ErrorCode.DISK_FULL, "full");
    Await.until("the disk is full", SOON, () -> sink.failed.contains(ErrorCode.DISK_FULL));
    sink.failure = null;
    awaitEqual(source, sink);
    // It was not tried again and again meanwhile.
    assertThat(sink.failed.stream().filter(code -> code == ErrorCode.DISK_FULL)).hasSize(1);
  }

  @Test
  void leavesWhatItFollowsNoMore() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(1);
    FollowerStreams followers = harness.followers();
    FakeSink sink = harness.sink(0, BYTES);
    FakeSource kept = harness.leads(1, BYTES);
    kept.append(1);
    followers.follow(sink, LEADER, 1, true);
    followers.follow(harness.sink(1, BYTES), LEADER, 1, true);
    awaitEqual(source, sink);
    followers.unfollow(bucket(0));
    Await.until("the leader knows", SOON, () -> !source.left.isEmpty());
    Await.until("and does not call any more", SOON, () -> source.listeners() == 0);
    assertThat(source.left.get(0).leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
    assertThat(kept.left).isEmpty();
    followers.unfollow(bucket(1));
    Await.until("no stream is left", SOON, () -> harness.service().openSessions() == 0);
  }

  @Test
  void followsTheSameLeaderInANewEpoch() {
    FakeSource source = harness.leads(0, BYTES);
    source.append(1);
    FollowerStreams followers = harness.followers();
    FakeSink sink = harness.sink(0, BYTES);
    followers.follow(sink, LEADER, 1, true);
    awaitEqual(source, sink);
    source.epochs =
        new EpochHistory(List.of(new EpochHistory.Start(1, 0), new EpochHistory.Start(2, 1)));
    source.epoch = 2;
    source.tell();
    sink.epoch = 2;
    followers.follow(sink, LEADER, 2, true);
    source.append(1);
    Await.until("followed in the new epoch", SOON, () -> sink.lastEpoch == 2);
    awaitEqual(source, sink);
  }

  @Test
  void findsAServerThatWasKilledAndStartsElsewhere() throws Exception {
    FakeSource source = harness.leads(0, BYTES);
    source.append(1);
    FakeSink sink = harness.sink(0, BYTES);
    FollowerStreams followers = harness.followers();
    followers.follow(sink, LEADER, 1, true);
    awaitEqual(source, sink);
    harness.kill();
    source.append(1);
    Await.until("it tries again", SOON, () -> harness.followerStats.reconnects() > 2);
    assertThat(followers.openStreams()).isZero();
    harness.serve();
    awaitEqual(source, sink);
  }

  @Test
  void catchesUpAtTheGivenPaceAndThenChangesTheLane() {
    FakeSource source = harness.leads(0, 1_000);
    source.append(2_000);
    Await.until("appended", SOON, () -> source.log.end() == 2_000);
    FakeSink sink = harness.sink(0, 1_000);
    FollowerStreams followers = harness.followers(1_000_000);
    long began = System.nanoTime();
    followers.follow(sink, LEADER, 1, false);
    Await.until("on its way", SOON, () -> sink.log.end() > 0);
    assertThat(followers.followed(false)).isEqualTo(1);
    assertThat(source.fetches.get(0).link().leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
    Await.until("it is near and goes to the other lane", SOON, () -> followers.followed(true) == 1);
    // 1 of 2 MB at 1 MB a second, of which the first 100 ms are free.
    assertThat(System.nanoTime() - began).isGreaterThan(700_000_000L);
    assertThat(harness.followerStats.throttledBytes()).isPositive();
    awaitEqual(source, sink);
    Await.until("the slow lane is empty", SOON, () -> harness.service().openSessions() == 1);
  }

  @Test
  void tellsWhenAReplicaHasBecomeReady() throws Exception {
    harness.close();
    harness = new StreamHarness();
    harness.serve();
    FakeSource source = harness.leads(0, BYTES);
    source.append(1);
    FakeSink sink = harness.sink(0, BYTES);
    sink.ready = false;
    harness.followers().follow(sink, LEADER, 1, true);
    awaitEqual(source, sink);
    Await.until("acknowledged", SOON, () -> source.state().committed() == 1);
    assertThat(source.fetches).noneMatch(FakeSource.Fetch::ready);
    sink.ready = true;
    Await.until(
        "the leader knows without new data",
        SOON,
        () -> source.fetches.get(source.fetches.size() - 1).ready());
  }

  @Test
  void promisesAsLongAsItFetches() {
    FakeSource source = harness.leads(0, BYTES);
    FollowerStreams followers = harness.followers();
    long before = followers.promisedUntilNanos(bucket(0));
    FakeSink sink = harness.sink(0, BYTES);
    followers.follow(sink, LEADER, 1, true);
    source.append(1);
    awaitEqual(source, sink);
    Await.until("a promise", SOON, () -> followers.promisedUntilNanos(bucket(0)) - before > 0);
    FollowerLink link = source.fetches.get(source.fetches.size() - 1).link();
    Await.until("a lease", SOON, () -> link.leaseBaseNanos() != FollowerLink.NO_LEASE);
    // Both clocks are the same here: no lease lasts longer than the promise behind it.
    long lease = link.leaseBaseNanos() + ReplicationTimes.LEASE_NANOS;
    long promise = followers.promisedUntilNanos(bucket(0));
    assertThat(promise - lease).isPositive();
    followers.unfollow(bucket(0));
    assertThat(followers.promisedUntilNanos(bucket(0))).isGreaterThanOrEqualTo(promise);
  }
}

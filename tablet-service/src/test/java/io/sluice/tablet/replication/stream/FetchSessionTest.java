package io.sluice.tablet.replication.stream;

import static io.sluice.tablet.replication.stream.StreamHarness.bucket;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.sluice.common.ErrorCode;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.BucketFetch;
import io.sluice.protocol.replication.v1.FetchAnswer;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.protocol.replication.v1.ReplicationServiceGrpc;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader's session, driven by a follower that does as the test says. */
final class FetchSessionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BYTES = 1_000;

  private final StreamHarness harness = new StreamHarness();

  @BeforeEach
  void serve() throws Exception {
    harness.serve();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  /** A follower by hand. */
  private final class Follower implements ClientResponseObserver<FetchRequest, FetchAnswer> {
    final List<FetchAnswer> answers = new CopyOnWriteArrayList<>();
    private @Nullable ClientCallStreamObserver<FetchRequest> requests;
    volatile @Nullable Throwable failure;

    Follower open() {
      ReplicationServiceGrpc.newStub(harness.channel()).fetch(this);
      return this;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<FetchRequest> stream) {
      requests = stream;
    }

    @Override
    public void onNext(FetchAnswer answer) {
      answers.add(answer);
    }

    @Override
    public void onError(Throwable why) {
      failure = why;
    }

    @Override
    public void onCompleted() {}

    void first(FetchLane lane, BucketFetch... buckets) {
      requests.onNext(
          FetchRequest.newBuilder()
              .setServerId(2)
              .setIncarnation("by hand")
              .setLane(lane)
              .addAllBuckets(List.of(buckets))
              .build());
    }

    void next(long answerId, BucketFetch... buckets) {
      requests.onNext(
          FetchRequest.newBuilder().setAnswerId(answerId).addAllBuckets(List.of(buckets)).build());
    }

    void remove(long answerId, int bucket) {
      requests.onNext(
          FetchRequest.newBuilder()
              .setAnswerId(answerId)
              .addRemoved(BucketIds.of(bucket(bucket)))
              .build());
    }

    FetchAnswer answer(int number) {
      Await.until("answer " + number, SOON, () -> answers.size() >= number);
      return answers.get(number - 1);
    }
  }

  private static BucketFetch fetch(int bucket, long offset) {
    return BucketFetch.newBuilder()
        .setBucket(BucketIds.of(bucket(bucket)))
        .setLeaderEpoch(1)
        .setOffset(offset)
        .setLastEpoch(offset == 0 ? 0 : 1)
        .setReady(true)
        .build();
  }

  private FollowerLink newest(FakeSource source) {
    return source.fetches.get(source.fetches.size() - 1).link();
  }

  @Test
  void holdsAnAnswerBackNoLongerThanAsked() {
    harness.leads(0, BYTES);
    Follower follower = new Follower().open();
    long began = System.nanoTime();
    follower.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    // Where the log ends is news once.
    assertThat(follower.answer(1).getBucketsCount()).isEqualTo(1);
    follower.next(1);
    FetchAnswer second = follower.answer(2);
    assertThat(second.getBucketsCount()).isZero();
    assertThat(second.getAnswerId()).isEqualTo(2);
    assertThat(System.nanoTime() - began).isGreaterThan(450_000_000L);
  }

  @Test
  void keepsOneAnswerForAFollowerThatIsSlow() {
    for (int i = 0; i < 20; i++) {
      harness.leads(i, BYTES).append(1_000);
    }
    Await.until(
        "appended",
        SOON,
        () -> harness.sources.values().stream().allMatch(each -> each.log.end() == 1_000));
    Follower follower = new Follower().open();
    BucketFetch[] all = new BucketFetch[20];
    for (int i = 0; i < 20; i++) {
      all[i] = fetch(i, 0);
    }
    follower.first(FetchLane.FETCH_LANE_IN_SYNC, all);
    FetchAnswer answer = follower.answer(1);
    harness.sources.values().forEach(source -> source.append(5));
    Await.until(
        "appended more",
        SOON,
        () -> harness.sources.values().stream().allMatch(each -> each.log.end() == 1_005));
    // Nothing was read that is not in the one answer, which is full.
    long read =
        harness.sources.values().stream()
            .flatMap(source -> source.reads.stream())
            .mapToInt(bytes -> bytes)
            .sum();
    long sent = answer.getBucketsList().stream().mapToInt(each -> each.getBatches().size()).sum();
    assertThat(read).isEqualTo(sent);
    assertThat(sent).isBetween(50_000L, (long) StreamHarness.LIMITS.answerBytes() + BYTES);
    assertThat(follower.answers).hasSize(1);
    // The next one begins with those that had no turn.
    List<Integer> served = answer.getBucketsList().stream().map(this::number).toList();
    follower.next(1);
    List<Integer> then = follower.answer(2).getBucketsList().stream().map(this::number).toList();
    assertThat(then).isNotEmpty().doesNotContainAnyElementsOf(served);
  }

  private int number(BucketAnswer answer) {
    return answer.getBucket().getBucket();
  }

  @Test
  void aLeaseBeginsWithTheAnswerThatTheNewestFetchFollows() {
    FakeSource source = harness.leads(0, BYTES);
    Follower follower = new Follower().open();
    follower.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    follower.answer(1);
    FollowerLink link = newest(source);
    assertThat(link.serverId()).isEqualTo(2);
    assertThat(link.incarnation()).isEqualTo("by hand");
    assertThat(link.leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
    long received = System.nanoTime();
    follower.next(1);
    Await.until("a lease", SOON, () -> link.leaseBaseNanos() != FollowerLink.NO_LEASE);
    // From when the first answer was sent, which is before it was received.
    long first = link.leaseBaseNanos();
    assertThat(received - first).isPositive();
    assertThat(link.lastFetchNanos() - first).isPositive();
    follower.answer(2);
    assertThat(link.leaseBaseNanos()).isEqualTo(first);
    follower.next(2);
    Await.until("a later lease", SOON, () -> link.leaseBaseNanos() - first > 0);
    long second = link.leaseBaseNanos();
    // What only adds follows the same answer.
    follower.next(2, fetch(0, 0));
    Await.until("it was taken in", SOON, () -> source.fetches.size() == 2);
    assertThat(link.leaseBaseNanos()).isEqualTo(second);
    follower.remove(2, 0);
    Await.until("it was removed", SOON, () -> source.left.contains(link));
    assertThat(link.leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
  }

  @Test
  void theCatchUpLanePromisesNothing() {
    FakeSource source = harness.leads(0, BYTES);
    Follower follower = new Follower().open();
    follower.first(FetchLane.FETCH_LANE_CATCH_UP, fetch(0, 0));
    follower.answer(1);
    follower.next(1);
    follower.answer(2);
    assertThat(newest(source).leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
  }

  @Test
  void aStreamThatEndsLeavesNothingBehind() {
    FakeSource source = harness.leads(0, BYTES);
    Follower follower = new Follower().open();
    follower.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    follower.answer(1);
    follower.next(1);
    FollowerLink link = newest(source);
    Await.until("a lease", SOON, () -> link.leaseBaseNanos() != FollowerLink.NO_LEASE);
    // Another stream of the same follower and lane: the first one is dead.
    Follower again = new Follower().open();
    again.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    again.answer(1);
    Await.until("the first has ended", SOON, () -> follower.failure != null);
    assertThat(source.left).containsExactly(link);
    assertThat(link.leaseBaseNanos()).isEqualTo(FollowerLink.NO_LEASE);
    assertThat(source.listeners()).isEqualTo(1);
    again.requests.cancel("done", null);
    Await.until("no session is left", SOON, () -> harness.service().openSessions() == 0);
    assertThat(source.listeners()).isZero();
  }

  @Test
  void refusesWhatItDoesNotLeadAndGoesOnWithTheRest() {
    harness.leads(0, BYTES).append(1);
    harness.leads(1, BYTES).leads = false;
    harness.leads(2, BYTES).epoch = 5;
    Follower follower = new Follower().open();
    follower.first(
        FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0), fetch(1, 0), fetch(2, 0), fetch(3, 0));
    BucketAnswer[] byBucket = new BucketAnswer[4];
    for (int i = 1; note(byBucket, follower, i); i++) {
      follower.next(i);
    }
    assertThat(byBucket[0].getBatches().size()).isEqualTo(BYTES);
    assertThat(byBucket[1].getRefused().getCode()).isEqualTo(ErrorCode.NOT_LEADER.name());
    assertThat(byBucket[2].getRefused().getCode()).isEqualTo(ErrorCode.FENCED_LEADER_EPOCH.name());
    assertThat(byBucket[3].getRefused().getCode()).isEqualTo(ErrorCode.BUCKET_NOT_FOUND.name());
  }

  @Test
  void anErrorWhileAnAnswerIsMadeEndsTheStream() {
    FakeSource source = harness.leads(0, BYTES);
    source.failReads(new OutOfMemoryError("a test's"));
    source.append(1);
    Follower follower = new Follower().open();
    follower.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    Await.until("the stream has ended", SOON, () -> follower.failure != null);
    assertThat(StatusMapping.fromStatus(follower.failure).code()).isEqualTo(ErrorCode.INTERNAL);
    source.failReads(null);
    Follower again = new Follower().open();
    again.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    assertThat(again.answer(1).getBuckets(0).getBatches().size()).isEqualTo(BYTES);
  }

  /** Notes what an answer has; whether more is to come. */
  private boolean note(BucketAnswer[] byBucket, Follower follower, int answer) {
    for (BucketAnswer each : follower.answer(answer).getBucketsList()) {
      if (byBucket[number(each)] == null) {
        byBucket[number(each)] = each;
      }
    }
    return Arrays.asList(byBucket).contains(null);
  }

  @Test
  void endsTheStreamOfWhoDoesNotKeepToTheRules() {
    harness.leads(0, BYTES);
    Follower nobody = new Follower().open();
    nobody.next(0, fetch(0, 0));
    Await.until("refused", SOON, () -> nobody.failure != null);
    assertThat(StatusMapping.fromStatus(nobody.failure).code())
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    Follower ahead = new Follower().open();
    ahead.first(FetchLane.FETCH_LANE_IN_SYNC, fetch(0, 0));
    ahead.answer(1);
    ahead.next(7);
    Await.until("refused too", SOON, () -> ahead.failure != null);
    assertThat(StatusMapping.fromStatus(ahead.failure)).hasMessageContaining("follows answer 7");
  }
}

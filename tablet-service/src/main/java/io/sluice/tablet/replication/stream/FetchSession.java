package io.sluice.tablet.replication.stream;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.v1.BucketFetch;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.ReplicationSource;
import io.sluice.tablet.replication.stream.FetchedBucket.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One follower's stream of a lane, as the leader's server has it. Positions arrive on the
 * transport's threads and are handed to the replicas; replicas say on their own threads that they
 * have changed; the one answer that is owed is made on a reading thread, of the buckets with
 * something new, which queue: so each gets its turn, and none is looked at that has nothing new.
 * While an answer is on its way the next data gather. Fields are guarded by this but where it says
 * otherwise.
 */
final class FetchSession extends ServerCall.Listener<FetchRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(FetchSession.class);

  private final ServerCall<FetchRequest, OutboundFrame> call;
  private final FetchContext context;
  private final Consumer<FetchSession> onIdentified;
  private final Consumer<FetchSession> onEnd;
  private final AnswerWriter writer;
  private final Map<TableBucket, FetchedBucket> buckets = new HashMap<>();
  private final NewsQueue queue = new NewsQueue();
  private int checking;
  private boolean identified;
  private boolean owed;
  private boolean making;
  private boolean delayed;
  private long owedSinceNanos;
  private long maxWaitNanos;
  private int maxBytes;
  private long answerId;
  private long sentNanos;

  // Written under the lock, read by any thread.
  private volatile boolean ended;
  private volatile int followerId;
  private volatile String incarnation = "";
  private volatile FetchLane lane = FetchLane.FETCH_LANE_IN_SYNC;
  private volatile long lastFetchNanos;
  private volatile long leaseBaseNanos = FollowerLink.NO_LEASE;

  /** A bucket whose turn it is, as it was when the turn began. */
  record Turn(
      FetchedBucket bucket, int version, int leaderEpoch, long offset, @Nullable Verdict verdict) {}

  /**
   * @param onIdentified told once, when the follower has said who it is
   * @param onEnd told once
   */
  FetchSession(
      ServerCall<FetchRequest, OutboundFrame> call,
      FetchContext context,
      Consumer<FetchSession> onIdentified,
      Consumer<FetchSession> onEnd) {
    this.call = call;
    this.context = context;
    this.onIdentified = onIdentified;
    this.onEnd = onEnd;
    this.writer = new AnswerWriter(this, context);
    this.sentNanos = context.clock().nanoTime();
    this.lastFetchNanos = sentNanos;
  }

  int followerId() {
    return followerId;
  }

  String followerIncarnation() {
    return incarnation;
  }

  FetchLane lane() {
    return lane;
  }

  long lastFetchNanos() {
    return lastFetchNanos;
  }

  long leaseBaseNanos() {
    return ended ? FollowerLink.NO_LEASE : leaseBaseNanos;
  }

  @Override
  public void onMessage(FetchRequest request) {
    try {
      take(request);
      call.request(1);
    } catch (SluiceException refused) {
      end(refused);
    } catch (RuntimeException defect) {
      LOG.error("A fetch of server {} failed", followerId, defect);
      end(new SluiceException(ErrorCode.INTERNAL, "A fetch failed: " + defect, defect));
    }
  }

  @Override
  public void onHalfClose() {
    end(null);
  }

  @Override
  public void onCancel() {
    end(null);
  }

  private void take(FetchRequest request) {
    List<FetchedBucket> removed = new ArrayList<>();
    List<Runnable> checks = new ArrayList<>(request.getBucketsCount());
    boolean first;
    synchronized (this) {
      if (ended) {
        return;
      }
      first = !identified;
      if (first) {
        identify(request);
      }
      // Before the lease moves on: with this request nothing is promised for them any more.
      for (BucketId id : request.getRemovedList()) {
        FetchedBucket gone = remove(BucketIds.toBucket(id));
        if (gone != null) {
          removed.add(gone);
        }
      }
      follows(request);
      for (BucketFetch fetch : request.getBucketsList()) {
        checks.add(position(fetch));
      }
    }
    if (first) {
      onIdentified.accept(this);
    }
    removed.forEach(FetchedBucket::detach);
    checks.forEach(Runnable::run);
    wake();
  }

  private void identify(FetchRequest request) {
    if (request.getServerId() < 1 || request.getAnswerId() != 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The first fetch of a stream names server "
              + request.getServerId()
              + " and follows answer "
              + request.getAnswerId()
              + "; it must name the server that asks and follow none");
    }
    identified = true;
    followerId = request.getServerId();
    incarnation = request.getIncarnation();
    lane = request.getLane();
  }

  private void follows(FetchRequest request) {
    if (request.getAnswerId() > answerId || request.getAnswerId() < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Server "
              + followerId
              + " follows answer "
              + request.getAnswerId()
              + ", but the last one is "
              + answerId);
    }
    long now = context.clock().nanoTime();
    lastFetchNanos = now;
    if (request.getAnswerId() < answerId) {
      // It was sent before the newest answer arrived there, and only adds.
      return;
    }
    if (answerId > 0 && lane == FetchLane.FETCH_LANE_IN_SYNC) {
      leaseBaseNanos = sentNanos;
    }
    if (!owed) {
      owed = true;
      owedSinceNanos = now;
    }
    StreamLimits limits = context.limits();
    int wait = request.getMaxWaitMs();
    maxWaitNanos =
        TimeUnit.MILLISECONDS.toNanos(
            wait > 0 ? Math.min(wait, limits.maxWaitMs()) : limits.maxWaitMs());
    int bytes = request.getMaxBytes();
    maxBytes = bytes > 0 ? Math.min(bytes, limits.answerBytes()) : limits.answerBytes();
  }

  /** Notes a position; what it returns hands it to the replica, with nothing held. */
  private Runnable position(BucketFetch fetch) {
    TableBucket bucket = BucketIds.toBucket(fetch.getBucket());
    FetchedBucket entry =
        buckets.computeIfAbsent(
            bucket,
            any -> {
              checking++;
              return new FetchedBucket(this, bucket, fetch.getBucket());
            });
    if (entry.stage != Stage.CHECKING) {
      entry.stage = Stage.CHECKING;
      checking++;
    }
    entry.version++;
    if (entry.leaderEpoch != fetch.getLeaderEpoch()) {
      // What was told in another epoch may not have been listened to.
      entry.leaderEpoch = fetch.getLeaderEpoch();
      entry.committedTold = -1;
    }
    entry.verdict = null;
    int version = entry.version;
    FetchPosition position =
        new FetchPosition(fetch.getLeaderEpoch(), fetch.getOffset(), fetch.getLastEpoch());
    return () -> check(entry, version, position, fetch.getReady());
  }

  private void check(FetchedBucket entry, int version, FetchPosition position, boolean ready) {
    try {
      entry
          .attach(context.sources())
          .fetched(entry, position, ready, answer -> decided(entry, version, position, answer));
    } catch (SluiceException refused) {
      decided(entry, version, position, new ReplicationSource.Answer(null, refused));
    }
    if (isGone(entry)) {
      // The session ended while the replica was being looked for.
      entry.detach();
    }
  }

  private synchronized boolean isGone(FetchedBucket entry) {
    return ended || entry.stage == Stage.GONE;
  }

  /** On the replica's thread. */
  private void decided(
      FetchedBucket entry, int version, FetchPosition position, ReplicationSource.Answer answer) {
    synchronized (this) {
      if (entry.stage != Stage.CHECKING || entry.version != version) {
        return;
      }
      checking--;
      entry.stage = Stage.FOLLOWING;
      entry.offset = position.offset();
      entry.verdict = Verdict.of(answer);
      queueIfNews(entry);
    }
    wake();
  }

  /** The replica has changed; on its thread. */
  void changed(FetchedBucket entry) {
    synchronized (this) {
      if (entry.stage != Stage.FOLLOWING) {
        return;
      }
      queueIfNews(entry);
    }
    wake();
  }

  /** Queues a bucket that has something to tell, and sees whether that can wait. */
  private void queueIfNews(FetchedBucket entry) {
    ReplicationSource source = entry.source();
    ReplicationSource.State state = source == null ? null : source.state();
    boolean data = entry.verdict != null;
    if (state == null || state.leaderEpoch() != entry.leaderEpoch) {
      // It is refused.
      data = true;
    } else if (!data) {
      data = state.logEnd() > entry.offset;
      if (!data && !isNews(entry, state)) {
        return;
      }
    }
    queue.add(entry, data);
  }

  /** Whether there is something to tell of where committed records and the log begin and end. */
  private static boolean isNews(FetchedBucket entry, ReplicationSource.State state) {
    return state.committed() != entry.committedTold || state.logStart() != entry.logStartTold;
  }

  /** Has the answer made when it is owed and there is something to tell. */
  private void wake() {
    synchronized (this) {
      if (!mayMake()) {
        return;
      }
      if (!queue.isUrgent() || checking > 0) {
        // Positions that are being looked at may bring more for the same answer.
        makeLater();
        return;
      }
      making = true;
    }
    make();
  }

  private boolean mayMake() {
    return owed && !making && !ended && !queue.isEmpty();
  }

  private void makeLater() {
    if (delayed) {
      return;
    }
    delayed = true;
    try {
      context
          .timer()
          .schedule(this::makeDelayed, context.limits().newsDelayMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("A fetch of server {} is not answered: this server is stopping", followerId);
    }
  }

  private void makeDelayed() {
    synchronized (this) {
      delayed = false;
      if (!mayMake()) {
        return;
      }
      making = true;
    }
    make();
  }

  /**
   * What is due by the clock: an answer that was held back long enough, a follower that is gone.
   */
  void tick(long nowNanos) {
    boolean idle;
    synchronized (this) {
      if (ended || making) {
        return;
      }
      idle =
          !owed
              && nowNanos - sentNanos > TimeUnit.MILLISECONDS.toNanos(StreamLimits.IDLE_SESSION_MS);
      if (!idle && (!owed || nowNanos - owedSinceNanos < maxWaitNanos)) {
        return;
      }
      making = !idle;
    }
    if (idle) {
      end(new SluiceException(ErrorCode.TIMEOUT, "Server " + followerId + " fetches no more"));
    } else {
      make();
    }
  }

  private void make() {
    try {
      context.readers().execute(writer);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      end(new SluiceException(ErrorCode.UNAVAILABLE, "This server stops or has no thread", e));
    }
  }

  synchronized long nextAnswerId() {
    return answerId + 1;
  }

  synchronized int maxBytes() {
    return maxBytes;
  }

  /** The next bucket that has something to tell, null when there is none. */
  synchronized @Nullable Turn nextTurn() {
    while (true) {
      FetchedBucket entry = queue.poll();
      if (entry == null) {
        return null;
      }
      if (entry.stage == Stage.FOLLOWING) {
        return new Turn(entry, entry.version, entry.leaderEpoch, entry.offset, entry.verdict);
      }
    }
  }

  /**
   * Whether what a turn found may be told: the follower has said nothing else meanwhile. It counts
   * as told then.
   *
   * @param awaits whether the bucket goes on with a new position only
   */
  synchronized boolean tell(Turn turn, ReplicationSource.State state, boolean awaits) {
    FetchedBucket entry = turn.bucket();
    if (ended || entry.stage != Stage.FOLLOWING || entry.version != turn.version()) {
      return false;
    }
    boolean news = awaits || isNews(entry, state);
    entry.committedTold = state.committed();
    entry.logStartTold = state.logStart();
    if (awaits) {
      entry.stage = Stage.AWAITING;
    }
    return news;
  }

  /** Takes a bucket out that is refused; false when the follower has said something else. */
  boolean refuse(Turn turn) {
    synchronized (this) {
      if (turn.bucket().version != turn.version() || turn.bucket().stage != Stage.FOLLOWING) {
        return false;
      }
      remove(turn.bucket().bucket());
    }
    turn.bucket().detach();
    return true;
  }

  private @Nullable FetchedBucket remove(TableBucket bucket) {
    FetchedBucket entry = buckets.remove(bucket);
    if (entry != null) {
      if (entry.stage == Stage.CHECKING) {
        checking--;
      }
      entry.stage = Stage.GONE;
      entry.close();
    }
    return entry;
  }

  /** Sends the answer, unless the stream is over. */
  void send(OutboundFrame frame) {
    synchronized (this) {
      making = false;
      if (ended) {
        return;
      }
      owed = false;
      answerId++;
      // The follower gets it later than this, so its promise ends later too.
      sentNanos = context.clock().nanoTime();
      call.sendMessage(frame);
    }
    context.stats().answered(frame.wireBytes());
  }

  /**
   * Ends the stream, once.
   *
   * @param why null when the follower ended it
   */
  void end(@Nullable SluiceException why) {
    List<FetchedBucket> left;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      owed = false;
      left = new ArrayList<>(buckets.values());
      buckets.clear();
      queue.clear();
      left.forEach(entry -> entry.stage = Stage.GONE);
      if (!call.isCancelled()) {
        close(why);
      }
    }
    left.forEach(FetchedBucket::detach);
    onEnd.accept(this);
  }

  private void close(@Nullable SluiceException why) {
    if (why == null) {
      call.close(Status.OK, new Metadata());
      return;
    }
    StatusRuntimeException status = StatusMapping.toStatus(why);
    Metadata trailers = status.getTrailers();
    call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
  }
}

package io.sluice.tablet.replication.stream;

import io.grpc.CallOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.replication.v1.BucketFetch;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.replication.v1.FetchRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that this server fetches from one leader's server on one lane, over as many calls as it
 * takes. Guarded by the lock of {@link FollowerStreams}.
 *
 * <pre>
 * CLOSED (nothing to fetch) --a bucket joins--> OPEN
 * OPEN --broken, silent--> WAITING --pause over, the server has moved--> OPEN
 * OPEN, WAITING --the last bucket has left--> CLOSED
 * </pre>
 */
final class FetchStream {
  private static final Logger LOG = LoggerFactory.getLogger(FetchStream.class);
  private static final long UNREADY_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final FollowerStreams owner;
  private final int serverId;
  private final FetchLane lane;
  private final Map<TableBucket, FollowedBucket> buckets = new HashMap<>();
  // What the next request says.
  private final Set<FollowedBucket> telling = new LinkedHashSet<>();
  private final Set<TableBucket> removed = new LinkedHashSet<>();
  // Those that the leader was told could not lead at once.
  private final Set<FollowedBucket> unready = new LinkedHashSet<>();
  private long unreadyCheckedNanos;
  private @Nullable FetchCall call;
  private boolean waiting;
  private boolean flushing;
  private long backOffMs;
  private String lastReason = "";
  // Of batches on their way through replicas.
  private long storingBytes;
  private boolean promised;
  private long lastPromiseNanos;

  FetchStream(FollowerStreams owner, int serverId, FetchLane lane) {
    this.owner = owner;
    this.serverId = serverId;
    this.lane = lane;
    this.backOffMs = owner.limits().backOffMs();
    this.unreadyCheckedNanos = owner.clock().nanoTime();
  }

  FollowerStreams owner() {
    return owner;
  }

  int serverId() {
    return serverId;
  }

  FetchLane lane() {
    return lane;
  }

  boolean isOpen() {
    return call != null;
  }

  int size() {
    return buckets.size();
  }

  /** A bucket is fetched here from now on. */
  void join(FollowedBucket bucket) {
    bucket.stream = this;
    bucket.told = false;
    buckets.put(bucket.bucket, bucket);
    tell(bucket);
    flushSoon();
  }

  /** A bucket is not fetched here any more. */
  void leave(FollowedBucket bucket) {
    bucket.promisedNanos = promisedNanos(bucket);
    if (bucket.told) {
      removed.add(bucket.bucket);
    }
    bucket.told = false;
    bucket.stream = null;
    buckets.remove(bucket.bucket, bucket);
    telling.remove(bucket);
    unready.remove(bucket);
    flushSoon();
  }

  /** The bucket as it is fetched here, null when it is not. */
  @Nullable FollowedBucket bucket(TableBucket bucket) {
    return buckets.get(bucket);
  }

  /** Until when this server has promised not to act as leader of the bucket. */
  long promisedNanos(FollowedBucket bucket) {
    if (!bucket.told || !promised) {
      return bucket.promisedNanos;
    }
    return FollowerStreams.later(bucket.promisedNanos, lastPromiseNanos + owner.promiseNanos());
  }

  /** The leader is told with the next request where the bucket ends, if it may be fetched. */
  void tell(FollowedBucket bucket) {
    if (bucket.mayBeFetched()) {
      telling.add(bucket);
    }
  }

  /** Opens the stream or tells what is new, in a moment: what comes meanwhile goes along. */
  void flushSoon() {
    if (!flushing) {
      flushing = true;
      owner.soon(this::flush);
    }
  }

  private void flush() {
    flushing = false;
    FetchCall open = call;
    if (open == null) {
      if (!waiting) {
        connect();
      }
    } else if (buckets.isEmpty()) {
      close("Nothing is followed here any more");
    } else if (open.isOwed() && (!telling.isEmpty() || !removed.isEmpty())) {
      open.add();
    }
  }

  private void connect() {
    waiting = false;
    if (buckets.isEmpty() || owner.closed()) {
      return;
    }
    removed.clear();
    telling.clear();
    unready.clear();
    for (FollowedBucket bucket : buckets.values()) {
      bucket.promisedNanos = promisedNanos(bucket);
      bucket.told = false;
      tell(bucket);
    }
    try {
      FetchCall next =
          new FetchCall(
              this,
              owner
                  .connections()
                  .channel(serverId, lane)
                  .newCall(owner.fetchMethod(), CallOptions.DEFAULT));
      call = next;
      next.open();
    } catch (SluiceException e) {
      broken(e);
    }
  }

  boolean isCurrent(FetchCall which) {
    return call == which;
  }

  /** The leader answers: a break from now on is a new one. */
  void answered() {
    backOffMs = owner.limits().backOffMs();
    if (!lastReason.isEmpty()) {
      LOG.info("The {} stream from server {} goes on", lane, serverId);
      lastReason = "";
    }
  }

  /** Goes on after an answer, or ends when there is nothing left to fetch. */
  void next(FetchCall open) {
    if (buckets.isEmpty()) {
      close("Nothing is followed here any more");
    } else {
      open.ask();
    }
  }

  /** Writes what is to be told into a request, which is told thereby. */
  void tellAll(FetchRequest.Builder request, boolean followsAnswer) {
    long now = owner.clock().nanoTime();
    if (!unready.isEmpty() && now - unreadyCheckedNanos > UNREADY_CHECK_NANOS) {
      unreadyCheckedNanos = now;
      for (FollowedBucket bucket : unready) {
        if (bucket.sink.ready()) {
          tell(bucket);
        }
      }
    }
    for (FollowedBucket bucket : List.copyOf(telling)) {
      tell(request, bucket);
    }
    telling.clear();
    removed.forEach(bucket -> request.addRemoved(BucketIds.of(bucket)));
    removed.clear();
    if (followsAnswer && lane == FetchLane.FETCH_LANE_IN_SYNC) {
      // The leader's lease began when it sent that answer, which is earlier than this.
      promised = true;
      lastPromiseNanos = now;
    }
  }

  private void tell(FetchRequest.Builder request, FollowedBucket bucket) {
    BucketFetch fetch = bucket.fetch();
    if (fetch == null) {
      // Its role is being taken over on another thread, this way or that.
      backOff(bucket);
      return;
    }
    request.addBuckets(fetch);
    bucket.told = true;
    if (fetch.getReady()) {
      unready.remove(bucket);
    } else {
      unready.add(bucket);
    }
  }

  /** Batches go to a replica. */
  void storing(int bytes) {
    storingBytes += bytes;
  }

  /** A replica is done with them. */
  void stored(int bytes) {
    storingBytes -= bytes;
  }

  /** Bytes to ask for: replicas that take long are gone on without, so more and more may wait. */
  int answerBytes() {
    int most = owner.answerBytes(lane);
    return storingBytes < StreamLimits.STORING_BYTES
        ? most
        : Math.min(most, StreamLimits.FEW_BYTES);
  }

  /** The server is reached elsewhere now, or is another process: tries it at once. */
  void serverChanged() {
    if (buckets.isEmpty()) {
      return;
    }
    close("The server has registered anew");
    backOffMs = owner.limits().backOffMs();
    connect();
  }

  void close(String why) {
    FetchCall open = call;
    call = null;
    if (open != null) {
      open.cancel(why);
    }
  }

  /** The call has ended, or could not be made: another one after a pause. */
  void broken(SluiceException why) {
    call = null;
    owner.stats().reconnected();
    String reason = String.valueOf(why.getMessage());
    if (!reason.equals(lastReason)) {
      LOG.warn("The {} stream from server {} broke: {}", lane, serverId, reason);
    }
    lastReason = reason;
    if (waiting || buckets.isEmpty()) {
      return;
    }
    waiting = true;
    owner.later(backOffMs, this::connectIfWaiting);
    backOffMs = owner.limits().nextBackOffMs(backOffMs);
  }

  private void connectIfWaiting() {
    if (waiting) {
      connect();
    }
  }

  /** Gives up on a leader that does not answer, and goes on without replicas that take long. */
  void tick(long nowNanos) {
    FetchCall open = call;
    if (open == null) {
      return;
    }
    open.tick(nowNanos);
    if (!open.isSilent(nowNanos)) {
      return;
    }
    owner.connections().renew(serverId, lane);
    close("No answer");
    broken(
        new SluiceException(
            ErrorCode.TIMEOUT, "No answer within " + owner.limits().silenceMs() + " ms"));
  }

  /** Does not fetch a bucket before a pause is over. */
  void pause(FollowedBucket bucket, long millis) {
    telling.remove(bucket);
    bucket.paused = true;
    owner.later(
        millis,
        () -> {
          bucket.paused = false;
          FetchStream stream = bucket.stream;
          if (stream != null) {
            stream.tell(bucket);
            stream.flushSoon();
          }
        });
  }

  /** The leader has taken the bucket out of the stream. */
  void refused(FollowedBucket bucket) {
    owner.stats().refused();
    bucket.promisedNanos = promisedNanos(bucket);
    bucket.told = false;
    unready.remove(bucket);
    backOff(bucket);
  }

  private void backOff(FollowedBucket bucket) {
    StreamLimits limits = owner.limits();
    bucket.backOffMs =
        bucket.backOffMs == 0 ? limits.backOffMs() : limits.nextBackOffMs(bucket.backOffMs);
    pause(bucket, bucket.backOffMs);
  }
}

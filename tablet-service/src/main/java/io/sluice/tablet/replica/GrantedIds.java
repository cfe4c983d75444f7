package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.tablet.kv.IdSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids that a bucket may give to new rows. The first range is asked for when the bucket begins
 * to lead, each later one when half of the last is used and twice as large, up to the table's
 * limit. Ranges die with the epoch they were granted to: what is left of them is nobody's.
 *
 * <p>When the table has no more ids those who wait go on without: a put that needs none, as an
 * update or a delete, is taken, and one with a new row is refused.
 *
 * <p>Owned by the shard's thread.
 */
final class GrantedIds implements IdSource {
  private static final Logger log = LoggerFactory.getLogger(GrantedIds.class);
  private static final long FIRST_RANGE = 128;
  private static final long RETRY_MS = 200;
  // Thousands of buckets must not keep a coordinator busy that has just come back.
  private static final long MAX_RETRY_MS = 2_000;
  private static final int NOT_LEADING = -1;

  private final TableBucket bucket;
  private final KvHost host;
  private final Listener listener;
  private final ArrayDeque<IdRange> ranges = new ArrayDeque<>();
  private int epoch = NOT_LEADING;
  // Of the first range, those before were used.
  private long nextOfFirst;
  private long atHand;
  private long wanted;
  private long lastRange;
  private long nextRange = FIRST_RANGE;
  private long maxRange = FIRST_RANGE;
  private long retryMs = RETRY_MS;
  private boolean asking;
  // Why there are no more, while those who waited for some go on without.
  private @Nullable SluiceException exhausted;
  // Given since the mark: ranges that were used up, and how far the first one was then.
  private final List<IdRange> usedUp = new ArrayList<>();
  private long markedNext;
  private long markedAtHand;

  /** Whom it concerns that nobody has to wait for ids now; called on the shard's thread. */
  interface Listener {
    /** Runs something on the shard's thread; called on any. */
    void onShard(Runnable work);

    void goOn();
  }

  GrantedIds(TableBucket bucket, KvHost host, Listener listener) {
    this.bucket = bucket;
    this.host = host;
    this.listener = listener;
  }

  /**
   * The bucket is led from here.
   *
   * @param max as {@link #limit}
   */
  void lead(int leaderEpoch, long max) {
    if (epoch != leaderEpoch) {
      stop();
      epoch = leaderEpoch;
      nextRange = FIRST_RANGE;
    }
    limit(max);
    if (atHand == 0) {
      ask();
    }
  }

  /** Sets the largest range to ask for, which the table may change at any time. */
  void limit(long max) {
    maxRange = max;
  }

  /** The bucket is not led from here any more. */
  void stop() {
    epoch = NOT_LEADING;
    ranges.clear();
    nextOfFirst = 0;
    atHand = 0;
    wanted = 0;
    lastRange = 0;
    mark();
  }

  /** The ids given until now are used. */
  void mark() {
    usedUp.clear();
    markedNext = nextOfFirst;
    markedAtHand = atHand;
  }

  /** What was given since the mark was not used: gives it again. */
  void takeBack() {
    for (int i = usedUp.size() - 1; i >= 0; i--) {
      ranges.addFirst(usedUp.get(i));
    }
    nextOfFirst = markedNext;
    atHand = markedAtHand;
    usedUp.clear();
  }

  @Override
  public boolean require(int rows) {
    if (rows <= atHand || exhausted != null) {
      return true;
    }
    wanted = rows;
    ask();
    return false;
  }

  @Override
  public long next() {
    IdRange first = ranges.peek();
    if (first == null) {
      SluiceException none = exhausted;
      if (none != null) {
        throw new SluiceException(
            none.code(), String.valueOf(none.getMessage()), none.details(), none);
      }
      throw new SluiceException(
          ErrorCode.INTERNAL, "Bucket " + bucket + " gives ids that were not required");
    }
    long id = first.first() + nextOfFirst;
    nextOfFirst++;
    if (nextOfFirst == first.count()) {
      usedUp.add(ranges.remove());
      nextOfFirst = 0;
    }
    atHand--;
    if (atHand <= lastRange / 2) {
      ask();
    }
    return id;
  }

  private void ask() {
    if (asking || epoch == NOT_LEADING) {
      return;
    }
    asking = true;
    int asker = epoch;
    long count = Math.max(1, Math.min(maxRange, Math.max(nextRange, wanted - atHand)));
    var unused =
        host.ids()
            .grant(bucket, asker, count)
            .whenComplete(
                (range, failure) -> listener.onShard(() -> answered(asker, range, failure)));
  }

  private void answered(int asker, @Nullable IdRange range, @Nullable Throwable failure) {
    asking = false;
    if (asker != epoch) {
      // Granted to an earlier epoch, with which it has died.
      askAgain();
    } else if (range != null) {
      came(range);
    } else if (failure != null) {
      failed(failure);
    }
  }

  private void came(IdRange range) {
    retryMs = RETRY_MS;
    ranges.add(range);
    atHand += range.count();
    lastRange = range.count();
    nextRange = Math.min(maxRange, 2 * nextRange);
    host.counters().grantedIds(range.count());
    if (atHand < wanted) {
      ask();
      return;
    }
    wanted = 0;
    listener.goOn();
  }

  private void failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException wrapper && wrapper.getCause() != null
            ? wrapper.getCause()
            : failure;
    SluiceException why = StatusMapping.fromStatus(cause);
    if (why.code() == ErrorCode.IDS_EXHAUSTED) {
      wanted = 0;
      exhausted = why;
      try {
        listener.goOn();
      } finally {
        // Whoever comes next asks again: the column may have been widened.
        exhausted = null;
      }
      return;
    }
    log.debug("No ids for {} yet: {}", bucket, why.getMessage());
    host.after(retryMs, () -> listener.onShard(this::askAgain));
    retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs);
  }

  private void askAgain() {
    if (epoch != NOT_LEADING && (atHand < wanted || atHand <= lastRange / 2)) {
      ask();
    }
  }
}

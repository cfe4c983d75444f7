package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.log.LogBeginning;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.ReplicationSink;
import io.sluice.tablet.replication.ReplicationSource;
import io.sluice.tablet.replication.Truncation;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica as a follower: takes in what the leader of one epoch answers. Everything is verified
 * before it is written; what the leader does not have is cut. Changed by the shard's thread; {@link
 * ReplicationSink}'s methods are for everybody.
 */
final class Following implements ReplicationSink {
  private static final Logger logger = LoggerFactory.getLogger(Following.class);

  /** So many answers in a row may be damaged; fetching again does not help then. */
  private static final int MOST_BAD_ANSWERS = 3;

  /** Used part of the disk above which followers write no more; leaders stop earlier. */
  private static final double DISK_LIMIT = 0.95;

  private final LocalReplica replica;
  private final ReplicaContext context;
  private final BucketLog log;
  private final CommitPoint commits;
  private final @Nullable KvReplica kv;
  private final @Nullable RowsProgress rows;
  private int leader;
  private int epoch;
  private boolean inSync;
  private boolean followed;
  // What is committed comes from whom it follows now.
  private boolean told;
  private int badAnswers;
  private volatile @Nullable FetchPosition position;
  private volatile long leaderLogStart;

  Following(
      LocalReplica replica,
      ReplicaContext context,
      BucketLog log,
      CommitPoint commits,
      @Nullable KvReplica kv,
      @Nullable RowsProgress rows) {
    this.replica = replica;
    this.context = context;
    this.log = log;
    this.commits = commits;
    this.kv = kv;
    this.rows = rows;
  }

  /** Follows whom the role names, perhaps nobody; under a newer epoch or with another ISR. */
  void follow(ReplicaRole role) {
    boolean wasInSync = inSync;
    boolean newTerm = epoch != role.leaderEpoch() || leader != role.leaderServerId();
    epoch = role.leaderEpoch();
    leader = role.leaderServerId();
    inSync = role.isr().contains(context.serverId());
    if (newTerm) {
      badAnswers = 0;
      told = false;
      if (kv != null) {
        kv.follow(leader, epoch);
      }
    }
    if (leader == 0) {
      end();
    } else if (newTerm || position == null || wasInSync != inSync) {
      moved();
      followed = true;
      context.replication().followers().follow(this, leader, epoch, inSync);
    }
    standBy();
  }

  /** Whether it has followed anybody since the start of the process. */
  boolean hasFollowed() {
    return followed;
  }

  /** Follows nobody any more. */
  void end() {
    if (position != null) {
      position = null;
      context.replication().followers().unfollow(bucket());
    }
  }

  /** Goes on with the rows, as far as what is known to be committed. */
  void standBy() {
    if (rows != null) {
      rows.standBy(commits.committed(), told);
    }
    commits.show();
  }

  private void moved() {
    long end = log.endOffset();
    position = new FetchPosition(epoch, end, log.epochs().epochBefore(end));
  }

  @Override
  public TableBucket bucket() {
    return log.bucket();
  }

  @Override
  public @Nullable FetchPosition position() {
    return position;
  }

  @Override
  public boolean ready() {
    return kv == null || kv.ready();
  }

  /** Where the leader's log begins, as it said last. */
  long leaderLogStart() {
    return leaderLogStart;
  }

  @Override
  public void received(Received answer, Consumer<Outcome> then) {
    replica.submit(
        new ShardCall(
            () -> take(answer, then), failure -> then.accept(new Outcome(null, failure))));
  }

  private void take(Received answer, Consumer<Outcome> then) {
    Outcome outcome;
    try {
      outcome = new Outcome(null, null);
      if (position != null && answer.leaderEpoch() == epoch) {
        replica.requireServing();
        boolean replaces = answer.diverges() != null || answer.beginning() != null;
        if (replaces && kv != null && !kv.mayCut(() -> received(answer, then))) {
          return;
        }
        store(answer);
        outcome = new Outcome(position, null);
      }
    } catch (SluiceException e) {
      outcome = new Outcome(null, failed(e));
      if (position != null) {
        // A part may have been stored.
        moved();
      }
    } catch (RuntimeException | Error defect) {
      replica.takeOffline(
          "What the leader sent was stored in a way that is not understood: " + defect);
      throw defect;
    }
    then.accept(outcome);
  }

  private void store(Received answer) {
    ReplicationSource.Beginning beginning = answer.beginning();
    EpochHistory.End diverges = answer.diverges();
    if (beginning != null) {
      startAnew(
          new LogBeginning(
              beginning.offset(), beginning.writers(), beginning.lastTimeMs(), beginning.epochs()));
    } else if (diverges != null) {
      cut(diverges);
    } else {
      if (answer.batches().hasRemaining()) {
        append(answer.batches());
      }
      leaderLogStart = answer.logStart();
      // Only now: above this the logs agreed when the leader said so.
      commits.advanceTo(Math.min(answer.committed(), log.endOffset()));
      told = true;
    }
    moved();
    standBy();
  }

  private void append(ByteBuffer batches) {
    if (context.disk().usedPart() > DISK_LIMIT) {
      throw context.disk().refusal(replica.displayName());
    }
    long end = log.endOffset();
    int lastEpoch = log.epochs().epochBefore(end);
    LogBatchHeader first = LogBatchHeader.wrap(batches);
    long base = first.baseOffset();
    BucketLog.check(batches, base, base < end ? 0 : lastEpoch);
    if (base < end) {
      logger.debug("Ignored batches of {} from {} on: the log ends at {}", bucket(), base, end);
      if (first.nextOffset() > end) {
        throw corrupt("A batch from offset " + base + " on overlaps the end of the log at " + end);
      }
      return;
    }
    if (base > end) {
      noteHole(end, base, first.leaderEpoch(), lastEpoch);
    }
    log.appendReplicated(batches.duplicate());
    badAnswers = 0;
    if (kv != null) {
      kv.stored(batches);
    }
  }

  /** The leader's log has nothing between the two offsets: records were lost, as it has told. */
  private void noteHole(long end, long base, int batchEpoch, int lastEpoch) {
    if (batchEpoch <= lastEpoch) {
      throw corrupt(
          "The log ends at "
              + end
              + ", but the next batch begins at "
              + base
              + " under the same epoch "
              + batchEpoch);
    }
    logger.warn(
        "DATA LOST: the log of {} ({}) goes on at {}, as that of its leader; nothing is between"
            + " that and {}",
        replica.displayName(),
        bucket(),
        base,
        end);
    context.counters().hole();
  }

  private SluiceException corrupt(String message) {
    return new SluiceException(
        ErrorCode.CORRUPT_BATCH, message + " in " + replica.displayName() + " (" + bucket() + ")");
  }

  private void cut(EpochHistory.End leaderEnd) {
    long end = log.endOffset();
    Truncation.Cut cut = Truncation.cutTo(log.epochs(), log.startOffset(), end, leaderEnd);
    if (cut instanceof Truncation.To to) {
      cutTo(to.logEnd(), leaderEnd);
    } else {
      logger.warn(
          "The log of {} ({}) to {} has nothing in common with its leader's: begins anew",
          replica.displayName(),
          bucket(),
          end);
      startAnew(LogBeginning.EMPTY);
    }
    context.counters().cut();
  }

  private void cutTo(long offset, EpochHistory.End leaderEnd) {
    long before = log.endOffset();
    if (offset < commits.committed()) {
      logger.error(
          "DATA LOST: the log of {} ({}) is cut to {}, below {}, which was committed",
          replica.displayName(),
          bucket(),
          offset,
          commits.committed());
    }
    if (kv != null) {
      // A store that is beyond the cut is gone before the log is.
      kv.truncate(offset);
    }
    long end = log.cutTo(offset);
    if (kv != null) {
      kv.truncate(end);
    }
    commits.cutTo(end);
    logger.info(
        "Cut the log of {} ({}) from {} to {}: its leader's epoch {} ends at {}",
        replica.displayName(),
        bucket(),
        before,
        end,
        leaderEnd.epoch(),
        leaderEnd.endOffset());
  }

  private void startAnew(LogBeginning beginning) {
    long before = log.endOffset();
    if (kv != null) {
      kv.wipe();
    }
    log.startAnew(beginning);
    commits.restartAt(beginning.offset());
    logger.info(
        "The log of {} ({}), which ended at {}, begins anew at {}",
        replica.displayName(),
        bucket(),
        before,
        beginning.offset());
  }

  private SluiceException failed(SluiceException failure) {
    switch (failure.code()) {
      case CORRUPT_BATCH -> {
        logger.warn("Not stored in {}: {}", replica.displayName(), failure.getMessage());
        if (++badAnswers >= MOST_BAD_ANSWERS) {
          replica.takeOffline(
              "The leader sent damaged batches " + badAnswers + " times: " + failure.getMessage());
        }
      }
      case CORRUPT_STORAGE -> replica.takeOffline(String.valueOf(failure.getMessage()));
      default -> replica.afterFailure(failure);
    }
    return failure;
  }
}

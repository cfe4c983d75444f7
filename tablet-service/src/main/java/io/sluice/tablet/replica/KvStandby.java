package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.ChangelogApplier;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.replica.KvReplica.Progress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of a bucket that another server leads, kept so that this one could lead at once. Owned
 * by the shard's thread; {@link #ready} is for everybody.
 */
final class KvStandby {
  private static final Logger logger = LoggerFactory.getLogger(KvStandby.class);

  /**
   * An empty store that lacks more of the changelog than this part of what a restart may replay, 64
   * MiB by default, gets the rows from the leader.
   */
  private static final int EMPTY_STORE_PART = 4;

  /** A disk that spoils what is fetched again and again is not written to for ever. */
  private static final int MOST_SPOILED = 3;

  private final KvHost host;
  private final BucketLog log;
  private final KvRows rows;
  private final KvBootstrap bootstrap;
  private final long maxReplayIntoEmptyBytes;
  private boolean installing;
  private int spoiled;
  private volatile boolean ready;

  KvStandby(KvHost host, BucketLog log, KvRows rows) {
    this.host = host;
    this.log = log;
    this.rows = rows;
    this.bootstrap =
        new KvBootstrap(host, log.bucket(), log.directory().resolve(KvReplica.DIRECTORY));
    this.maxReplayIntoEmptyBytes = host.resources().settings().maxReplayBytes() / EMPTY_STORE_PART;
  }

  /** See {@link KvReplica#follow}. */
  void follow(int leaderServerId, int epoch) {
    bootstrap.follow(leaderServerId, epoch);
  }

  /** This server leads, or the bucket ends here: nothing is fetched any more. */
  void stop() {
    bootstrap.stop();
  }

  /** See {@link KvReplica#stored}. */
  void stored(ByteBuffer batches) {
    KvTablet open = rows.tablet();
    ByteBuffer rest = batches.duplicate();
    while (open != null && rest.hasRemaining() && open.waitingBytes() < KvRows.BYTES_A_TURN) {
      LogBatchHeader header = LogBatchHeader.wrap(rest);
      if (header.baseOffset() != open.knownEnd()) {
        return;
      }
      ByteBuffer bytes =
          rest.slice(rest.position() + LogBatchHeader.SIZE, header.length() - LogBatchHeader.SIZE);
      try {
        open.load(header, ChangelogApplier.sections(header, bytes));
      } catch (SluiceException e) {
        // Met again when it is read from the log, by who takes care of it.
        logger.debug("A batch of {} is not taken from memory: {}", log.bucket(), e.getMessage());
        return;
      }
      rest.position(rest.position() + header.length());
    }
  }

  /** See {@link KvReplica#standBy}. */
  Progress standBy(long committed, boolean told, Runnable again) {
    installFetched(again);
    KvTablet open = openedOrFetched(again);
    if (open == null) {
      ready = false;
      return Progress.OPENING;
    }
    if (rows.isYoung() && unknownBytes(open) > maxReplayIntoEmptyBytes) {
      bootstrap.begin("the changelog to replay into an empty store is long", again);
    }
    Progress progress = turn(open, committed);
    // What is loaded and not applied is bounded too. Many uncommitted records are loaded when there
    // is room, which there is not before they are committed: for that this replica may be needed.
    // One that has just begun to follow does not know yet what is committed.
    ready = unknownBytes(open) <= KvRows.BYTES_A_TURN || (told && isFull(open, committed));
    return progress;
  }

  private Progress turn(KvTablet open, long committed) {
    boolean all;
    try {
      // Makes room.
      open.advance(committed);
      all = rows.load(open, KvRows.BYTES_A_TURN);
      open.advance(committed);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.DISK_FULL) {
        logger.debug("The rows of {} wait for space on the disk", log.bucket(), e);
        return Progress.STALLED;
      }
      return rows.stalledWithoutSchema(e);
    }
    if (rows.isBehind(committed)) {
      return Progress.STALLED;
    }
    // What is not committed need not be known: it is loaded when there is room.
    return all || isFull(open, committed) ? Progress.DONE : Progress.MORE;
  }

  /** Whether all that is committed is known, and so much beyond that no more has room. */
  private static boolean isFull(KvTablet open, long committed) {
    return open.waitingBytes() >= KvRows.BYTES_A_TURN && open.knownEnd() >= committed;
  }

  /** Bytes of the log behind the known end, about. */
  private long unknownBytes(KvTablet open) {
    long start = log.startOffset();
    long end = log.endOffset();
    long known = Math.min(end, Math.max(start, open.knownEnd()));
    return known == end ? 0 : (long) ((double) log.sizeBytes() / (end - start) * (end - known));
  }

  private @Nullable KvTablet openedOrFetched(Runnable again) {
    try {
      KvTablet open = rows.opened(again);
      if (open != null) {
        installing = false;
        spoiled = 0;
      }
      return open;
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.CORRUPT_STORAGE || isSpoiledAgain()) {
        throw e;
      }
      // Nothing here can replace them, but the leader has them.
      bootstrap.begin(String.valueOf(e.getMessage()), again);
      return null;
    }
  }

  private boolean isSpoiledAgain() {
    if (installing) {
      installing = false;
      spoiled++;
    }
    return spoiled >= MOST_SPOILED;
  }

  /** Puts rows that have come from the leader in their place once the log reaches them. */
  private void installFetched(Runnable again) {
    KvPosition fetched = bootstrap.fetched(again);
    if (fetched == null || rows.opening().isUnderWay()) {
      return;
    }
    long offset = fetched.appliedOffset();
    KvTablet open = rows.tablet();
    if (offset < log.startOffset() || (open != null && open.appliedOffset() >= offset)) {
      // Too old, or overtaken: if rows are needed still they are fetched again.
      bootstrap.cancel();
      return;
    }
    if (offset > log.endOffset()) {
      return;
    }
    rows.discard();
    rows.opening().install(bootstrap.take());
    installing = true;
    host.counters().installedStore();
    logger.info(
        "Rows of {} have come from the leader as of offset {}, {} of them; the log to {} follows",
        log.bucket(),
        offset,
        fetched.rowCount(),
        log.endOffset());
  }

  /** See {@link KvReplica#ready}. */
  boolean ready() {
    return ready;
  }

  /** See {@link KvReplica#mayCut}. */
  boolean mayCut(Runnable again) {
    try {
      return rows.opened(again) != null;
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.CORRUPT_STORAGE) {
        throw e;
      }
      // There is no store that could be beyond anything.
      return true;
    }
  }

  /** See {@link KvReplica#truncate}. */
  void truncate(long offset) {
    KvTablet open = rows.tablet();
    if (open != null && !open.truncate(offset)) {
      logger.warn(
          "The rows of {} are at offset {}, beyond the cut of the log at {}: they are built anew",
          log.bucket(),
          open.appliedOffset(),
          offset);
      ready = false;
      rows.discard();
      rows.opening().dropAbove(offset);
    }
  }

  /** See {@link KvReplica#wipe}. */
  void wipe() {
    ready = false;
    bootstrap.cancel();
    rows.discard();
    rows.opening().dropAbove(-1);
  }

  /** See {@link KvReplica#dropDamaged}. */
  void dropDamaged(SluiceException damage) {
    ready = false;
    rows.discard();
    rows.opening().again(damage);
  }
}

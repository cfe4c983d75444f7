package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.ChangelogApplier;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.LogCursor;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a bucket while it is open, and what of the log is loaded into it. Owned by the
 * shard's thread; {@link #tablet}, {@link #required}, {@link #applied} and {@link #flushed} are for
 * everybody.
 */
final class KvRows {
  private static final Logger logger = LoggerFactory.getLogger(KvRows.class);
  private static final int BATCHES_A_TURN = 64;

  /** Loaded in one turn; of a replica that follows, also what may wait to be committed. */
  static final long BYTES_A_TURN = 8 << 20;

  private final BucketLog log;
  private final RowsOpening opening;
  private boolean young;
  private volatile @Nullable KvTablet tablet;

  /**
   * @param opener opens the store as it is in its directory
   */
  KvRows(KvHost host, BucketLog log, Supplier<HostedTable> table, Supplier<KvTablet> opener) {
    this.log = log;
    this.opening =
        new RowsOpening(
            host,
            log,
            log.directory().resolve(KvReplica.DIRECTORY),
            () -> table.get().schema().schemaId(),
            opener);
  }

  /** The store, null while it is not open. */
  @Nullable KvTablet tablet() {
    return tablet;
  }

  /** The store; LEADER_NOT_READY while it is not open. */
  KvTablet required() {
    KvTablet open = tablet;
    if (open == null) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY, "The rows of " + log.bucket() + " are not loaded yet");
    }
    return open;
  }

  /** How it is opened, restored and copied. */
  RowsOpening opening() {
    return opening;
  }

  /**
   * The store, which is opened when it is not; null while that takes.
   *
   * @param ready run on any thread when there is something to say
   * @throws SluiceException CORRUPT_STORAGE when it is damaged and nothing here can replace it
   */
  @Nullable KvTablet opened(Runnable ready) {
    KvTablet open = tablet;
    if (open == null) {
      open = opening.poll(ready);
      if (open != null) {
        young = open.appliedOffset() == 0;
        tablet = open;
      }
    }
    return open;
  }

  /** Whether the store was empty when it was opened. */
  boolean isYoung() {
    return young;
  }

  /**
   * Loads a bounded part of the log that is not known yet; true when there is no more.
   *
   * @param maxWaitingBytes no more is loaded while so much waits for the store
   */
  boolean load(KvTablet open, long maxWaitingBytes) {
    long end = log.endOffset();
    if (open.knownEnd() >= end) {
      return true;
    }
    try (LogCursor cursor = log.openCursor(open.knownEnd())) {
      long bytes = 0;
      for (int batches = 0;
          batches < BATCHES_A_TURN && bytes < BYTES_A_TURN && open.waitingBytes() < maxWaitingBytes;
          batches++) {
        if (!cursor.next(end)) {
          open.skipTo(end);
          return true;
        }
        bytes += cursor.header().length();
        load(open, cursor);
      }
    }
    return open.knownEnd() >= end;
  }

  private static void load(KvTablet open, LogCursor cursor) {
    LogBatchHeader header = cursor.header();
    ByteBuffer bytes = ByteBuffer.allocate(header.length() - LogBatchHeader.SIZE);
    cursor.read(LogBatchHeader.SIZE, bytes);
    if (header.baseOffset() > open.knownEnd()) {
      open.skipTo(header.baseOffset());
    }
    open.load(header, ChangelogApplier.sections(header, bytes.flip()));
  }

  /** The table is described by another stream than the log; an unknown schema will be in it. */
  KvReplica.Progress stalledWithoutSchema(SluiceException e) {
    if (e.code() != ErrorCode.SCHEMA_NOT_FOUND) {
      throw e;
    }
    logger.debug("The changelog of {} is ahead of its schemas: {}", log.bucket(), e.getMessage());
    return KvReplica.Progress.STALLED;
  }

  /** Whether changes that are committed and loaded wait for the store. */
  boolean isBehind(long committed) {
    KvTablet open = tablet;
    return open != null && open.appliedOffset() < Math.min(committed, open.knownEnd());
  }

  /** See {@link KvReplica#applied}. */
  long applied() {
    KvTablet open = tablet;
    return open == null ? log.startOffset() : open.appliedOffset();
  }

  /** See {@link KvReplica#flushed}. */
  long flushed() {
    KvTablet open = tablet;
    if (open == null) {
      return log.startOffset();
    }
    long flushed = Math.min(open.store().flushedAppliedOffset(), opening.oldestSnapshot());
    // Once it is being restored its snapshots are not known any more.
    return tablet == open ? flushed : log.startOffset();
  }

  /** Closes it without a flush: what was not flushed comes again. */
  void discard() {
    tablet = null;
    // Perhaps nobody has taken it from there yet.
    KvTablet open = opening.end();
    if (open != null) {
      open.discard();
    }
  }
}

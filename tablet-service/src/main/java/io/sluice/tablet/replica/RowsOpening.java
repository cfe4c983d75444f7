package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.snapshot.BucketSnapshots;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import io.sluice.tablet.kv.snapshot.StoreFiles;
import io.sluice.tablet.log.BucketLog;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the rows of a bucket on one of the host's threads, so that thousands of buckets start at
 * the same time and none keeps the others of its shard waiting. When they are damaged or lack
 * changes that the log no longer has, the newest good snapshot takes their place; with a log that
 * goes back to its beginning and no snapshot they are built anew from it.
 *
 * <p>Owned by the shard's thread; {@link #oldestSnapshot} and {@link #copy} are for everybody.
 */
final class RowsOpening {
  private static final Logger logger = LoggerFactory.getLogger(RowsOpening.class);

  /** A store that goes bad again and again is not restored for ever. */
  private static final int MOST_RESTORES = 3;

  private final KvHost host;
  private final BucketLog log;
  private final Path directory;
  private final IntSupplier schemaId;
  private final Supplier<KvTablet> opener;
  private @Nullable CompletableFuture<KvTablet> result;
  private @Nullable SluiceException damage;
  private int restores;
  // Of whoever opens, one after the other.
  private boolean cleaned;
  private @Nullable Path fetched;
  private volatile @Nullable BucketSnapshots snapshots;

  /**
   * @param directory of the store
   * @param schemaId newest schema of the table
   * @param opener opens the store as it is in the directory
   */
  RowsOpening(
      KvHost host, BucketLog log, Path directory, IntSupplier schemaId, Supplier<KvTablet> opener) {
    this.host = host;
    this.log = log;
    this.directory = directory;
    this.schemaId = schemaId;
    this.opener = opener;
  }

  /**
   * The rows once they are open; null while they are being opened.
   *
   * @param ready run on any thread when there is something to say
   * @throws SluiceException CORRUPT_STORAGE when they are damaged and nothing can replace them;
   *     DISK_FULL when there is no space to open them, which is tried again when this is asked
   *     again
   */
  @Nullable KvTablet poll(Runnable ready) {
    CompletableFuture<KvTablet> current = result;
    if (current == null) {
      current = host.open(this::open);
      result = current;
    }
    if (current.isDone()) {
      if (foundNoSpace(current)) {
        // The next one opens it again.
        result = null;
      }
      return take(current);
    }
    // Each who asks is told: one may wait to load, another to cut.
    var unused = current.whenComplete((tablet, failure) -> ready.run());
    return null;
  }

  private static boolean foundNoSpace(CompletableFuture<KvTablet> done) {
    return done.handle(
            (tablet, failure) -> {
              Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
              return why instanceof SluiceException known && known.code() == ErrorCode.DISK_FULL;
            })
        .join();
  }

  private static KvTablet take(CompletableFuture<KvTablet> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private KvTablet open() {
    if (!cleaned) {
      StoreFiles.removeLeftovers(directory);
      cleaned = true;
    }
    Path arrived = fetched;
    if (arrived != null) {
      StoreFiles.install(arrived, directory);
      fetched = null;
    }
    BucketSnapshots kept = snapshots;
    if (kept == null) {
      kept =
          BucketSnapshots.open(
              log.directory(), log.bucket(), log.endOffset(), host.snapshotStats());
      snapshots = kept;
    }
    KvTablet tablet = damage == null ? openOrRestore(kept) : restore(kept, damage);
    damage = null;
    host.snapshots().add(kept, tablet.store(), schemaId);
    return tablet;
  }

  private KvTablet openOrRestore(BucketSnapshots kept) {
    KvTablet tablet;
    try {
      tablet = opener.get();
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.CORRUPT_STORAGE) {
        throw e;
      }
      return restore(kept, e);
    }
    long applied = tablet.appliedOffset();
    if (applied >= kept.newestOffset()) {
      return tablet;
    }
    // It was flushed up to there before the snapshot was made.
    tablet.discard();
    return restore(
        kept,
        new SluiceException(
            ErrorCode.CORRUPT_STORAGE,
            directory
                + " ends at offset "
                + applied
                + ", before its own snapshot at "
                + kept.newestOffset()));
  }

  private KvTablet restore(BucketSnapshots kept, SluiceException why) {
    if (restores == MOST_RESTORES) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "The rows were restored "
              + MOST_RESTORES
              + " times and are damaged again: "
              + why.getMessage(),
          why);
    }
    long start = log.startOffset();
    KvPosition position = kept.restore(directory, start, log.endOffset());
    if (position != null) {
      logger.warn(
          "Rows of {} restored from the snapshot at offset {}, the log to {} follows: {}",
          log.bucket(),
          position.appliedOffset(),
          log.endOffset(),
          why.getMessage());
    } else if (start == 0) {
      kept.setAside(directory);
      logger.warn(
          "Rows of {} are built anew from the whole log to {}, as there is no good snapshot: {}",
          log.bucket(),
          log.endOffset(),
          why.getMessage());
    } else {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          why.getMessage()
              + "; there is no good snapshot in "
              + log.directory().resolve(BucketSnapshots.DIRECTORY)
              + ", and the log begins at "
              + start
              + ", so that the rows cannot be built anew from it",
          why);
    }
    KvTablet tablet = opener.get();
    restores++;
    host.snapshotStats().countRestored();
    return tablet;
  }

  /**
   * The store was closed because it is damaged: the next {@link #poll} restores it.
   *
   * @param why what was found
   */
  void again(SluiceException why) {
    restart();
    damage = why;
  }

  private void restart() {
    stopSnapshots();
    snapshots = null;
    damage = null;
    result = null;
  }

  /** Whether somebody is opening the store. */
  boolean isUnderWay() {
    CompletableFuture<KvTablet> current = result;
    return current != null && !current.isDone();
  }

  /**
   * The store was closed: the next {@link #poll} opens the one that has come in its place.
   *
   * @param arrived its directory
   */
  void install(Path arrived) {
    restart();
    fetched = arrived;
  }

  /**
   * The store was closed: takes it away, and what has come in its place, and its snapshots above an
   * offset. Their files are deleted later: it takes long when there are many, and other buckets
   * wait for this thread.
   */
  void dropAbove(long offset) {
    restart();
    Path arrived = fetched;
    fetched = null;
    List<Path> dropped = StoreFiles.dropAbove(directory, offset);
    host.laterInBackground(
        () -> {
          dropped.forEach(StoreFiles::remove);
          if (arrived != null) {
            StoreFiles.remove(arrived);
          }
        });
  }

  /** A copy of the open store to be sent elsewhere; on any thread. */
  SnapshotCopy copy(KvStore store) {
    BucketSnapshots kept = snapshots;
    if (kept == null) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY, "The rows of " + log.bucket() + " are not open now");
    }
    return kept.copy(store, schemaId.getAsInt(), host.time().epochMs());
  }

  /** Applied offset of the oldest snapshot; {@code Long.MAX_VALUE} when there is none. */
  long oldestSnapshot() {
    BucketSnapshots kept = snapshots;
    long oldest = kept == null ? BucketSnapshots.NONE : kept.oldestOffset();
    return oldest == BucketSnapshots.NONE ? Long.MAX_VALUE : oldest;
  }

  /** Ends what runs; the rows if they were being opened, for the caller to close. */
  @Nullable KvTablet end() {
    CompletableFuture<KvTablet> current = result;
    KvTablet open = null;
    if (current != null) {
      open = current.exceptionally(failure -> null).join();
    }
    stopSnapshots();
    return open;
  }

  private void stopSnapshots() {
    BucketSnapshots kept = snapshots;
    if (kept != null) {
      host.snapshots().remove(kept);
      kept.close();
    }
  }
}

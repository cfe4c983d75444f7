package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a bucket between the applied offset of its store and the end of its log: in offset
 * order for the store, and by key for whoever evaluates the next put. Changes come in offset order,
 * are handed out below the committed offset and can be cut off at the end.
 *
 * <p>Owned by the thread that writes the bucket; only {@link #bytes} may be called by others.
 */
public final class PreWriteBuffer {
  private static final long MAX_BATCH_BYTES = 4 * 1024 * 1024;

  private final ArrayDeque<KvChange> changes = new ArrayDeque<>();
  private final Map<RowKey, KvChange> newest = new HashMap<>();
  private long startOffset;
  private long endOffset;
  private long revision;
  private volatile long bytes;

  /**
   * @param startOffset applied offset of the store
   */
  public PreWriteBuffer(long startOffset) {
    this.startOffset = startOffset;
    this.endOffset = startOffset;
  }

  /** Everything below is in the store. */
  public long startOffset() {
    return startOffset;
  }

  /** Everything from the start to here is in the buffer; the next record has this offset. */
  public long endOffset() {
    return endOffset;
  }

  /** Changes that wait. */
  public int size() {
    return changes.size();
  }

  /** Memory the waiting changes take, about. */
  public long bytes() {
    return bytes;
  }

  /** Grows whenever a change comes or is cut off, not when changes go to the store. */
  long revision() {
    return revision;
  }

  /** The newest waiting change of a row, null when the store has its newest state. */
  @Nullable KvChange newest(RowKey key) {
    return newest.get(key);
  }

  /** Adds the change of one record; offsets grow. */
  void add(KvChange change) {
    if (change.offset() < endOffset) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Change of offset " + change.offset() + " comes after the changes below " + endOffset);
    }
    KvChange older = newest.put(change.key(), change);
    if (older != null) {
      change.older = older;
      older.newer = change;
    }
    changes.add(change);
    bytes += change.bytes();
    endOffset = change.offset() + 1;
    revision++;
  }

  /** Notes that the records up to an offset change nothing more. */
  void extendTo(long offset) {
    if (offset > endOffset) {
      endOffset = offset;
      revision++;
    }
  }

  /**
   * The changes below the committed offset, or the first few MiB of them, for the store; null when
   * the store has them all. They stay here until {@link #applied}.
   */
  public @Nullable KvBatch below(long committed) {
    long limit = Math.min(committed, endOffset);
    if (limit <= startOffset) {
      return null;
    }
    List<KvChange> batch = new ArrayList<>();
    long batchBytes = 0;
    for (KvChange change : changes) {
      if (change.offset() >= limit) {
        break;
      }
      if (batchBytes >= MAX_BATCH_BYTES) {
        return new KvBatch(batch, startOffset, change.offset());
      }
      batch.add(change);
      batchBytes += change.bytes();
    }
    return new KvBatch(batch, startOffset, limit);
  }

  /** Forgets the changes of a batch that is in the store now. */
  public void applied(KvBatch batch) {
    for (KvChange expected : batch.changes()) {
      KvChange change = changes.poll();
      if (change != expected) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "A batch was applied that is not the head of the buffer");
      }
      KvChange newer = change.newer;
      if (newer == null) {
        newest.remove(change.key());
      } else {
        newer.older = null;
      }
      bytes -= change.bytes();
    }
    startOffset = batch.endOffset();
  }

  /** Drops the changes at and above an offset: the log was cut there. */
  public void truncate(long offset) {
    if (offset < startOffset) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "The changelog was cut to "
              + offset
              + " but the store holds the changes below "
              + startOffset
              + "; the store must be built anew");
    }
    while (!changes.isEmpty() && changes.getLast().offset() >= offset) {
      KvChange change = changes.removeLast();
      KvChange older = change.older;
      if (older == null) {
        newest.remove(change.key());
      } else {
        older.newer = null;
        newest.put(change.key(), older);
      }
      bytes -= change.bytes();
    }
    endOffset = Math.min(endOffset, offset);
    revision++;
  }
}

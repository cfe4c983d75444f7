package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.rocksdb.WriteBatch;

/**
 * Changes in offset order for one write to a store, with the applied offset they lead to. Made by
 * {@link PreWriteBuffer#below}.
 */
public final class KvBatch {
  private final List<KvChange> changes;
  private final long startOffset;
  private final long endOffset;

  /**
   * @param startOffset applied offset before
   * @param endOffset applied offset after
   */
  KvBatch(List<KvChange> changes, long startOffset, long endOffset) {
    this.changes = List.copyOf(changes);
    this.startOffset = startOffset;
    this.endOffset = endOffset;
  }

  /** Number of changes. */
  public int size() {
    return changes.size();
  }

  /** Applied offset after this batch. */
  public long endOffset() {
    return endOffset;
  }

  List<KvChange> changes() {
    return changes;
  }

  /** The position of the store after this batch; INTERNAL when the store is elsewhere. */
  KvPosition after(KvPosition before) {
    if (before.appliedOffset() != startOffset) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Changes from offset "
              + startOffset
              + " cannot be applied to a store at offset "
              + before.appliedOffset());
    }
    long rows = before.rowCount();
    for (KvChange change : changes) {
      if (rows == KvPosition.UNKNOWN_ROWS || change.rowDelta() == KvChange.UNKNOWN) {
        return new KvPosition(endOffset, KvPosition.UNKNOWN_ROWS);
      }
      rows += change.rowDelta();
      if (rows < 0) {
        throw new SluiceException(
            ErrorCode.CORRUPT_STORAGE,
            "The changelog deletes more rows than there are, at offset " + change.offset());
      }
    }
    return new KvPosition(endOffset, rows);
  }

  /**
   * Of several changes of one row the last, in the order of the keys: the store takes them in half
   * the time.
   */
  List<KvChange> last() {
    List<KvChange> last = new ArrayList<>(changes.size());
    for (KvChange change : changes) {
      KvChange newer = change.newer;
      if (newer == null || newer.offset() >= endOffset) {
        last.add(change);
      }
    }
    last.sort(Comparator.comparing(KvChange::key));
    return last;
  }

  /**
   * The native batch of these changes and the position after them. Built here and handed over as a
   * whole, as a call for each change would cost more than the change.
   */
  static WriteBatch toWriteBatch(List<KvChange> last, KvPosition after) {
    WriteBatchBytes bytes = new WriteBatchBytes();
    for (KvChange change : last) {
      byte[] value = change.value();
      if (value == null) {
        bytes.delete(change.key().bytes());
      } else {
        bytes.put(change.key().bytes(), value);
      }
    }
    bytes.put(KvMeta.positionKey(), KvMeta.encodePosition(after));
    return new WriteBatch(bytes.toByteArray());
  }
}

package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import org.rocksdb.RocksDBException;
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
      rows += change.rowDelta();
    }
    return new KvPosition(endOffset, rows);
  }

  /** Adds the changes; of several for one row only the last. */
  void writeTo(WriteBatch batch) throws RocksDBException {
    for (KvChange change : changes) {
      KvChange newer = change.newer;
      if (newer != null && newer.offset() < endOffset) {
        continue;
      }
      byte[] value = change.value();
      if (value == null) {
        batch.delete(change.key().bytes());
      } else {
        batch.put(change.key().bytes(), value);
      }
    }
  }
}

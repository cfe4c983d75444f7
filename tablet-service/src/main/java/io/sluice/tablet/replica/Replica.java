package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.RowsView;
import java.util.List;

/**
 * One bucket's replica on this server, as the protocol layer sees it. Thread-safe; no method but
 * {@link #openCursor}, {@link #offsetForTime} and the cursor's own does I/O on the calling thread.
 */
public interface Replica {
  /** Which bucket this is. */
  TableBucket bucket();

  /** The table it belongs to, with the newest schema known here. */
  HostedTable table();

  /**
   * Epoch under which this server leads the bucket. NOT_LEADER (with the details {@code
   * leader_server_id} and, when that one is alive, {@code leader} when another one does) or
   * LEADER_NOT_READY otherwise; REPLICA_OFFLINE when the data is damaged, TABLE_CHANGED when the
   * replica was removed.
   */
  int requireLeader();

  /** All offsets, read at one moment. */
  ReplicaOffsets offsets();

  /** Bytes of this replica on disk. */
  long sizeBytes();

  /**
   * Hands a put to the bucket's shard. The content is not checked here: the caller has validated
   * header and sections against the table's schema. The callback runs exactly once, on the shard's
   * thread or on this one when the put is refused at once, and must not block. The batch's buffers
   * belong to the replica until then.
   */
  void append(AppendRequest request, AppendCallback callback);

  /**
   * Makes the rows of keys that have none (or an expired one): with the key, an id in the
   * auto-increment column, and in every other column its write default or NULL. A row that exists
   * then is left as it is, whoever made it. Answered like an append, once, when lookups see all of
   * the rows; refused with INVALID_VALUE when a NOT NULL column has no default.
   *
   * @param encodedKeys row keys of this bucket, checked by the caller; not to be changed
   */
  void insertMissing(List<byte[]> encodedKeys, AppendCallback callback);

  /**
   * The last sequence stored for the writer, -1 when none. A higher epoch than any seen fences the
   * lower ones from now on; a lower one is refused with FENCED_WRITER.
   */
  long writerSequence(long writerId, int writerEpoch);

  /** The first offset stored at or after the time, or the visible end when there is none. */
  long offsetForTime(long epochMs);

  /**
   * A cursor over the stored batches, from the batch that holds {@code startOffset} on.
   * OFFSET_OUT_OF_RANGE when the offset is outside [log start, visible].
   */
  BatchCursor openCursor(long startOffset);

  /**
   * The rows of a primary-key bucket as lookups see them, with everything that was acknowledged.
   * UNSUPPORTED for a log table, else as {@link #requireLeader}. Asked for at each read: which rows
   * have expired is that of the moment. Reading them does I/O.
   */
  RowsView requireRows();

  /**
   * That no other server can act as leader of the bucket yet, so that what was read just now is the
   * newest: LEADER_NOT_READY when that is not certain, else as {@link #requireLeader}. Asked after
   * each read of {@link #requireRows}, before it is answered; does not block.
   */
  default void requireLease() {}

  /** Calls the listener, on any thread and without locks held, whenever visible or role changes. */
  void addListener(Runnable listener);

  /** Stops calling the listener. */
  void removeListener(Runnable listener);
}

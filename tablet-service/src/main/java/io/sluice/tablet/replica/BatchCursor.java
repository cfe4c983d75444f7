package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;

/**
 * Walks the stored batches of a bucket in offset order, across segments and recorded holes. Keeps
 * the segment it stands in open. Not thread-safe; {@link #close} twice is harmless.
 */
public interface BatchCursor extends AutoCloseable {
  /**
   * Moves to the next batch that lies wholly below {@code endOffset}.
   *
   * @return false when there is none yet; the cursor stays where it is and may be asked again
   * @throws SluiceException TABLE_CHANGED when the replica was removed, REPLICA_OFFLINE when it
   *     went offline, CORRUPT_STORAGE when this header is damaged (which takes it offline)
   */
  boolean next(long endOffset);

  /** Header of the current batch, its checksum verified. Valid until the next move. */
  LogBatchHeader header();

  /**
   * Fills {@code target} from the current batch, starting {@code position} bytes after the start of
   * its header. STORAGE_ERROR when the file fails, CORRUPT_STORAGE when it ends early.
   */
  void read(int position, ByteBuffer target);

  /**
   * Says that bytes of the current batch are not what was stored: the caller has read them and
   * their checksum does not match. Takes the replica offline and logs the place.
   *
   * @param position where in the batch, bytes after the start of its header
   * @param expected what should be there, for example {@code crc32c 0x1234abcd of body buffer 3}
   * @param found what is there
   * @return the failure to throw, CORRUPT_STORAGE, naming file, position, expected and found
   */
  SluiceException reportCorruption(int position, String expected, String found);

  @Override
  void close();
}

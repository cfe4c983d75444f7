package io.sluice.tablet.flight;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.projection.ProjectedBatch;
import io.sluice.tablet.replica.BatchCursor;
import java.nio.ByteBuffer;

/** Fills the bodies of projected batches: reads what they need of the stored one, and no more. */
final class BodyReads {
  private final ByteBufAllocator buffers;

  /**
   * @param buffers memory of what is read
   */
  BodyReads(ByteBufAllocator buffers) {
    this.buffers = buffers;
  }

  /**
   * The new body, in pooled memory that is the caller's; every buffer of it is checked. One whose
   * checksum is wrong is told to the replica. CORRUPT_BATCH when all are right but one cannot be
   * widened.
   */
  ByteBuf body(BatchCursor cursor, ProjectedBatch projected) {
    int length = projected.bodyLength();
    ByteBuf body = buffers.directBuffer(Math.max(1, length), Math.max(1, length));
    boolean done = false;
    try {
      fill(cursor, projected, body.nioBuffer(0, length));
      body.writerIndex(length);
      done = true;
      return body;
    } finally {
      if (!done) {
        body.release();
      }
    }
  }

  /** The same into memory of the caller, from index 0 on. */
  void fill(BatchCursor cursor, ProjectedBatch projected, ByteBuffer target) {
    int bodyAt = LogBatchHeader.SIZE + cursor.header().sectionsLength();
    for (int read = 0; read < projected.readCount(); read++) {
      int at = bodyAt + projected.readOffset(read);
      int bytes = projected.readLength(read);
      int direct = projected.directTarget(read);
      if (direct >= 0) {
        cursor.read(at, target.slice(direct, bytes));
        checkDirect(cursor, projected, read, target);
      } else {
        place(cursor, projected, read, at, bytes, target);
      }
    }
    projected.complete(target);
  }

  private static void checkDirect(
      BatchCursor cursor, ProjectedBatch projected, int read, ByteBuffer target) {
    try {
      projected.checkDirect(read, target);
    } catch (SluiceException wrongChecksum) {
      throw BatchSections.damaged(cursor, wrongChecksum);
    }
  }

  private void place(
      BatchCursor cursor,
      ProjectedBatch projected,
      int read,
      int at,
      int bytes,
      ByteBuffer target) {
    ByteBuf scratch = buffers.directBuffer(Math.max(1, bytes), Math.max(1, bytes));
    try {
      ByteBuffer stored = scratch.nioBuffer(0, bytes);
      cursor.read(at, stored);
      checkScratch(cursor, projected, read, scratch.nioBuffer(0, bytes));
      projected.place(read, scratch.nioBuffer(0, bytes), target);
    } finally {
      scratch.release();
    }
  }

  private static void checkScratch(
      BatchCursor cursor, ProjectedBatch projected, int read, ByteBuffer bytes) {
    try {
      projected.checkScratch(read, bytes);
    } catch (SluiceException wrongChecksum) {
      throw BatchSections.damaged(cursor, wrongChecksum);
    }
  }
}

package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.LogCursor;
import java.nio.ByteBuffer;

/** A log cursor that stops with its replica and takes it offline when it finds damage. */
final class ReplicaCursor implements BatchCursor {
  private final LocalReplica replica;
  private final LogCursor cursor;

  ReplicaCursor(LocalReplica replica, LogCursor cursor) {
    this.replica = replica;
    this.cursor = cursor;
  }

  @Override
  public boolean next(long endOffset) {
    replica.requireServing();
    try {
      return cursor.next(Math.min(endOffset, replica.visible()));
    } catch (SluiceException e) {
      throw failed(e, cursor.nextOffset());
    }
  }

  @Override
  public LogBatchHeader header() {
    return cursor.header();
  }

  @Override
  public void read(int position, ByteBuffer target) {
    try {
      cursor.read(position, target);
    } catch (SluiceException e) {
      throw failed(e, header().baseOffset());
    }
  }

  /** A read of what was deleted meanwhile is answered with where the log begins now. */
  private SluiceException failed(SluiceException e, long offset) {
    boolean deleted = offset < replica.log().startOffset();
    return deleted && e.code() != ErrorCode.CORRUPT_STORAGE
        ? replica.outOfRange(offset)
        : replica.afterRead(e);
  }

  @Override
  public SluiceException reportCorruption(int position, String expected, String found) {
    return replica.afterRead(cursor.corruption(position, expected, found));
  }

  @Override
  public void close() {
    cursor.close();
  }
}

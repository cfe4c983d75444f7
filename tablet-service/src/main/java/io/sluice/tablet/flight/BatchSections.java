package io.sluice.tablet.flight;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.replica.BatchCursor;
import java.nio.ByteBuffer;

/**
 * The sections of a stored batch that lie before its body, read and checked against the content
 * checksum. Owns their memory until closed.
 */
final class BatchSections implements AutoCloseable {
  private final ByteBuf memory;
  private final ByteBuffer all;
  private final LogBatchHeader header;

  private BatchSections(ByteBuf memory, LogBatchHeader header) {
    this.memory = memory;
    this.header = header;
    this.all = memory.nioBuffer(0, header.sectionsLength());
  }

  /** Those of the batch that the cursor stands on; told to the replica when they are damaged. */
  static BatchSections read(BatchCursor cursor, ByteBufAllocator buffers) {
    LogBatchHeader header = cursor.header();
    int length = header.sectionsLength();
    ByteBuf memory = buffers.directBuffer(Math.max(1, length), Math.max(1, length));
    boolean done = false;
    try {
      if (length > 0) {
        cursor.read(LogBatchHeader.SIZE, memory.nioBuffer(0, length));
      }
      BatchSections sections = new BatchSections(memory, header);
      sections.check(cursor);
      done = true;
      return sections;
    } finally {
      if (!done) {
        memory.release();
      }
    }
  }

  private void check(BatchCursor cursor) {
    try {
      header.checkContentCrc(all);
    } catch (SluiceException wrongChecksum) {
      throw damaged(cursor, wrongChecksum);
    }
  }

  /** Takes the replica offline; the failure names file and position. */
  static SluiceException damaged(BatchCursor cursor, SluiceException wrongChecksum) {
    return cursor.reportCorruption(
        0, "a batch that fits its checksums", String.valueOf(wrongChecksum.getMessage()));
  }

  ByteBuffer changeTypes() {
    return all.slice(0, header.changeTypesLength());
  }

  ByteBuffer statistics() {
    return all.slice(header.changeTypesLength(), header.statisticsLength());
  }

  /** The Arrow message. */
  ByteBuffer metadata() {
    return all.slice(metadataAt(), header.metadataLength());
  }

  ByteBuffer checksums() {
    return all.slice(metadataAt() + header.metadataLength(), header.checksumsLength());
  }

  private int metadataAt() {
    return header.changeTypesLength() + header.statisticsLength();
  }

  @Override
  public void close() {
    memory.release();
  }
}

package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Checks every byte of a stored batch whose header is good: the content checksum, each body
 * buffer's checksum, and that padding is zero. Not thread-safe.
 */
final class StoredBatchCheck {
  private final StoredBytes stored;

  StoredBatchCheck(FileChannel channel) {
    this(StoredBytes.of(channel));
  }

  StoredBatchCheck(StoredBytes stored) {
    this.stored = stored;
  }

  /**
   * What is wrong with the batch, null when nothing is.
   *
   * @param header its header, checked
   * @param position where it begins in the bytes, which hold all of it
   */
  @Nullable Damage check(LogBatchHeader header, long position) throws IOException {
    long sectionsAt = position + LogBatchHeader.SIZE;
    ByteBuffer sections = stored.take(sectionsAt, header.sectionsLength());
    int crc = header.computeContentCrc(sections);
    if (crc != header.contentCrc()) {
      return new Damage(
          position,
          Corruption.crc(header.contentCrc()) + " of the batch's sections",
          Corruption.crc(crc));
    }
    long bodyAt = sectionsAt + header.sectionsLength();
    Damage damage = checkBody(header, sections, bodyAt);
    return damage != null
        ? damage
        : checkZero(bodyAt + header.bodyLength(), position + header.length(), "padding");
  }

  private @Nullable Damage checkBody(LogBatchHeader header, ByteBuffer sections, long bodyAt)
      throws IOException {
    if (header.metadataLength() == 0) {
      return checkZero(bodyAt, bodyAt + header.bodyLength(), "body without metadata");
    }
    int metadataAt = header.changeTypesLength() + header.statisticsLength();
    RecordBatch batch = recordBatch(sections.slice(metadataAt, header.metadataLength()));
    ByteBuffer checksums =
        sections
            .slice(metadataAt + header.metadataLength(), header.checksumsLength())
            .order(ByteOrder.LITTLE_ENDIAN);
    int count = batch == null ? -1 : batch.buffersLength();
    if (batch == null || 4L * count != header.checksumsLength()) {
      return new Damage(
          bodyAt - header.sectionsLength() + metadataAt,
          "an Arrow record batch with " + header.checksumsLength() / 4 + " buffers",
          count < 0 ? "another message" : count + " buffers");
    }
    long checked = 0;
    for (int i = 0; i < count; i++) {
      Buffer buffer = batch.buffers(i);
      long start = buffer.offset();
      long length = buffer.length();
      if (start < checked || length < 0 || start + length > header.bodyLength()) {
        return new Damage(
            bodyAt,
            "body buffer " + i + " between " + checked + " and " + header.bodyLength(),
            "at " + start + " with " + length + " bytes");
      }
      Damage damage = checkBuffer(i, bodyAt + start, length, checksums.getInt(4 * i));
      if (damage == null) {
        damage = checkZero(bodyAt + checked, bodyAt + start, "padding before buffer " + i);
      }
      if (damage != null) {
        return damage;
      }
      checked = start + length;
    }
    return checkZero(bodyAt + checked, bodyAt + header.bodyLength(), "padding of the body");
  }

  /** Null when the bytes hold no record batch. Their checksum is good, so they were stored so. */
  private static @Nullable RecordBatch recordBatch(ByteBuffer metadata) {
    try {
      Message message = Message.getRootAsMessage(metadata.order(ByteOrder.LITTLE_ENDIAN));
      if (message.headerType() != MessageHeader.RecordBatch) {
        return null;
      }
      RecordBatch batch = (RecordBatch) message.header(new RecordBatch());
      if (batch != null && batch.buffersLength() > 0) {
        batch.buffers(batch.buffersLength() - 1).length();
      }
      return batch;
    } catch (IndexOutOfBoundsException notArrow) {
      return null;
    }
  }

  private @Nullable Damage checkBuffer(int number, long position, long length, int expected)
      throws IOException {
    CRC32C crc = new CRC32C();
    for (long done = 0; done < length; ) {
      ByteBuffer chunk = view(position + done, length - done);
      done += chunk.remaining();
      crc.update(chunk);
    }
    int found = (int) crc.getValue();
    return found == expected
        ? null
        : new Damage(
            position,
            Corruption.crc(expected) + " of body buffer " + number,
            Corruption.crc(found));
  }

  private @Nullable Damage checkZero(long start, long end, String what) throws IOException {
    for (long done = start; done < end; ) {
      ByteBuffer chunk = view(done, end - done);
      for (int i = 0; i < chunk.limit(); i++) {
        if (chunk.get(i) != 0) {
          return new Damage(done + i, "zero " + what, "byte " + (chunk.get(i) & 0xFF));
        }
      }
      done += chunk.limit();
    }
    return null;
  }

  private ByteBuffer view(long position, long wanted) throws IOException {
    return stored.view(position, (int) Math.min(StoredBytes.CHUNK, wanted));
  }
}

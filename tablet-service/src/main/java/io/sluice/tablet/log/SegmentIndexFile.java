package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The {@code .index} file beside a segment: a head that tells what the segment holds, then its
 * index entries. It is written only after the segment itself was forced, so a good head proves that
 * the first {@code logBytes} bytes of the segment are on disk.
 */
final class SegmentIndexFile {
  static final int HEAD = 64;

  private static final long MAGIC = 0x5844_4953_4355_4C53L; // "SLUCSIDX" in little-endian order
  private static final short VERSION = 1;
  private static final int ENTRIES_CRC_AT = 48;
  private static final int HEAD_CRC_AT = 60;
  // A process may have some 65,000 mappings.
  private static final int MAPPED_ABOVE = 16 << 10;

  private SegmentIndexFile() {}

  /**
   * What the index says of its segment.
   *
   * @param baseOffset first offset
   * @param endOffset offset after the last record
   * @param logBytes size of the segment file
   * @param lastTimeMs append time of the last batch, 0 when there is none
   * @param entries number of entries
   */
  record Head(long baseOffset, long endOffset, int logBytes, long lastTimeMs, int entries) {}

  /**
   * A segment's first part, up to some batch.
   *
   * @param head what it holds
   * @param entries the index entries of it; they do not change
   */
  record Part(Head head, ByteBuffer entries) {}

  /** Puts the file in its place. The segment was forced before. */
  static void write(FileOpener files, Path path, Head head, SegmentIndex index) throws IOException {
    write(files, path, new Part(head, index.stored()));
  }

  /** The same for a segment of which that much was forced. */
  static void write(FileOpener files, Path path, Part part) throws IOException {
    Head head = part.head();
    ByteBuffer entries = part.entries();
    ByteBuffer bytes = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(MAGIC).putShort(VERSION).putShort((short) HEAD);
    bytes.putInt(entries.remaining() / SegmentIndex.ENTRY);
    bytes.putLong(head.baseOffset()).putLong(head.endOffset()).putLong(head.logBytes());
    bytes.putLong(head.lastTimeMs()).putInt(crc(entries)).putLong(0);
    bytes.putInt(crc(bytes.duplicate().flip()));
    DurableFiles.replace(files, path, bytes.flip(), entries);
  }

  /** The head when the file is there, complete and undamaged in its first 64 bytes. */
  static @Nullable Head readHead(FileOpener files, Path path) throws IOException {
    try (FileChannel channel = files.open(path, StandardOpenOption.READ)) {
      ByteBuffer bytes = readHeadBytes(channel);
      return bytes == null ? null : head(bytes);
    } catch (NoSuchFileException missing) {
      return null;
    }
  }

  /** The entries, mapped when they are many; null when the file is missing or damaged anywhere. */
  static @Nullable SegmentIndex load(FileOpener files, Path path, long baseOffset)
      throws IOException {
    try (FileChannel channel = files.open(path, StandardOpenOption.READ)) {
      ByteBuffer bytes = readHeadBytes(channel);
      if (bytes == null) {
        return null;
      }
      Head head = head(bytes);
      if (head.baseOffset() != baseOffset) {
        return null;
      }
      ByteBuffer entries = readEntries(channel, head.entries() * SegmentIndex.ENTRY);
      return crc(entries) == bytes.getInt(ENTRIES_CRC_AT) ? new SegmentIndex(entries) : null;
    } catch (NoSuchFileException missing) {
      return null;
    }
  }

  private static ByteBuffer readEntries(FileChannel channel, int bytes) throws IOException {
    if (bytes > MAPPED_ABOVE) {
      return channel.map(FileChannel.MapMode.READ_ONLY, HEAD, bytes);
    }
    ByteBuffer entries = ByteBuffer.allocate(bytes);
    DurableFiles.readFully(channel, entries, HEAD);
    return entries.flip();
  }

  private static @Nullable ByteBuffer readHeadBytes(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN);
    if (DurableFiles.readFully(channel, bytes, 0) < HEAD) {
      return null;
    }
    bytes.flip();
    boolean good =
        bytes.getLong(0) == MAGIC
            && bytes.getShort(8) == VERSION
            && bytes.getShort(10) == HEAD
            && bytes.getInt(HEAD_CRC_AT) == crc(bytes.slice(0, HEAD_CRC_AT))
            && channel.size() == HEAD + (long) bytes.getInt(12) * SegmentIndex.ENTRY;
    return good ? bytes : null;
  }

  private static Head head(ByteBuffer bytes) {
    return new Head(
        bytes.getLong(16),
        bytes.getLong(24),
        (int) bytes.getLong(32),
        bytes.getLong(40),
        bytes.getInt(12));
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}

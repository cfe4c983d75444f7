package io.sluice.coordinator.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts off the last entry of a metadata log when a killed process wrote only its first pages. Ratis
 * leaves out an entry that the end of the file cuts short, but its files are filled with zeros
 * ahead of what is written: there a half-written entry has its full length and a wrong checksum,
 * and Ratis does not open the log.
 *
 * <p>Such an entry was never forced, so nobody was told of it. It is known by zeros in the place of
 * its checksum and all the way behind it; any other damage is left for Ratis to refuse.
 */
final class TornTail {
  private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);

  private static final int FILE_HEADER = 8;
  private static final int CHECKSUM = 4;
  private static final int LONGEST_VARINT = 5;

  private TornTail() {}

  /**
   * Looks at the segment that was being written.
   *
   * @param group directory of the Raft group; nothing happens when it is missing or in use
   */
  static void cut(Path group) throws IOException {
    Path current = group.resolve("current");
    if (!Files.isDirectory(current)) {
      return;
    }
    try (FileChannel channel =
        FileChannel.open(
            group.resolve("in_use.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      FileLock lock = tryLock(channel);
      if (lock == null) {
        return;
      }
      try (DirectoryStream<Path> segments = Files.newDirectoryStream(current, "log_inprogress_*")) {
        for (Path segment : segments) {
          cutSegment(segment);
        }
      }
    }
  }

  /** Null when another process, or this one, runs on the directory: Ratis says so. */
  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldHere) {
      LOG.debug("The metadata log is open in this process", heldHere);
      return null;
    }
  }

  private static void cutSegment(Path segment) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    int torn = tornEntry(bytes);
    if (torn < 0) {
      return;
    }
    LOG.warn(
        "Cut {} at position {}: the entry there was only half written when the last process ended",
        segment,
        torn);
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      channel.truncate(torn);
      channel.force(true);
    }
  }

  /** Where the half-written entry begins, -1 when there is none. */
  static int tornEntry(byte[] bytes) {
    int at = FILE_HEADER;
    while (at < bytes.length) {
      int prefix = varintSize(bytes, at);
      long length = prefix == 0 ? 0 : varint(bytes, at, prefix);
      long end = at + prefix + length + CHECKSUM;
      if (length <= 0 || end > bytes.length) {
        return -1;
      }
      int checksumAt = (int) end - CHECKSUM;
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, checksumAt - at);
      if ((int) crc.getValue() != bigEndian(bytes, checksumAt)) {
        return isZero(bytes, checksumAt) ? at : -1;
      }
      at = (int) end;
    }
    return -1;
  }

  /** Bytes of the length before an entry, 0 when there is none. */
  private static int varintSize(byte[] bytes, int at) {
    for (int size = 1; size <= LONGEST_VARINT && at + size <= bytes.length; size++) {
      if (bytes[at + size - 1] >= 0) {
        return size;
      }
    }
    return 0;
  }

  private static long varint(byte[] bytes, int at, int size) {
    long value = 0;
    for (int i = 0; i < size; i++) {
      value |= (bytes[at + i] & 0x7FL) << (7 * i);
    }
    return value;
  }

  private static int bigEndian(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 24
        | (bytes[at + 1] & 0xFF) << 16
        | (bytes[at + 2] & 0xFF) << 8
        | (bytes[at + 3] & 0xFF);
  }

  private static boolean isZero(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }
}

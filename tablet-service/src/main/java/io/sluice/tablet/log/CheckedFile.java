package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A small file that is read and replaced as a whole: magic, version, payload length, payload,
 * crc32c of all before. Little-endian.
 */
final class CheckedFile {
  private static final int HEAD = 16;
  private static final int TAIL = 4;
  private static final short VERSION = 1;
  private static final int MAX_PAYLOAD = 1 << 28;

  private final FileOpener files;
  private final Path path;
  private final String magic;

  /**
   * @param magic eight ASCII characters
   */
  CheckedFile(FileOpener files, Path path, String magic) {
    if (magic.length() != 8) {
      throw new IllegalArgumentException("Magic '" + magic + "' must have 8 characters");
    }
    this.files = files;
    this.path = path;
    this.magic = magic;
  }

  /** A little-endian buffer for a payload. */
  static ByteBuffer payload(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Replaces the file; the payload is read from its position to its limit. */
  void write(ByteBuffer payload) throws IOException {
    ByteBuffer file = payload(HEAD + payload.remaining() + TAIL);
    file.put(magic.getBytes(StandardCharsets.US_ASCII));
    file.putShort(VERSION).putShort((short) 0).putInt(payload.remaining());
    file.put(payload.duplicate());
    file.putInt(crcUntil(file, file.position()));
    DurableFiles.replace(files, path, file.flip());
  }

  /** The payload, null when there is no file; CORRUPT_STORAGE when it is damaged. */
  @Nullable ByteBuffer read() throws IOException {
    try (FileChannel channel = files.open(path, StandardOpenOption.READ)) {
      long size = channel.size();
      if (size < HEAD + TAIL || size > MAX_PAYLOAD) {
        throw Corruption.at(path, 0, "a file of at least " + (HEAD + TAIL) + " bytes", "" + size);
      }
      ByteBuffer file = payload((int) size);
      DurableFiles.readFully(channel, file, 0);
      return check(file.flip());
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private ByteBuffer check(ByteBuffer file) {
    byte[] found = new byte[8];
    file.get(0, found);
    if (!new String(found, StandardCharsets.US_ASCII).equals(magic)) {
      throw Corruption.at(path, 0, "magic " + magic, new String(found, StandardCharsets.US_ASCII));
    }
    if (file.getShort(8) != VERSION) {
      throw Corruption.at(path, 8, "version " + VERSION, "" + file.getShort(8));
    }
    int length = file.getInt(12);
    if (length != file.limit() - HEAD - TAIL) {
      throw Corruption.at(path, 12, "length " + (file.limit() - HEAD - TAIL), "" + length);
    }
    int crc = crcUntil(file, HEAD + length);
    if (crc != file.getInt(HEAD + length)) {
      throw Corruption.at(
          path, HEAD + length, Corruption.crc(crc), Corruption.crc(file.getInt(HEAD + length)));
    }
    return file.slice(HEAD, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int crcUntil(ByteBuffer file, int end) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().position(0).limit(end));
    return (int) crc.getValue();
  }
}

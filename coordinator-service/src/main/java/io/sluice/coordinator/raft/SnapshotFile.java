package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.raft.proto.SnapshotRecord;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A metadata snapshot as a file; its bytes are described in {@code docs/formats/metadata-raft.md}.
 * A file under its final name is complete: it is written under another one, forced, and renamed.
 */
final class SnapshotFile {
  static final int HEADER_SIZE = 48;

  /** "SLUICEMS" in ASCII. */
  static final long MAGIC = 0x534C_5549_4345_4D53L;

  static final short VERSION = 1;

  private static final int HEADER_CRC_AT = 44;
  private static final int CRC_SIZE = 4;
  private static final int BUFFER_SIZE = 64 * 1024;

  private SnapshotFile() {}

  /** Writes the image durably: forced, renamed into place, the directory forced. */
  static void write(Path file, UUID group, long term, MetadataImage image) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_SIZE);
      writeTo(out, group, term, image);
      out.flush();
      channel.force(true);
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  /** Writes the bytes of a snapshot file. */
  static void writeTo(OutputStream target, UUID group, long term, MetadataImage image)
      throws IOException {
    ChecksummedOutput out = new ChecksummedOutput(target);
    out.write(header(group, term, image.index()));
    SnapshotCodec.write(image, record -> record.writeDelimitedTo(out));
    ByteBuffer crc = ByteBuffer.allocate(CRC_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    crc.putInt(0, (int) out.crc.getValue());
    target.write(crc.array());
  }

  private static byte[] header(UUID group, long term, long index) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_SIZE);
    header.order(ByteOrder.BIG_ENDIAN).putLong(0, MAGIC);
    header.putLong(28, group.getMostSignificantBits());
    header.putLong(36, group.getLeastSignificantBits());
    header.order(ByteOrder.LITTLE_ENDIAN);
    header.putShort(8, VERSION);
    header.putLong(12, index);
    header.putLong(20, term);
    CRC32C crc = new CRC32C();
    crc.update(header.array(), 0, HEADER_CRC_AT);
    header.putInt(HEADER_CRC_AT, (int) crc.getValue());
    return header.array();
  }

  /**
   * Reads a snapshot, checking every byte.
   *
   * @throws SluiceException CORRUPT_STORAGE naming file, position, expected and found
   * @throws IOException when the file cannot be read
   */
  static MetadataImage read(Path file, UUID group) throws IOException {
    long size = Files.size(file);
    if (size < HEADER_SIZE + CRC_SIZE) {
      throw corrupt(file, 0, "at least " + (HEADER_SIZE + CRC_SIZE) + " bytes", size + " bytes");
    }
    checkWhole(file, size);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_SIZE)) {
      checkHeader(file, ByteBuffer.wrap(in.readNBytes(HEADER_SIZE)), group);
      SnapshotCodec.Reader reader = new SnapshotCodec.Reader();
      while (!reader.ended()) {
        readRecord(file, in, reader);
      }
      return reader.image();
    }
  }

  private static void readRecord(Path file, InputStream in, SnapshotCodec.Reader reader)
      throws IOException {
    long number = reader.records();
    try {
      SnapshotRecord record = SnapshotRecord.parseDelimitedFrom(in);
      if (record == null) {
        throw new IOException("the file ends before the end record");
      }
      reader.accept(record);
    } catch (IOException | RuntimeException e) {
      throw unreadable(file, number, e);
    }
  }

  private static SluiceException unreadable(Path file, long record, Exception cause) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        "Metadata snapshot " + file + " cannot be read at record " + record + ": " + cause,
        cause);
  }

  private static void checkWhole(Path file, long size) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[BUFFER_SIZE];
      long left = size - CRC_SIZE;
      while (left > 0) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          throw corrupt(file, size - left, size + " bytes", "the end of the file");
        }
        crc.update(buffer, 0, read);
        left -= read;
      }
      int stored = ByteBuffer.wrap(in.readNBytes(CRC_SIZE)).order(ByteOrder.LITTLE_ENDIAN).getInt();
      if (stored != (int) crc.getValue()) {
        throw corrupt(
            file,
            size - CRC_SIZE,
            "checksum " + Integer.toHexString((int) crc.getValue()),
            Integer.toHexString(stored));
      }
    }
  }

  private static void checkHeader(Path file, ByteBuffer header, UUID group) {
    long magic = header.order(ByteOrder.BIG_ENDIAN).getLong(0);
    if (magic != MAGIC) {
      throw corrupt(file, 0, "the magic SLUICEMS", "0x" + Long.toHexString(magic));
    }
    UUID found = new UUID(header.getLong(28), header.getLong(36));
    short version = header.order(ByteOrder.LITTLE_ENDIAN).getShort(8);
    if (version != VERSION) {
      throw corrupt(file, 8, "version " + VERSION, String.valueOf(version));
    }
    if (!found.equals(group)) {
      throw corrupt(file, 28, "group " + group, found.toString());
    }
  }

  private static SluiceException corrupt(Path file, long position, String expected, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        "Metadata snapshot "
            + file
            + " is damaged at position "
            + position
            + ": expected "
            + expected
            + ", found "
            + found);
  }

  /** Passes bytes on and keeps their checksum. */
  private static final class ChecksummedOutput extends FilterOutputStream {
    private final CRC32C crc = new CRC32C();

    ChecksummedOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      crc.update(b);
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      crc.update(bytes, offset, length);
      out.write(bytes, offset, length);
    }
  }
}

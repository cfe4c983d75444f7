package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a snapshot is and what its files must be. {@code docs/formats/kv-snapshot.md} describes the
 * bytes.
 *
 * @param bucket whose rows
 * @param schemaId newest schema of the table when it was made
 * @param position applied offset and number of rows
 * @param createdMs when it was made, epoch milliseconds
 * @param files all of them but the manifest, by name
 */
record SnapshotManifest(
    TableBucket bucket,
    int schemaId,
    KvPosition position,
    long createdMs,
    List<SnapshotFile> files) {
  /** Its name in the directory of the snapshot. */
  static final String NAME = "MANIFEST.sluice";

  private static final byte[] MAGIC = "SLUCKVSN".getBytes(StandardCharsets.US_ASCII);
  private static final short VERSION = 1;
  private static final int HEAD = 16;
  private static final int FIXED = 56;
  private static final int FILE_FIXED = 14;
  private static final int TAIL = 4;

  SnapshotManifest {
    files = List.copyOf(files);
  }

  /** Bytes of the files. */
  long bytes() {
    long total = 0;
    for (SnapshotFile file : files) {
      total += file.size();
    }
    return total;
  }

  ByteBuffer encode() {
    List<byte[]> names = new ArrayList<>();
    int payload = FIXED;
    for (SnapshotFile file : files) {
      byte[] name = file.name().getBytes(StandardCharsets.UTF_8);
      names.add(name);
      payload += FILE_FIXED + name.length;
    }
    ByteBuffer out = ByteBuffer.allocate(HEAD + payload + TAIL).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putShort(VERSION).putShort((short) 0).putInt(payload);
    out.putLong(bucket.tableId()).putLong(bucket.partitionId()).putInt(bucket.bucket());
    out.putInt(schemaId).putLong(position.appliedOffset()).putLong(position.rowCount());
    out.putLong(createdMs).putInt(files.size()).putInt(0);
    for (int i = 0; i < files.size(); i++) {
      SnapshotFile file = files.get(i);
      out.putLong(file.size()).putInt(file.crc32c()).putShort((short) names.get(i).length);
      out.put(names.get(i));
    }
    return out.putInt(crc(out, out.position())).flip();
  }

  /**
   * Reads a manifest.
   *
   * @param path for messages
   * @throws SluiceException CORRUPT_STORAGE when the bytes are not those of a manifest
   */
  static SnapshotManifest decode(byte[] bytes, Path path) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEAD + FIXED + TAIL) {
      throw damaged(path, 0, "at least " + (HEAD + FIXED + TAIL) + " bytes", "" + bytes.length);
    }
    if (!in.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
      throw damaged(path, 0, "the magic SLUCKVSN", "something else");
    }
    if (in.getShort(8) != VERSION) {
      throw damaged(path, 8, "version " + VERSION, "" + in.getShort(8));
    }
    int end = bytes.length - TAIL;
    if (in.getInt(12) != end - HEAD) {
      throw damaged(path, 12, "length " + (end - HEAD), "" + in.getInt(12));
    }
    int crc = crc(in, end);
    if (crc != in.getInt(end)) {
      throw damaged(
          path, end, "checksum " + Integer.toHexString(crc), Integer.toHexString(in.getInt(end)));
    }
    try {
      return read(in.position(HEAD).limit(end), path);
    } catch (BufferUnderflowException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE, path + " is damaged: it ends within a file's entry", e);
    }
  }

  private static SnapshotManifest read(ByteBuffer in, Path path) {
    TableBucket bucket = new TableBucket(in.getLong(), in.getLong(), in.getInt());
    int schemaId = in.getInt();
    KvPosition position = new KvPosition(in.getLong(), in.getLong());
    long createdMs = in.getLong();
    int count = in.getInt();
    in.getInt();
    if (count < 0 || count > in.remaining() / FILE_FIXED) {
      throw damaged(path, in.position() - 8, "a number of files", "" + count);
    }
    List<SnapshotFile> files = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long size = in.getLong();
      int crc = in.getInt();
      byte[] name = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining() + 1)];
      in.get(name);
      files.add(new SnapshotFile(new String(name, StandardCharsets.UTF_8), size, crc));
    }
    if (in.hasRemaining()) {
      throw damaged(path, in.position(), "the end of the files", in.remaining() + " bytes more");
    }
    return new SnapshotManifest(bucket, schemaId, position, createdMs, files);
  }

  private static int crc(ByteBuffer bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(end));
    return (int) crc.getValue();
  }

  private static SluiceException damaged(Path path, int at, String expected, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        path + " is damaged at position " + at + ": expected " + expected + ", found " + found);
  }
}

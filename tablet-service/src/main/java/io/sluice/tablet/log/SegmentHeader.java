package io.sluice.tablet.log;

import io.sluice.common.TableBucket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first 64 bytes of a {@code .log} file: whose log it is and where it starts.
 *
 * @param clusterId cluster the data belongs to
 * @param bucket bucket the data belongs to
 * @param baseOffset offset of the first record
 */
record SegmentHeader(String clusterId, TableBucket bucket, long baseOffset) {
  static final int SIZE = 64;

  private static final long MAGIC = 0x544D_4753_4355_4C53L; // "SLUCSGMT" in little-endian order
  private static final short VERSION = 1;
  private static final int CRC_AT = 60;

  /** The 64 bytes. */
  ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(MAGIC).putShort(VERSION).putShort((short) SIZE);
    bytes.put(ClusterIds.bytes(clusterId));
    bytes.putLong(bucket.tableId()).putLong(bucket.partitionId()).putInt(bucket.bucket());
    bytes.putLong(baseOffset).putInt(0);
    bytes.putInt(crc(bytes));
    return bytes.flip();
  }

  /** What is wrong with the bytes at the start of a file, null when they are this header. */
  @Nullable Damage check(ByteBuffer found) {
    ByteBuffer bytes = found.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.remaining() < SIZE) {
      return new Damage(bytes.remaining(), SIZE + " bytes of file header", "the end of the file");
    }
    int start = bytes.position();
    int crc = crc(bytes.slice(start, SIZE));
    int stored = bytes.getInt(start + CRC_AT);
    if (crc != stored) {
      return new Damage(
          CRC_AT, Corruption.crc(crc) + " of the file header", Corruption.crc(stored));
    }
    ByteBuffer expected = encode();
    int difference = expected.mismatch(bytes.slice(start, SIZE));
    if (difference < 0) {
      return null;
    }
    return new Damage(
        0,
        "file header of " + bucket + " at offset " + baseOffset + " " + hex(expected),
        hex(bytes.slice(start, SIZE)));
  }

  /** Whether the bytes are some whole header, be it of another log. */
  static boolean isWhole(ByteBuffer found) {
    if (found.remaining() < SIZE) {
      return false;
    }
    ByteBuffer bytes = found.slice(found.position(), SIZE).order(ByteOrder.LITTLE_ENDIAN);
    return crc(bytes) == bytes.getInt(CRC_AT);
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(CRC_AT));
    return (int) crc.getValue();
  }

  private static String hex(ByteBuffer bytes) {
    byte[] copy = new byte[SIZE];
    bytes.get(bytes.position(), copy);
    return HexFormat.of().formatHex(copy);
  }
}

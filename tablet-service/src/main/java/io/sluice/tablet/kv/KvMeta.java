package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.row.KeyEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a store that are no rows, and the bytes of their values: {@code
 * docs/formats/kv-store.md} describes them. They begin with 0x00 and so lie before all rows.
 */
final class KvMeta {
  /** Version of the layout of a store. */
  static final int VERSION = 1;

  private static final byte[] IDENTITY_KEY = {0x00, 0x01};
  private static final byte[] POSITION_KEY = {0x00, 0x02};
  private static final byte[] FIRST_ROW_KEY = {KeyEncoder.ROW_PREFIX};
  private static final int IDENTITY_BYTES = 28;
  private static final int POSITION_BYTES = 16;

  private KvMeta() {}

  /** Names the store's bucket; never changes. */
  static byte[] identityKey() {
    return IDENTITY_KEY.clone();
  }

  /** Written with every batch of changes. */
  static byte[] positionKey() {
    return POSITION_KEY.clone();
  }

  /** Not above any row key. */
  static byte[] firstRowKey() {
    return FIRST_ROW_KEY.clone();
  }

  static byte[] encodeIdentity(TableBucket bucket) {
    return ByteBuffer.allocate(IDENTITY_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort((short) VERSION)
        .putShort((short) 0)
        .putLong(bucket.tableId())
        .putLong(bucket.partitionId())
        .putInt(bucket.bucket())
        .putInt(0)
        .array();
  }

  /** Throws CORRUPT_STORAGE when a store's identity is not that of the bucket. */
  static void checkIdentity(byte[] value, TableBucket bucket, String store) {
    byte[] expected = encodeIdentity(bucket);
    if (!Arrays.equals(value, expected)) {
      throw damaged(store, IDENTITY_KEY, "the identity " + hex(expected), hex(value));
    }
  }

  static byte[] encodePosition(KvPosition position) {
    return ByteBuffer.allocate(POSITION_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(position.appliedOffset())
        .putLong(position.rowCount())
        .array();
  }

  static KvPosition decodePosition(byte @Nullable [] value, String store) {
    if (value == null || value.length != POSITION_BYTES) {
      throw damaged(
          store,
          POSITION_KEY,
          "the position in " + POSITION_BYTES + " bytes",
          value == null ? "nothing" : hex(value));
    }
    ByteBuffer bytes = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new KvPosition(bytes.getLong(), bytes.getLong());
  }

  private static SluiceException damaged(String store, byte[] key, String expected, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        store + " is damaged at key " + hex(key) + ": expected " + expected + ", found " + found);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

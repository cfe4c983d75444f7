package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A cursor over the statistics section of a batch: bounds and null counts by column id. A bound
 * that is absent is unknown and rules nothing out; bounds never count NULL or NaN. Reusable after
 * {@link #read}; not thread-safe.
 */
public final class BatchStatistics {
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private int left;
  private int at;
  private int columnId;
  private StatisticsKind kind = StatisticsKind.INTEGER;
  private int flags;
  private int nullCount;
  private int minAt;
  private int minLength;
  private int maxAt;
  private int maxLength;

  /**
   * Starts before the first entry of the section in the remaining bytes, whose position is kept. An
   * empty section has no entries. CORRUPT_BATCH when it is no statistics section of version 1.
   *
   * @return this
   */
  public BatchStatistics read(ByteBuffer section) {
    bytes = section.slice().order(ByteOrder.LITTLE_ENDIAN);
    at = 0;
    left = 0;
    if (bytes.limit() == 0) {
      return this;
    }
    need(StatisticsFormat.HEADER_BYTES);
    int version = bytes.get(0);
    if (version != StatisticsFormat.VERSION) {
      throw corrupt("version is " + version);
    }
    check(bytes.get(1) == 0, "reserved byte 1 is not 0");
    left = bytes.getShort(2) & 0xFFFF;
    if (left == 0 || left > StatisticsFormat.MAX_COLUMNS) {
      throw corrupt("they have " + left + " entries");
    }
    at = StatisticsFormat.HEADER_BYTES;
    return this;
  }

  /** Moves to the next entry; false after the last. CORRUPT_BATCH when the entry is malformed. */
  public boolean next() {
    if (left == 0) {
      if (at != bytes.limit()) {
        throw corrupt((bytes.limit() - at) + " bytes follow the last entry");
      }
      return false;
    }
    left--;
    need(StatisticsFormat.ENTRY_BYTES);
    columnId = bytes.getInt(at);
    StatisticsKind found = StatisticsKind.of(bytes.get(at + 4));
    flags = bytes.get(at + 5);
    nullCount = bytes.getInt(at + 8);
    if (found == null) {
      throw corrupt("kind of column " + columnId + " is " + bytes.get(at + 4));
    }
    kind = found;
    if ((flags & ~StatisticsFormat.KNOWN_FLAGS) != 0 || bytes.getShort(at + 6) != 0) {
      throw corrupt("flags of column " + columnId + " are unknown");
    }
    if (nullCount < 0) {
      throw corrupt("null count of column " + columnId + " is " + nullCount);
    }
    at += StatisticsFormat.ENTRY_BYTES;
    if (hasMin()) {
      minLength = boundLength();
      minAt = at;
      at += minLength;
    }
    if (hasMax()) {
      maxLength = boundLength();
      maxAt = at;
      at += maxLength;
    }
    return true;
  }

  private int boundLength() {
    int length = kind.boundBytes();
    if (length < 0) {
      need(1);
      length = bytes.get(at++) & 0xFF;
      if (length > StatisticsFormat.MAX_BOUND_BYTES) {
        throw corrupt("bound of column " + columnId + " has " + length + " bytes");
      }
    }
    need(length);
    return length;
  }

  /** Id of the column. */
  public int columnId() {
    return columnId;
  }

  /** How the bounds are written, which follows from the column's type. */
  public StatisticsKind kind() {
    return kind;
  }

  /** NULLs in the column. */
  public int nullCount() {
    return nullCount;
  }

  /** Whether a value is NaN; such values lie outside the bounds. */
  public boolean hasNan() {
    return (flags & StatisticsFormat.HAS_NAN) != 0;
  }

  /** Whether a lower bound is known. */
  public boolean hasMin() {
    return (flags & StatisticsFormat.HAS_MIN) != 0;
  }

  /** Whether an upper bound is known. */
  public boolean hasMax() {
    return (flags & StatisticsFormat.HAS_MAX) != 0;
  }

  /** Whether the lower bound was cut, and so may be less than every value. */
  public boolean isMinCut() {
    return (flags & StatisticsFormat.MIN_CUT) != 0;
  }

  /** Whether the upper bound was cut and rounded up, and so is greater than every value. */
  public boolean isMaxCut() {
    return (flags & StatisticsFormat.MAX_CUT) != 0;
  }

  /** Lower bound of an {@link StatisticsKind#INTEGER} column that has one. */
  public long minLong() {
    return bytes.getLong(minAt);
  }

  /** Upper bound of an {@link StatisticsKind#INTEGER} column that has one. */
  public long maxLong() {
    return bytes.getLong(maxAt);
  }

  /** Lower bound of a {@link StatisticsKind#FLOATING} column that has one. */
  public double minDouble() {
    return bytes.getDouble(minAt);
  }

  /** Upper bound of a {@link StatisticsKind#FLOATING} column that has one. */
  public double maxDouble() {
    return bytes.getDouble(maxAt);
  }

  /** Lower bound of a {@link StatisticsKind#DECIMAL} column that has one, unscaled. */
  public BigInteger minUnscaled() {
    return unscaled(minAt);
  }

  /** Upper bound of a {@link StatisticsKind#DECIMAL} column that has one, unscaled. */
  public BigInteger maxUnscaled() {
    return unscaled(maxAt);
  }

  /** Lower bound of a {@link StatisticsKind#BYTES} column that has one. */
  public ByteBuffer minBytes() {
    return bytes.slice(minAt, minLength);
  }

  /** Upper bound of a {@link StatisticsKind#BYTES} column that has one. */
  public ByteBuffer maxBytes() {
    return bytes.slice(maxAt, maxLength);
  }

  private BigInteger unscaled(int at) {
    return BigInteger.valueOf(bytes.getLong(at + 8))
        .shiftLeft(64)
        .or(new BigInteger(Long.toUnsignedString(bytes.getLong(at))));
  }

  private void need(int count) {
    check(count <= bytes.limit() - at, "they end early");
  }

  /** Only for texts that are there already: one that is put together costs every good batch. */
  private static void check(boolean good, String what) {
    if (!good) {
      throw corrupt(what);
    }
  }

  static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_BATCH, "Batch statistics are damaged: " + what);
  }
}

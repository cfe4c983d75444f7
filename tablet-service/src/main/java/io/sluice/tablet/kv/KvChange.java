package io.sluice.tablet.kv;

import org.jspecify.annotations.Nullable;

/**
 * What one changelog record does to one row, linked to the changes before and after it that wait
 * for the same row. Owned by a {@link ChangelogPlan}, then by a {@link PreWriteBuffer}.
 */
final class KvChange {
  /** A row delta of a record that does not tell whether there was a row before. */
  static final int UNKNOWN = Integer.MIN_VALUE;

  private static final int OVERHEAD_BYTES = 120;

  private final RowKey key;
  private final byte @Nullable [] value;
  private final int rowDelta;
  private long offset;
  @Nullable KvChange older;
  @Nullable KvChange newer;

  /**
   * @param value the new encoded value, null when the row goes
   * @param offset offset of the record; of a planned change its place among the records of the plan
   * @param rowDelta 1 for a new row, -1 for a row that goes, 0 for a row that is changed, {@link
   *     #UNKNOWN}
   */
  KvChange(RowKey key, byte @Nullable [] value, long offset, int rowDelta) {
    this.key = key;
    this.value = value;
    this.offset = offset;
    this.rowDelta = rowDelta;
  }

  RowKey key() {
    return key;
  }

  byte @Nullable [] value() {
    return value;
  }

  long offset() {
    return offset;
  }

  /** The records of the plan were appended at this offset. */
  void appendedAt(long baseOffset) {
    offset += baseOffset;
  }

  int rowDelta() {
    return rowDelta;
  }

  /** Memory it takes, about. */
  long bytes() {
    return OVERHEAD_BYTES + key.bytes().length + (value == null ? 0 : value.length);
  }
}

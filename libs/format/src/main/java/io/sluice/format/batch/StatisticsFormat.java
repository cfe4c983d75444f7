package io.sluice.format.batch;

import io.sluice.format.schema.TableSchema;

/**
 * Constants of the statistics section, version 1. All numbers are little endian.
 *
 * <pre>
 * 0  version     u8   1
 * 1  reserved    u8   0
 * 2  count       u16  entries that follow, in column order
 *
 * entry:
 * 0  column_id   i32
 * 4  kind        u8   see StatisticsKind
 * 5  flags       u8   1 min present, 2 max present, 4 NaN present, 8 min cut, 16 max cut
 * 6  reserved    u16  0
 * 8  null_count  i32
 * 12 min, then max, each only when present
 * </pre>
 */
final class StatisticsFormat {
  static final int VERSION = 1;
  static final int HEADER_BYTES = 4;
  static final int ENTRY_BYTES = 12;

  /**
   * So many of the first columns that are not nested have statistics unless the table says else.
   */
  static final int DEFAULT_COLUMNS = 32;

  /** No section has more entries. */
  static final int MAX_COLUMNS = TableSchema.MAX_COLUMNS;

  /** Longest bound of a {@link StatisticsKind#BYTES} column. */
  static final int MAX_BOUND_BYTES = 64;

  static final int HAS_MIN = 1;
  static final int HAS_MAX = 2;
  static final int HAS_NAN = 4;
  static final int MIN_CUT = 8;
  static final int MAX_CUT = 16;
  static final int KNOWN_FLAGS = HAS_MIN | HAS_MAX | HAS_NAN | MIN_CUT | MAX_CUT;

  /** No section of so many entries is larger than this. */
  static int maxBytes(int columns) {
    return HEADER_BYTES + columns * (ENTRY_BYTES + 2 * (1 + MAX_BOUND_BYTES));
  }

  private StatisticsFormat() {}
}

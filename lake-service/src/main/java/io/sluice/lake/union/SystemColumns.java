package io.sluice.lake.union;

import java.util.List;

/** The columns that every row of a log table has beside those of its schema. */
public final class SystemColumns {
  /** The bucket, INT. */
  public static final String BUCKET = "__bucket";

  /** The offset in the bucket, BIGINT. */
  public static final String OFFSET = "__offset";

  /** When the row was stored, TIMESTAMP_LTZ(3). */
  public static final String TIMESTAMP = "__timestamp";

  /** All of them, in the order of the lake. */
  public static final List<String> ALL = List.of(BUCKET, OFFSET, TIMESTAMP);

  private SystemColumns() {}
}

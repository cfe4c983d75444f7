package io.sluice.lake.catalog;

import java.util.Map;

/** Keys that Sluice writes into table properties and snapshot summaries; docs/formats/lake.md. */
public final class LakeKeys {
  /** Every key of ours begins so; nobody else may set one through the catalog. */
  public static final String PREFIX = "sluice.";

  /** Property and summary: the Sluice table whose rows these are, decimal. */
  public static final String TABLE_ID = "sluice.table-id";

  /** Summary: the epoch of the round, decimal. */
  public static final String EPOCH = "sluice.epoch";

  /** Property and summary: how often an unknown outcome was settled by fencing, decimal. */
  public static final String FENCE = "sluice.fence";

  /** Summary: the round's id; absent in a snapshot that only fences. */
  public static final String ROUND = "sluice.round";

  /** Property and summary: how far each bucket is. */
  public static final String OFFSETS = "sluice.offsets";

  private LakeKeys() {}

  /**
   * The Sluice table that a lake table with these properties was made for, 0 when there is none.
   */
  public static long tableId(Map<String, String> properties) {
    String id = properties.get(TABLE_ID);
    try {
      return id == null ? 0 : Long.parseLong(id);
    } catch (NumberFormatException notOurs) {
      return 0;
    }
  }
}

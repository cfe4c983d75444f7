package io.sluice.lake.union;

import io.sluice.client.BucketOffsets;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a table is read. The lake's snapshot is asked for first and the visible offsets after
 * it, so that the lake is never ahead of the planned end and the tail [lake offset, visible) holds
 * exactly what the snapshot lacks. Thread-safe.
 */
public final class UnionPlanner {
  private final Cluster cluster;
  private final Lake lake;

  public UnionPlanner(Cluster cluster, Lake lake) {
    this.cluster = cluster;
    this.lake = lake;
  }

  /** Whether rows of that table go to the lake. */
  public static boolean hasLake(TableDescription table) {
    return TableOptions.lakeEnabled(table.options());
  }

  /**
   * Plans one table.
   *
   * @param allowPartial whether the log alone will do when lake-service does not answer
   * @throws SluiceException UNSUPPORTED for a view that this table does not have; UNAVAILABLE when
   *     lake-service is needed and does not answer
   */
  public TablePlan plan(TableDescription table, TableVariant variant, boolean allowPartial) {
    boolean keyed = !table.schema().primaryKey().isEmpty();
    check(table, variant, keyed);
    if (variant == TableVariant.LAKE) {
      return new TablePlan(
          table, variant, askLake(table), Map.of(), false, Map.of(), -1, List.of());
    }
    if (keyed && variant == TableVariant.WHOLE) {
      Map<TableBucket, BucketOffsets> offsets = offsets(table);
      return new TablePlan(
          table,
          variant,
          null,
          Map.of(),
          true,
          visible(offsets),
          rowCount(table, offsets),
          List.of());
    }
    List<String> notices = new ArrayList<>();
    LakeView view = keyed || !hasLake(table) ? null : viewFor(table, allowPartial, notices);
    Map<TableBucket, BucketOffsets> offsets = offsets(table);
    if (view != null && view.snapshotId() != LakeView.NONE) {
      requireSame(table);
    }
    return new TablePlan(
        table, variant, view, tail(table, offsets, view), false, visible(offsets), -1, notices);
  }

  /** Rows that have outlived their time are counted until they are removed: they must be read. */
  private static long rowCount(TableDescription table, Map<TableBucket, BucketOffsets> offsets) {
    if (!TableOptions.of(table.options()).primaryKey().rowTtl().isZero()) {
      return -1;
    }
    long rows = 0;
    for (BucketOffsets each : offsets.values()) {
      if (each.rowCount() < 0) {
        return -1;
      }
      rows += each.rowCount();
    }
    return rows;
  }

  private static void check(TableDescription table, TableVariant variant, boolean keyed) {
    if (variant == TableVariant.LAKE && !hasLake(table)) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          table.path()
              + "$lake does not exist: the table does not go to the lake ("
              + TableOptions.DATALAKE_ENABLED
              + " is not true)");
    }
    if (variant == TableVariant.CHANGELOG && !keyed) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          table.path()
              + "$changelog does not exist: a table without a primary key has only insertions;"
              + " read "
              + table.path());
    }
  }

  private @Nullable LakeView viewFor(
      TableDescription table, boolean allowPartial, List<String> notices) {
    try {
      return askLake(table);
    } catch (SluiceException e) {
      if (!allowPartial || !e.code().retriable()) {
        throw e;
      }
      notices.add(
          "Partial result: lake-service does not answer, so "
              + table.path()
              + " is read from the log alone");
      return null;
    }
  }

  private LakeView askLake(TableDescription table) {
    try {
      return lake.view(table.tableId());
    } catch (SluiceException e) {
      if (!e.code().retriable()) {
        throw e;
      }
      throw new SluiceException(
          e.code(),
          "Cannot read "
              + table.path()
              + ": lake-service does not answer, so its part in the lake is not known. Try again,"
              + " or send allow_partial=true to read what the log alone holds ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  /**
   * Offsets are asked for by name: those of a table that was created anew meanwhile would make an
   * empty tail for the lake of the old one. Ids only grow, so one look afterwards is enough.
   */
  private void requireSame(TableDescription table) {
    if (cluster.describe(table.path()).tableId() != table.tableId()) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table "
              + table.path()
              + " was dropped and created again while the statement was planned; run it again");
    }
  }

  private Map<TableBucket, BucketOffsets> offsets(TableDescription table) {
    return cluster.offsets(table.path());
  }

  private static Map<TableBucket, Long> visible(Map<TableBucket, BucketOffsets> offsets) {
    Map<TableBucket, Long> visible = new TreeMap<>();
    offsets.forEach((bucket, found) -> visible.put(bucket, found.visible()));
    return visible;
  }

  private static Map<TableBucket, TablePlan.Range> tail(
      TableDescription table, Map<TableBucket, BucketOffsets> offsets, @Nullable LakeView view) {
    boolean inLake = view != null && view.snapshotId() != LakeView.NONE;
    if (inLake && table.partitioned()) {
      // Offsets of the lake would be taken for those of a partition.
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Partitioned table " + table.path() + " in the lake cannot be read by this build");
    }
    Map<TableBucket, TablePlan.Range> tail = new TreeMap<>();
    offsets.forEach(
        (bucket, found) -> {
          long start =
              inLake && view != null
                  ? view.offsets().getOrDefault(bucket.bucket(), 0L)
                  : found.logStart();
          if (start < found.visible()) {
            tail.put(bucket, new TablePlan.Range(start, found.visible()));
          }
        });
    return tail;
  }
}

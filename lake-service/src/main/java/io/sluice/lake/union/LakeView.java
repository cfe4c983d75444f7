package io.sluice.lake.union;

import java.util.List;
import java.util.Map;

/**
 * A lake snapshot as a reader needs it.
 *
 * @param snapshotId id of the snapshot, {@link #NONE} when the lake holds nothing yet
 * @param committedMs when it was committed, epoch milliseconds
 * @param offsets how far each bucket is in it; a bucket that is missing is at 0
 * @param files its Parquet files, none with deletes
 * @param columns the columns of its schema
 */
public record LakeView(
    long snapshotId,
    long committedMs,
    Map<Integer, Long> offsets,
    List<File> files,
    List<LakeColumn> columns) {
  /** Snapshot id of an empty lake table. */
  public static final long NONE = -1;

  public LakeView {
    offsets = Map.copyOf(offsets);
    files = List.copyOf(files);
    columns = List.copyOf(columns);
  }

  /** A lake that holds nothing of the table. */
  public static LakeView empty() {
    return new LakeView(NONE, 0, Map.of(), List.of(), List.of());
  }

  /** Rows in all files. */
  public long rows() {
    long rows = 0;
    for (File file : files) {
      rows += file.rows();
    }
    return rows;
  }

  /** Bytes of all files. */
  public long bytes() {
    long bytes = 0;
    for (File file : files) {
      bytes += file.bytes();
    }
    return bytes;
  }

  /**
   * A file of the snapshot.
   *
   * @param path local path, or URI
   * @param rows number of rows
   * @param bytes its size
   */
  public record File(String path, long rows, long bytes) {}
}

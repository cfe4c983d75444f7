package io.sluice.lake.commit;

import io.sluice.lake.catalog.LakeKeys;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * What one state of a lake table says about its rounds. Recorded are the offsets of the nearest
 * ancestor snapshot that carries our table id, else those of the table's property.
 *
 * @param tableId the Sluice table it was made for, 0 for a table of somebody else
 * @param fence how often an unknown outcome was settled by fencing
 * @param epoch the epoch of the nearest round, 0 when there is none
 * @param recorded how far each bucket is
 * @param nearest the snapshot that says so, null when the property does
 * @param rolledBack why the history was cut behind a commit that was made, null when it was not
 */
record Lineage(
    long tableId,
    long fence,
    long epoch,
    LakeOffsets recorded,
    @Nullable Snapshot nearest,
    @Nullable String rolledBack) {

  /** Reads the state. CORRUPT_STORAGE when what we wrote is damaged. */
  static Lineage of(TableMetadata metadata, FileIO files) {
    Map<String, String> properties = metadata.properties();
    long tableId = number(properties, LakeKeys.TABLE_ID);
    long fence = number(properties, LakeKeys.FENCE);
    String property = properties.get(LakeKeys.OFFSETS);
    String where = "table " + metadata.location();
    LakeOffsets noted =
        property == null ? LakeOffsets.NONE : OffsetsCodec.decode(property, where, files);
    Snapshot nearest = nearest(metadata, tableId);
    if (nearest == null) {
      boolean cut = !noted.isEmpty() && hasRounds(metadata, tableId);
      return new Lineage(
          tableId,
          fence,
          0,
          noted,
          null,
          cut ? "no snapshot of Sluice is in its history, but it was at " + noted : null);
    }
    LakeOffsets recorded = offsets(nearest, files);
    String rolledBack =
        recorded.covers(noted)
            ? null
            : "its snapshot "
                + nearest.snapshotId()
                + " is at "
                + recorded
                + ", but it was at "
                + noted;
    long epoch = number(nearest.summary(), LakeKeys.EPOCH);
    return new Lineage(tableId, fence, epoch, recorded, nearest, rolledBack);
  }

  private static @Nullable Snapshot nearest(TableMetadata metadata, long tableId) {
    for (Snapshot snapshot : ancestors(metadata)) {
      if (isOf(snapshot, tableId)) {
        return snapshot;
      }
    }
    return null;
  }

  private static boolean hasRounds(TableMetadata metadata, long tableId) {
    for (Snapshot snapshot : metadata.snapshots()) {
      if (isOf(snapshot, tableId)) {
        return true;
      }
    }
    return false;
  }

  /** The current snapshot and those before it, newest first, as far as they are kept. */
  static Iterable<Snapshot> ancestors(TableMetadata metadata) {
    Snapshot current = metadata.currentSnapshot();
    return current == null
        ? java.util.List.of()
        : SnapshotUtil.ancestorsOf(current.snapshotId(), metadata::snapshot);
  }

  /** Whether one of our rounds, or a fence, of that table made the snapshot. */
  static boolean isOf(Snapshot snapshot, long tableId) {
    return tableId != 0
        && snapshot.summary().containsKey(LakeKeys.OFFSETS)
        && number(snapshot.summary(), LakeKeys.TABLE_ID) == tableId;
  }

  /** The snapshot of that round in the history of the current one, null when it is not there. */
  static @Nullable Snapshot findRound(TableMetadata metadata, long tableId, String roundId) {
    for (Snapshot snapshot : ancestors(metadata)) {
      if (isOfRound(snapshot, tableId, roundId)) {
        return snapshot;
      }
    }
    return null;
  }

  /** Whether that round made the snapshot. */
  static boolean isOfRound(Snapshot snapshot, long tableId, String roundId) {
    return isOf(snapshot, tableId) && roundId.equals(snapshot.summary().get(LakeKeys.ROUND));
  }

  /** How far the buckets were with that snapshot of ours. */
  static LakeOffsets offsets(Snapshot snapshot, FileIO files) {
    String value = snapshot.summary().getOrDefault(LakeKeys.OFFSETS, "{}");
    return OffsetsCodec.decode(value, "snapshot " + snapshot.snapshotId(), files);
  }

  /** A decimal value of ours, 0 when it is absent or not one. */
  static long number(Map<String, String> values, String key) {
    String text = values.get(key);
    if (text == null) {
      return 0;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notOurs) {
      return 0;
    }
  }
}

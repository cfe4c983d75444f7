package io.sluice.client.internal;

import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Filter;
import io.sluice.format.partition.PartitionKeys;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which partitions of a table a scan reads, those that are created later too. Immutable. */
final class PartitionChoice {
  private static final int SHOWN = 20;

  private final Set<String> names;
  private final @Nullable BoundFilter filter;

  /**
   * @throws SluiceException INVALID_ARGUMENT when partitions are named and the table has none,
   *     INVALID_PARTITION when a name is none of this table
   */
  PartitionChoice(TableDescription table, ScanRequest request) {
    this.names = canonical(table, request.partitions());
    this.filter = request.filtered() ? Filter.parse(request.filter()).bind(table.schema()) : null;
  }

  private static Set<String> canonical(TableDescription table, Set<String> shown) {
    Set<String> names = new TreeSet<>();
    if (shown.isEmpty()) {
      return names;
    }
    if (!table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Table " + table.path() + " is not partitioned; leave out partitions()");
    }
    PartitionKeys keys = PartitionKeys.of(table.schema(), table.partitionKeys());
    for (String name : shown) {
      names.add(keys.name(keys.parse(name)));
    }
    return names;
  }

  /** Ids of the partitions that exist and are wanted; a filter leaves out those it excludes. */
  Set<Long> of(TableDescription table) {
    Set<Long> ids = new HashSet<>();
    for (PartitionDescription each : table.partitions()) {
      boolean named = names.isEmpty() || names.contains(each.name());
      if (named
          && (filter == null || filter.mayMatchPartition(table.partitionKeys(), each.values()))) {
        ids.add(each.partitionId());
      }
    }
    return ids;
  }

  /** PARTITION_NOT_FOUND when a partition that was named does not exist. */
  void requireAll(TableDescription table) {
    Set<String> missing = new TreeSet<>(names);
    table.partitions().forEach(each -> missing.remove(each.name()));
    if (!missing.isEmpty()) {
      throw new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          "Partitions " + missing + " of " + table.path() + " do not exist; " + known(table));
    }
  }

  private static String known(TableDescription table) {
    List<PartitionDescription> all = table.partitions();
    if (all.isEmpty()) {
      return "it has none";
    }
    return "there are "
        + String.join(", ", all.stream().limit(SHOWN).map(PartitionDescription::name).toList())
        + (all.size() > SHOWN ? ", ..." : "");
  }

  /** The failure of a partition that is no longer there. */
  static SluiceException gone(TableDescription table, long partitionId) {
    return new SluiceException(
        ErrorCode.PARTITION_NOT_FOUND,
        "Partition "
            + partitionId
            + " of "
            + table.path()
            + " does not exist; it was dropped, or belongs to another table");
  }
}

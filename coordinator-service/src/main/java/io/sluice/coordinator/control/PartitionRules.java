package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.partition.AutoPartition;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.schema.TableSchema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What partitions a table may have, and what the time asks of them. Pure. */
final class PartitionRules {
  private PartitionRules() {}

  /**
   * Checks the partition columns of a new table, and that the options of automatic partitioning fit
   * them.
   *
   * @return automatic partitioning, empty when it is off
   */
  static Optional<AutoPartition> check(TableDefinition definition, TableOptions options) {
    TablePath path = definition.path();
    List<String> keys = definition.partitionKeys();
    TableSchema schema = definition.schema();
    try {
      if (!keys.isEmpty()) {
        PartitionKeys.of(schema, keys);
      }
      for (String column : options.bucketKey()) {
        if (keys.contains(column)) {
          throw new SluiceException(
              ErrorCode.INVALID_OPTION,
              TableOptions.BUCKET_KEY
                  + " names the partition column '"
                  + column
                  + "', which has one value in all rows of a partition; leave it out");
        }
      }
      return AutoPartition.of(schema, keys, options.asMap());
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), "Table " + path + ": " + e.getMessage(), e);
    }
  }

  /** Automatic partitioning of an existing table, empty when it is off. */
  static Optional<AutoPartition> autoPartition(Table table) {
    return table.partitioned()
        ? AutoPartition.of(table.schema(), table.partitionKeys(), table.options())
        : Optional.empty();
  }

  /** The canonical form of values; INVALID_PARTITION when they are none for this table. */
  static List<String> canonical(Table table, List<String> values) {
    if (!table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION, "Table " + table.path() + " is not partitioned");
    }
    try {
      return PartitionKeys.of(table.schema(), table.partitionKeys(), table.options()).check(values);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), "Table " + table.path() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Plans the creation of a partition that does not exist.
   *
   * @param values canonical texts
   * @throws SluiceException INVALID_PARTITION when the table's time says no
   */
  static Command.CreatePartition plan(
      Table table, List<String> values, Placement placement, long nowMs) {
    Optional<AutoPartition> auto = autoPartition(table);
    if (auto.isPresent()) {
      try {
        auto.get().check(values.get(auto.get().keyPosition()), Instant.ofEpochMilli(nowMs));
      } catch (SluiceException e) {
        throw new SluiceException(e.code(), "Table " + table.path() + ": " + e.getMessage(), e);
      }
    }
    TableRules.checkReplicationFactor(
        "Partition " + name(table, values) + " of table " + table.path(),
        table.replicationFactor(),
        placement.liveServers());
    return new Command.CreatePartition(
        table.tableId(),
        new Command.NewPartition(
            values, placement.place(table.bucketCount(), table.replicationFactor())),
        nowMs);
  }

  /**
   * TOO_MANY_PARTITIONS when the table has no room for one more.
   *
   * @param room how many partitions it may still get by their number
   */
  static void checkRoom(Table table, int room) {
    int free = Table.MAX_PARTITION_BUCKETS - table.buckets().size();
    if (room <= 0 || free < table.bucketCount()) {
      throw new SluiceException(
          ErrorCode.TOO_MANY_PARTITIONS,
          "it has "
              + table.partitions().size()
              + " partitions of "
              + table.bucketCount()
              + " buckets; drop some");
    }
  }

  /** The partitions that are past their retention, oldest id first. */
  static List<Partition> expired(Table table, AutoPartition auto, long nowMs) {
    Instant now = Instant.ofEpochMilli(nowMs);
    return table.partitions().stream()
        .filter(partition -> auto.expired(partition.values().get(auto.keyPosition()), now))
        .toList();
  }

  /** How a partition of this table is shown. */
  static String name(Table table, List<String> values) {
    return PartitionKeys.name(table.partitionKeys(), values);
  }
}

package io.sluice.coordinator.control;

import io.sluice.common.AutoPartitionOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.StatisticsColumns;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.partition.AutoPartition;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Whether a table may be created, and the command that does it. Pure. */
final class TableRules {
  private static final int MAX_COMMENT = 4096;

  private TableRules() {}

  /**
   * Plans the creation of a table.
   *
   * @throws SluiceException saying what is wrong with the definition and what would be right
   */
  static Command.CreateTable plan(
      Placement placement, TableDefinition definition, int defaultReplicationFactor, long nowMs) {
    TablePath path = definition.path();
    Checked checked = check(definition);
    TableOptions options = checked.options();
    int replicationFactor = options.replicationFactor(defaultReplicationFactor);
    checkReplicationFactor("Table " + path, replicationFactor, placement.liveServers());
    boolean partitioned = !definition.partitionKeys().isEmpty();
    return new Command.CreateTable(
        path,
        checked.schema(),
        checked.bucketKey(),
        options.asMap(),
        definition.comment(),
        nowMs,
        partitioned ? List.of() : placement.place(options.bucketCount(), replicationFactor),
        partitioned
            ? new Command.Partitioning(
                definition.partitionKeys(),
                options.bucketCount(),
                replicationFactor,
                partitions(path, checked.auto(), options, replicationFactor, placement, nowMs))
            : Command.Partitioning.NONE);
  }

  /**
   * What a definition says, found to be right.
   *
   * @param schema with its column ids
   */
  private record Checked(
      TableOptions options,
      TableSchema schema,
      Optional<AutoPartition> auto,
      List<String> bucketKey) {}

  /** Refuses what is wrong with a definition wherever the table is put. */
  static void requireValid(TableDefinition definition) {
    var unused = check(definition);
  }

  private static Checked check(TableDefinition definition) {
    TablePath path = definition.path();
    TableOptions options = TableOptions.of(definition.options());
    TableSchema schema = checkedColumns(path, definition.schema());
    checkPrimaryKey(path, schema);
    Optional<AutoPartition> auto = PartitionRules.check(definition, options);
    List<String> bucketKey = bucketKey(definition, options);
    checkBucketKey(path, schema, options);
    checkStatistics(path, schema, options.statisticsColumns());
    checkMergeRules(path, schema, definition.options());
    if (options.lakeEnabled()) {
      LakeRules.check(path, schema, definition.partitionKeys());
    }
    checkComment("Table " + path, definition.comment());
    return new Checked(options, schema, auto, bucketKey);
  }

  /** The partitions that the time asks for at once. */
  private static List<Command.NewPartition> partitions(
      TablePath path,
      Optional<AutoPartition> auto,
      TableOptions options,
      int replicationFactor,
      Placement placement,
      long nowMs) {
    if (auto.isEmpty()) {
      return List.of();
    }
    int bucketCount = options.bucketCount();
    if (auto.get().precreate() * (long) bucketCount > Table.MAX_PARTITION_BUCKETS) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          "Table "
              + path
              + ": "
              + AutoPartitionOptions.PRECREATE
              + " is "
              + auto.get().precreate()
              + " with "
              + bucketCount
              + " buckets in each partition; a table may have "
              + Table.MAX_PARTITION_BUCKETS
              + " buckets in all");
    }
    return auto.get().toCreate(Instant.ofEpochMilli(nowMs)).stream()
        .map(
            value ->
                new Command.NewPartition(
                    List.of(value), placement.place(bucketCount, replicationFactor)))
        .toList();
  }

  /**
   * The columns that choose the bucket. Rows of one key must meet in one bucket: the whole key
   * chooses it unless told otherwise, without the partition columns, which are the same in all rows
   * of a partition.
   */
  private static List<String> bucketKey(TableDefinition definition, TableOptions options) {
    return options.bucketKey().isEmpty()
        ? definition.schema().primaryKey().stream()
            .filter(column -> !definition.partitionKeys().contains(column))
            .toList()
        : options.bucketKey();
  }

  /** The schema with its defaults in their canonical form. */
  private static TableSchema checkedColumns(TablePath path, TableSchema schema) {
    List<Column> columns = new ArrayList<>(schema.size());
    for (Column column : schema.columns()) {
      checkComment("Column '" + column.name() + "'", column.comment());
      try {
        columns.add(DefaultValues.check(column));
      } catch (SluiceException e) {
        throw new SluiceException(e.code(), "Table " + path + ": " + e.getMessage(), e);
      }
    }
    return new TableSchema(schema.schemaId(), columns, schema.primaryKey());
  }

  private static void checkStatistics(
      TablePath path, TableSchema schema, StatisticsColumns statistics) {
    for (String name : statistics.names()) {
      if (!schema.hasColumn(name) || schema.column(name).type().isNested()) {
        throw new SluiceException(
            ErrorCode.INVALID_OPTION,
            "Table "
                + path
                + ": "
                + TableOptions.STATISTICS_COLUMNS
                + " names '"
                + name
                + "', which is no scalar column of the table");
      }
    }
  }

  /** Merge engine, functions, deletes, changelog and ids must fit each other and the columns. */
  private static void checkMergeRules(
      TablePath path, TableSchema schema, Map<String, String> options) {
    try {
      MergeRules.of(schema, options);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), "Table " + path + ": " + e.getMessage(), e);
    }
  }

  /** That the key columns exist and are NOT NULL is a rule of the schema itself. */
  private static void checkPrimaryKey(TablePath path, TableSchema schema) {
    Set<String> seen = new HashSet<>();
    for (String name : schema.primaryKey()) {
      if (!seen.add(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "Table " + path + ": the primary key names column '" + name + "' twice");
      }
    }
    // Refuses the types that have no key encoding.
    KeyEncoder.of(schema);
  }

  private static void checkBucketKey(TablePath path, TableSchema schema, TableOptions options) {
    if (!options.bucketKey().isEmpty()
        && options.bucketKey().stream().allMatch(schema::hasColumn)) {
      // Refuses the types that have no key encoding.
      KeyEncoder.of(schema, options.bucketKey());
    }
    for (String name : options.bucketKey()) {
      if (!schema.hasColumn(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_OPTION,
            "Table "
                + path
                + ": bucket.key names column '"
                + name
                + "', which the table does not have; its columns are "
                + String.join(
                    ", ", schema.columns().stream().limit(20).map(Column::name).toList()));
      }
      if (!schema.primaryKey().isEmpty() && !schema.primaryKey().contains(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_OPTION,
            "Table "
                + path
                + ": bucket.key names column '"
                + name
                + "', which is not in the primary key ("
                + String.join(", ", schema.primaryKey())
                + "); rows of one key must be in one bucket");
      }
    }
  }

  static void checkComment(String owner, String comment) {
    if (comment.length() > MAX_COMMENT) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          owner
              + " has a comment of "
              + comment.length()
              + " characters; the limit is "
              + MAX_COMMENT);
    }
  }

  /** NOT_ENOUGH_SERVERS when there are fewer servers to place on than replicas. */
  static void checkReplicationFactor(String what, int wanted, int live) {
    if (live == 0) {
      throw new SluiceException(
          ErrorCode.NOT_ENOUGH_SERVERS,
          what + " cannot be created: no tablet server is alive; start one and try again");
    }
    if (wanted > live) {
      throw new SluiceException(
          ErrorCode.NOT_ENOUGH_SERVERS,
          what
              + " cannot be created: "
              + TableOptions.REPLICATION_FACTOR
              + " is "
              + wanted
              + " but "
              + live
              + (live == 1 ? " tablet server is" : " tablet servers are")
              + " alive and not draining; start more or ask for fewer replicas");
    }
  }
}

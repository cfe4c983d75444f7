package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.HashSet;
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
      ClusterState state, TableDefinition definition, int defaultReplicationFactor, long nowMs) {
    TableSchema schema = definition.schema();
    TableOptions options = TableOptions.of(definition.options());
    checkColumns(definition.path(), schema);
    checkPrimaryKey(definition.path(), schema);
    checkBucketKey(definition.path(), schema, options);
    if (options.lakeEnabled()) {
      LakeRules.check(definition.path(), schema);
    }
    checkComment("Table " + definition.path(), definition.comment());
    int replicationFactor = options.replicationFactor(defaultReplicationFactor);
    Placement placement = Placement.of(state);
    checkReplicationFactor(definition.path(), replicationFactor, placement.liveServers());
    return new Command.CreateTable(
        definition.path(),
        schema,
        // Rows of one key must meet in one bucket: the whole key chooses it unless told otherwise.
        options.bucketKey().isEmpty() ? schema.primaryKey() : options.bucketKey(),
        options.asMap(),
        definition.comment(),
        nowMs,
        placement.place(options.bucketCount(), replicationFactor));
  }

  private static void checkColumns(TablePath path, TableSchema schema) {
    for (Column column : schema.columns()) {
      if (column.type().isNested()) {
        throw unsupported(
            "Table "
                + path
                + ": column '"
                + column.name()
                + "' has the nested type "
                + column.type()
                + "; nested types are not in this build, use scalar types");
      }
      checkComment("Column '" + column.name() + "'", column.comment());
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

  private static void checkComment(String owner, String comment) {
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

  private static void checkReplicationFactor(TablePath path, int wanted, int live) {
    if (live == 0) {
      throw new SluiceException(
          ErrorCode.NOT_ENOUGH_SERVERS,
          "Table "
              + path
              + " cannot be created: no tablet server is alive; start one and try again");
    }
    if (wanted > live) {
      throw new SluiceException(
          ErrorCode.NOT_ENOUGH_SERVERS,
          "Table "
              + path
              + " cannot be created: "
              + TableOptions.REPLICATION_FACTOR
              + " is "
              + wanted
              + " but "
              + live
              + (live == 1 ? " tablet server is" : " tablet servers are")
              + " alive; start more or ask for fewer replicas");
    }
    if (wanted > 1) {
      throw unsupported(
          TableOptions.REPLICATION_FACTOR
              + " is "
              + wanted
              + "; replication is not in this build, set it to 1");
    }
  }

  private static SluiceException unsupported(String message) {
    return new SluiceException(ErrorCode.UNSUPPORTED, message);
  }
}

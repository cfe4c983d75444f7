package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.SchemaChange;
import io.sluice.lake.union.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.flink.sql.parser.ddl.SqlAddPartitions;
import org.apache.flink.sql.parser.ddl.SqlAlterTable;
import org.apache.flink.sql.parser.ddl.SqlAlterTableAdd;
import org.apache.flink.sql.parser.ddl.SqlAlterTableDropColumn;
import org.apache.flink.sql.parser.ddl.SqlAlterTableModify;
import org.apache.flink.sql.parser.ddl.SqlAlterTableOptions;
import org.apache.flink.sql.parser.ddl.SqlAlterTableRename;
import org.apache.flink.sql.parser.ddl.SqlAlterTableRenameColumn;
import org.apache.flink.sql.parser.ddl.SqlAlterTableReset;
import org.apache.flink.sql.parser.ddl.SqlDropPartitions;
import org.apache.flink.sql.parser.ddl.SqlTableOption;
import org.jspecify.annotations.Nullable;

/** ALTER TABLE: columns, options and partitions. Thread-safe. */
final class AlterStatements {
  private final Cluster cluster;
  private final KnownTables tables;

  AlterStatements(Cluster cluster) {
    this.cluster = cluster;
    this.tables = new KnownTables(cluster);
  }

  /** Runs one. */
  SqlResult run(SqlAlterTable statement, DefinitionText text, @Nullable String database) {
    TablePath path = TableNames.path(statement.getTableName(), database);
    TableDescription table = find(path, text.ifTableExists());
    if (table == null) {
      return SqlResult.done("There is no table " + path + "; nothing was changed");
    }
    if (statement instanceof SqlAddPartitions add) {
      return addPartitions(add, table);
    }
    if (statement instanceof SqlDropPartitions drop) {
      return dropPartitions(drop, table);
    }
    if (statement instanceof SqlAlterTableOptions options) {
      return setOptions(options, path);
    }
    if (statement instanceof SqlAlterTableReset reset) {
      return resetOptions(reset, path);
    }
    List<SchemaChange> changes = columnChanges(statement, text, table);
    if (changes.isEmpty()) {
      return SqlResult.done("Table " + path + " is so already; nothing was changed");
    }
    TableDescription altered =
        text.options().isEmpty()
            ? cluster.alterTable(path, changes)
            : cluster.alterTable(path, changes, text.options());
    return SqlResult.done(
        "Table " + path + " altered; its schema has the id " + altered.schema().schemaId());
  }

  /** Null when it does not exist and need not. */
  private @Nullable TableDescription find(TablePath path, boolean mayMiss) {
    try {
      return tables.describe(path);
    } catch (SluiceException e) {
      boolean missing =
          e.code() == ErrorCode.TABLE_NOT_FOUND || e.code() == ErrorCode.DATABASE_NOT_FOUND;
      if (missing && mayMiss) {
        return null;
      }
      throw e;
    }
  }

  private static List<SchemaChange> columnChanges(
      SqlAlterTable statement, DefinitionText text, TableDescription table) {
    if (statement instanceof SqlAlterTableAdd add) {
      return TableAlterations.add(add, text);
    }
    if (statement instanceof SqlAlterTableModify modify) {
      return TableAlterations.modify(modify, text, table.schema());
    }
    if (statement instanceof SqlAlterTableDropColumn drop) {
      return TableAlterations.drop(drop);
    }
    if (statement instanceof SqlAlterTableRenameColumn rename) {
      return TableAlterations.rename(rename);
    }
    throw new SluiceException(
        ErrorCode.UNSUPPORTED,
        statement instanceof SqlAlterTableRename
            ? "Tables cannot be renamed in this build; columns can, by RENAME a TO b"
            : "This ALTER TABLE is not in this build; there are ADD, MODIFY, DROP and RENAME of"
                + " columns, SET and RESET of options, ADD and DROP PARTITION");
  }

  private SqlResult setOptions(SqlAlterTableOptions statement, TablePath path) {
    SqlNodeList partition = statement.getPartitionSpec();
    if (partition != null && !partition.isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED, "Partitions have no options of their own; set those of " + path);
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (SqlNode node : statement.getPropertyList()) {
      SqlTableOption option = (SqlTableOption) node;
      if (options.put(option.getKeyString(), option.getValueString()) != null) {
        throw new SluiceException(
            ErrorCode.INVALID_OPTION, "Option " + option.getKeyString() + " is given twice");
      }
    }
    requireSome(options.keySet().isEmpty());
    cluster.alterOptions(path, options, List.of());
    return SqlResult.done("Set " + String.join(", ", options.keySet()) + " of table " + path);
  }

  private SqlResult resetOptions(SqlAlterTableReset statement, TablePath path) {
    List<String> keys = List.copyOf(statement.getResetKeys());
    requireSome(keys.isEmpty());
    cluster.alterOptions(path, Map.of(), keys);
    return SqlResult.done("Reset " + String.join(", ", keys) + " of table " + path);
  }

  private static void requireSome(boolean none) {
    if (none) {
      throw new SluiceException(ErrorCode.INVALID_SQL, "Name at least one option");
    }
  }

  private SqlResult addPartitions(SqlAddPartitions statement, TableDescription table) {
    List<List<String>> wanted = specs(statement.getPartSpecs(), table);
    for (SqlNodeList properties : statement.getPartProps()) {
      if (properties != null && !properties.isEmpty()) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED, "Partitions have no options of their own; leave WITH (...) out");
      }
    }
    List<String> made = new ArrayList<>();
    for (List<String> values : wanted) {
      made.add(
          cluster.createPartition(table.path(), values, statement.ifPartitionNotExists()).name());
    }
    return SqlResult.done(
        "Table "
            + table.path()
            + (made.size() == 1 ? " has the partition " : " has the partitions ")
            + String.join(", ", made));
  }

  private SqlResult dropPartitions(SqlDropPartitions statement, TableDescription table) {
    int dropped = 0;
    for (List<String> values : specs(statement.getPartSpecs(), table)) {
      dropped += cluster.dropPartition(table.path(), values, statement.ifExists()) ? 1 : 0;
    }
    return SqlResult.done(
        dropped == 0
            ? "Table " + table.path() + " had no such partition to drop"
            : (dropped == 1 ? "1 partition" : dropped + " partitions")
                + " of table "
                + table.path()
                + " dropped with all rows");
  }

  private static List<List<String>> specs(List<SqlNodeList> specs, TableDescription table) {
    List<List<String>> values = new ArrayList<>();
    specs.forEach(spec -> values.add(PartitionSpecs.values(spec, table)));
    return values;
  }

  /** COMMENT ON TABLE and COMMENT ON COLUMN. */
  SqlResult comment(CommentStatement statement, @Nullable String database) {
    SqlIdentifier name = statement.table();
    TablePath path = TableNames.path(name, database);
    tables.describe(path);
    if (statement.column() == null) {
      cluster.alterComment(path, statement.comment());
      return SqlResult.done("Comment of table " + path + " set");
    }
    cluster.alterTable(
        path,
        List.of(new SchemaChange.SetComment(List.of(statement.column()), statement.comment())));
    return SqlResult.done("Comment of column " + statement.column() + " of " + path + " set");
  }
}

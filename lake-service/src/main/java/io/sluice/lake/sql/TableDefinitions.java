package io.sluice.lake.sql;

import io.sluice.client.TableSpec;
import io.sluice.client.TableSpec.ColumnSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.util.NlsString;
import org.apache.flink.sql.parser.ddl.SqlCreateTable;
import org.apache.flink.sql.parser.ddl.SqlCreateTableAs;
import org.apache.flink.sql.parser.ddl.SqlCreateTableLike;
import org.apache.flink.sql.parser.ddl.SqlDistribution;
import org.apache.flink.sql.parser.ddl.SqlTableColumn;
import org.apache.flink.sql.parser.ddl.SqlTableColumn.SqlRegularColumn;
import org.apache.flink.sql.parser.ddl.SqlTableOption;
import org.apache.flink.sql.parser.ddl.constraint.SqlTableConstraint;
import org.jspecify.annotations.Nullable;

/** Makes the specification of a table from Flink's CREATE TABLE. Decides only; calls nobody. */
final class TableDefinitions {
  private static final String CONNECTOR = "connector";
  private static final Set<String> OWN_CONNECTORS = Set.of("sluice", "fluss");

  private TableDefinitions() {}

  /**
   * The specification.
   *
   * @param database the request's database, or null
   * @throws SluiceException UNSUPPORTED for what this build cannot store, INVALID_SCHEMA for types
   */
  static TableSpec of(SqlCreateTable create, DefinitionText text, @Nullable String database) {
    checkSupported(create);
    TablePath path = TableNames.path(create.getTableName(), database);
    List<String> primaryKey = primaryKey(create);
    List<ColumnSpec> columns = new ArrayList<>();
    for (SqlNode node : create.getColumnList()) {
      columns.add(column((SqlTableColumn) node, text, new HashSet<>(primaryKey)));
    }
    return new TableSpec(
        path,
        columns,
        primaryKey,
        options(create),
        create.getComment().map(TableDefinitions::text).orElse(""),
        create.isIfNotExists(),
        partitionKeys(create));
  }

  private static void checkSupported(SqlCreateTable create) {
    if (create instanceof SqlCreateTableAs) {
      throw unsupported(
          "CREATE TABLE ... AS is not in this build; create the table, then INSERT INTO ... SELECT");
    }
    if (create instanceof SqlCreateTableLike) {
      throw unsupported("CREATE TABLE ... LIKE is not in this build; SHOW CREATE TABLE helps");
    }
    if (create.isTemporary()) {
      throw unsupported("Temporary tables are not in this build");
    }
    if (create.getWatermark().isPresent()) {
      throw unsupported("Watermarks belong to streaming jobs; leave WATERMARK out");
    }
    if (create.getColumnList().isEmpty()) {
      throw new SluiceException(ErrorCode.INVALID_SQL, "A table needs columns");
    }
  }

  private static List<String> primaryKey(SqlCreateTable create) {
    List<String> key = new ArrayList<>();
    for (SqlTableConstraint constraint : create.getFullConstraints()) {
      if (!constraint.isPrimaryKey()) {
        throw unsupported("UNIQUE is not in this build; only PRIMARY KEY ... NOT ENFORCED is");
      }
      if (constraint.isEnforced()) {
        throw new SluiceException(
            ErrorCode.INVALID_SQL, "Write PRIMARY KEY (...) NOT ENFORCED, as in Flink");
      }
      if (!key.isEmpty()) {
        throw new SluiceException(ErrorCode.INVALID_SQL, "A table has one primary key at most");
      }
      key.addAll(List.of(constraint.getColumnNames()));
    }
    return key;
  }

  private static List<String> partitionKeys(SqlCreateTable create) {
    List<String> keys = new ArrayList<>();
    for (SqlNode key : create.getPartitionKeyList()) {
      keys.add(TableNames.single((SqlIdentifier) key, "Partition column"));
    }
    return keys;
  }

  private static ColumnSpec column(SqlTableColumn column, DefinitionText text, Set<String> key) {
    String name = TableNames.single(column.getName(), "Column");
    if (!(column instanceof SqlRegularColumn regular)) {
      throw unsupported(
          "Column '" + name + "' is computed or metadata; such columns are not in this build");
    }
    SqlDataTypeSpec type = regular.getType();
    boolean nullable = !Boolean.FALSE.equals(type.getNullable()) && !key.contains(name);
    DataType dataType = dataType(name, type);
    DefaultLiteral defaultValue = text.defaultOf(List.of(name));
    return new ColumnSpec(
        name,
        dataType,
        nullable,
        column.getComment().map(TableDefinitions::text).orElse(""),
        defaultValue == null ? null : defaultValue.canonicalFor(name, dataType));
  }

  /** The type of a column or field; INVALID_SCHEMA with its name. */
  static DataType dataType(String name, SqlDataTypeSpec type) {
    String text = type.withNullable(null).toString();
    if (text.endsWith(" NOT NULL")) {
      text = text.substring(0, text.length() - " NOT NULL".length());
    }
    try {
      return DataTypeParser.parse(text);
    } catch (SluiceException e) {
      throw new SluiceException(
          e.code(), "Column '" + name + "' has the type " + text + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, String> options(SqlCreateTable create) {
    Map<String, String> options = new LinkedHashMap<>();
    for (SqlNode node : create.getPropertyList()) {
      SqlTableOption option = (SqlTableOption) node;
      String key = option.getKeyString();
      String value = option.getValueString();
      if (key.equals(CONNECTOR)) {
        if (!OWN_CONNECTORS.contains(value)) {
          throw unsupported(
              "Connector '"
                  + value
                  + "' is Flink's: create such a table in Flink. Here tables are Sluice's own");
        }
      } else if (options.put(key, value) != null) {
        throw new SluiceException(ErrorCode.INVALID_OPTION, "Option " + key + " is given twice");
      }
    }
    addDistribution(create.getDistribution(), options);
    return options;
  }

  private static void addDistribution(
      @Nullable SqlDistribution distribution, Map<String, String> options) {
    if (distribution == null) {
      return;
    }
    String kind = distribution.getDistributionKind().orElse("HASH");
    if (!kind.equalsIgnoreCase("HASH")) {
      throw unsupported("DISTRIBUTED BY " + kind + " is not in this build; HASH is");
    }
    if (distribution.getBucketCount() != null) {
      put(options, TableOptions.BUCKET_NUM, distribution.getBucketCount().toString());
    }
    if (!distribution.getBucketColumns().isEmpty()) {
      List<String> names = new ArrayList<>();
      for (SqlNode column : distribution.getBucketColumns()) {
        names.add(((SqlIdentifier) column).getSimple());
      }
      put(options, TableOptions.BUCKET_KEY, String.join(",", names));
    }
  }

  private static void put(Map<String, String> options, String key, String value) {
    String other = options.put(key, value);
    if (other != null && !other.equals(value)) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          "DISTRIBUTED BY says " + key + " = " + value + ", WITH says " + other);
    }
  }

  /** The text of a string literal. */
  static String text(SqlNode literal) {
    NlsString value = ((SqlCharStringLiteral) literal).getValueAs(NlsString.class);
    return value == null ? "" : value.getValue();
  }

  private static SluiceException unsupported(String message) {
    return new SluiceException(ErrorCode.UNSUPPORTED, message);
  }
}

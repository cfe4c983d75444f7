package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.NearestNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUnknownLiteral;

/** Reads {@code PARTITION (dt = '2024-01-01', region = 'EU')}. Decides only; calls nobody. */
final class PartitionSpecs {
  private PartitionSpecs() {}

  /**
   * The values in the order of the table's partition columns.
   *
   * @throws SluiceException INVALID_PARTITION when the table is not partitioned, or a column is
   *     missing, unknown or named twice
   */
  static List<String> values(SqlNodeList spec, TableDescription table) {
    Map<String, String> given = given(spec, table);
    List<String> values = new ArrayList<>();
    for (String key : table.partitionKeys()) {
      String value = given.get(key);
      if (value == null) {
        throw invalid(
            "A partition of "
                + table.path()
                + " has a value for each of "
                + String.join(", ", table.partitionKeys())
                + "; '"
                + key
                + "' is missing");
      }
      values.add(value);
    }
    return values;
  }

  /** The values by column, all of them partition columns of the table. */
  static Map<String, String> given(SqlNodeList spec, TableDescription table) {
    requirePartitioned(table);
    Map<String, String> given = new LinkedHashMap<>();
    for (SqlNode node : spec) {
      // ALTER TABLE and SHOW PARTITIONS have it in two classes of the same shape.
      List<SqlNode> property = ((SqlCall) node).getOperandList();
      String key = ((SqlIdentifier) property.get(0)).getSimple();
      if (!table.partitionKeys().contains(key)) {
        throw invalid(
            "'"
                + key
                + "' is no partition column of "
                + table.path()
                + "; these are "
                + String.join(", ", table.partitionKeys())
                + NearestNames.hint(key, table.partitionKeys()));
      }
      SqlNode value = property.size() > 1 ? property.get(1) : null;
      if (value == null) {
        throw invalid("Partition column '" + key + "' needs a value: " + key + " = '...'");
      }
      if (given.put(key, text(key, value)) != null) {
        throw invalid("Partition column '" + key + "' is named twice");
      }
    }
    return given;
  }

  /** INVALID_PARTITION for a table without partitions. */
  static void requirePartitioned(TableDescription table) {
    if (!table.partitioned()) {
      throw invalid(
          "Table "
              + table.path()
              + " is not partitioned; partition columns are named when a table is created, by"
              + " PARTITIONED BY (...)");
    }
  }

  private static String text(String key, SqlNode value) {
    if (value instanceof SqlCharStringLiteral) {
      return TableDefinitions.text(value);
    }
    if (value instanceof SqlUnknownLiteral typed) {
      return String.valueOf(typed.getValue());
    }
    if (value instanceof SqlLiteral literal && literal.getValue() != null) {
      return String.valueOf(literal.toValue()).toLowerCase(Locale.ROOT);
    }
    throw invalid("Partition column '" + key + "' takes a literal that is not NULL");
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_PARTITION, message);
  }
}

package io.sluice.lake.sql;

import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.format.schema.Column;
import io.sluice.lake.duck.ResultColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;

/** What DESCRIBE and SHOW PARTITIONS say of a table. */
final class TableRows {
  private TableRows() {}

  /** One row for each column. */
  static SqlResult describe(TableDescription table) {
    List<String> key = table.schema().primaryKey();
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Column column : table.schema().columns()) {
      String text = column.writeDefault();
      rows.add(
          Arrays.asList(
              column.name(),
              column.type().toString(),
              column.nullable(),
              key(column.name(), key, table.partitionKeys()),
              text == null ? null : TableText.defaultLiteral(column.type(), text),
              column.comment().isEmpty() ? null : column.comment()));
    }
    return SqlResult.rows(
        List.of(
            new ResultColumn("name", "STRING"),
            new ResultColumn("type", "STRING"),
            new ResultColumn("null", "BOOLEAN"),
            new ResultColumn("key", "STRING"),
            new ResultColumn("default", "STRING"),
            new ResultColumn("comment", "STRING")),
        rows);
  }

  private static @Nullable String key(String column, List<String> primary, List<String> partition) {
    List<String> parts = new ArrayList<>();
    if (primary.contains(column)) {
      parts.add("PRI(" + String.join(", ", primary) + ")");
    }
    if (partition.contains(column)) {
      parts.add("PARTITION(" + String.join(", ", partition) + ")");
    }
    return parts.isEmpty() ? null : String.join(" ", parts);
  }

  /**
   * Names of the partitions, in their order.
   *
   * @param spec values that they must have, or null
   */
  static List<String> partitions(TableDescription table, @Nullable SqlNodeList spec) {
    PartitionSpecs.requirePartitioned(table);
    Map<String, String> wanted =
        spec == null || spec.isEmpty() ? Map.of() : PartitionSpecs.given(spec, table);
    List<String> names = new ArrayList<>();
    for (PartitionDescription partition : table.partitions()) {
      boolean fits = true;
      for (int i = 0; i < table.partitionKeys().size(); i++) {
        String value = wanted.get(table.partitionKeys().get(i));
        fits &= value == null || value.equals(partition.values().get(i));
      }
      if (fits) {
        names.add(partition.name());
      }
    }
    names.sort(null);
    return names;
  }
}

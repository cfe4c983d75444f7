package io.sluice.systemtests.keys;

import io.sluice.client.Scan;
import io.sluice.client.Table;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowObjects;
import io.sluice.format.schema.TableSchema;
import io.sluice.systemtests.local.ScannedRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Rows of a table as texts: {@code 1, x, null}; bytes are taken for 32-bit bitmaps. */
final class RowTexts {
  private RowTexts() {}

  /** One row with all columns of the table. */
  static String of(TableSchema schema, Row row) {
    List<String> values = new ArrayList<>();
    for (int column = 0; column < schema.size(); column++) {
      Object value = RowObjects.value(row, column, schema.columns().get(column).type());
      values.add(
          value instanceof byte[] bytes
              ? Bitmaps.numbers(bytes).toString()
              : String.valueOf(value));
    }
    return String.join(", ", values);
  }

  /** Rows in the order given. */
  static List<String> of(Table table, Collection<Row> rows) {
    TableSchema schema = table.description().schema();
    return rows.stream().map(row -> of(schema, row)).collect(Collectors.toList());
  }

  /** The current rows, sorted as texts. */
  static List<String> current(Table table) {
    return current(table, table.scan());
  }

  /** The current rows that a scan gives, sorted as texts. */
  static List<String> current(Table table, Scan scan) {
    TableSchema schema = table.description().schema();
    return ScannedRows.read(scan.current(), row -> of(schema, row)).stream().sorted().toList();
  }

  /** The changelog: {@code +I[1, x, null]}; that of one bucket in its order. */
  static List<String> changes(Table table) {
    TableSchema schema = table.description().schema();
    return ScannedRows.read(
        table.scan().withChangeType(),
        row -> row.getString(schema.size()) + "[" + of(schema, row) + "]");
  }
}

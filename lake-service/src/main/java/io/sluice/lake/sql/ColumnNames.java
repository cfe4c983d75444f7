package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.lake.dialect.NearestNames;
import java.util.ArrayList;
import java.util.List;

/** Names of columns in statements that write, which mean what they mean in a query. */
final class ColumnNames {
  private ColumnNames() {}

  /**
   * The column of exactly that name, else the only one whose name differs by case alone.
   *
   * @throws SluiceException COLUMN_NOT_FOUND with the nearest name; INVALID_SQL with the candidates
   *     when there are several
   */
  static Column find(TableDescription table, String name) {
    if (table.schema().hasColumn(name)) {
      return table.schema().column(name);
    }
    List<Column> candidates = new ArrayList<>();
    for (Column column : table.schema().columns()) {
      if (column.name().equalsIgnoreCase(name)) {
        candidates.add(column);
      }
    }
    if (candidates.size() == 1) {
      return candidates.get(0);
    }
    if (candidates.size() > 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          "Table "
              + table.path()
              + " has several columns that '"
              + name
              + "' may mean: "
              + String.join(", ", candidates.stream().map(Column::name).toList())
              + "; write one of them as it is");
    }
    List<String> known = table.schema().columns().stream().map(Column::name).toList();
    throw new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND,
        "Table " + table.path() + " has no column '" + name + "'" + NearestNames.hint(name, known));
  }
}

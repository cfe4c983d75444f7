package io.sluice.lake.sql;

import io.sluice.lake.duck.ResultColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a statement gave.
 *
 * @param rows whether it gives rows; else it is done and has a message only
 * @param message what was done
 * @param columns columns of the rows
 * @param values the rows, values as {@link JsonValues} makes them
 * @param truncated whether there were more rows than asked for
 * @param notices what the reader should know
 */
public record SqlResult(
    boolean rows,
    String message,
    List<ResultColumn> columns,
    List<List<@Nullable Object>> values,
    boolean truncated,
    List<String> notices) {
  public SqlResult {
    columns = List.copyOf(columns);
    notices = List.copyOf(notices);
  }

  static SqlResult done(String message, String... notices) {
    return new SqlResult(false, message, List.of(), List.of(), false, List.of(notices));
  }

  static SqlResult rows(List<ResultColumn> columns, List<List<@Nullable Object>> values) {
    return new SqlResult(true, rowCount(values.size()), columns, values, false, List.of());
  }

  static String rowCount(long rows) {
    return rows == 1 ? "1 row" : rows + " rows";
  }

  SqlResult with(List<String> moreNotices) {
    if (moreNotices.isEmpty()) {
      return this;
    }
    List<String> all = new java.util.ArrayList<>(moreNotices);
    all.addAll(notices);
    return new SqlResult(rows, message, columns, values, truncated, all);
  }
}

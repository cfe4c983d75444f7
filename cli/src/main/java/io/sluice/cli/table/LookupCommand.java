package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.Table;
import io.sluice.client.TableDescription;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowObjects;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code sluice lookup TABLE KEY...}: finds rows by their keys. */
public final class LookupCommand implements Command {
  private static final int MOST_ROWS = 100_000;
  private static final int DEFAULT_ROWS = 100;

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("lookup", "Finds rows of a table with a primary key")
        .required("TABLE", "name as database.table")
        .rest("KEY", "the key of a row; of several key columns the values with commas between")
        .option("--columns", "A,B,...", "only these columns (default: all)")
        .flag("--insert", "make the rows that are missing: with the key, an id and defaults")
        .flag("--prefix", "KEY is partition columns and bucket key: all rows that begin so")
        .option("--limit", "N", "with --prefix, at most so many rows of each (default 100)")
        .note(
            "Exit code 1 when a row is not there. For example: ./sluice lookup demo.airports ATL"
                + " LAX")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    boolean insert = arguments.has("--insert");
    boolean prefix = arguments.has("--prefix");
    if (insert && prefix) {
      throw new UsageException("--insert makes the row of a whole key; it goes not with --prefix");
    }
    if (!prefix && arguments.value("--limit").isPresent()) {
      throw new UsageException("--limit is for --prefix; a key has one row");
    }
    int limit = (int) arguments.number("--limit", DEFAULT_ROWS, 1, MOST_ROWS);
    try (Connection connection = Connection.open(context.settings().client())) {
      Table table = connection.table(arguments.required("TABLE"));
      List<Column> columns = columns(table.description(), arguments.list("--columns"));
      String[] names = columns.stream().map(Column::name).toArray(String[]::new);
      List<String> keys = arguments.rest();
      List<Row> rows =
          prefix ? prefixed(table, names, keys, limit) : found(table, names, keys, insert);
      print(context, columns, rows);
      int missing = prefix ? 0 : keys.size() - rows.size();
      if (missing > 0) {
        context
            .terminal()
            .problem(
                missing == 1 ? "1 key has no row" : Figures.count(missing) + " keys have no row");
      }
      return missing > 0 || rows.isEmpty() ? 1 : 0;
    }
  }

  private static List<Column> columns(TableDescription table, List<String> names) {
    return names.isEmpty()
        ? table.schema().columns()
        : names.stream().map(table.schema()::column).toList();
  }

  private static List<Column> key(TableDescription table) {
    return table.schema().primaryKey().stream().map(table.schema()::column).toList();
  }

  /** The columns of a prefix, as the table's own lookups have them. */
  private static List<Column> prefixColumns(TableDescription table) {
    List<Column> columns = new ArrayList<>();
    table.partitionKeys().forEach(name -> columns.add(table.schema().column(name)));
    for (String name : table.bucketKey()) {
      if (!table.partitionKeys().contains(name)) {
        columns.add(table.schema().column(name));
      }
    }
    return columns;
  }

  /** One value is taken as it is; of several none can have a comma. */
  static Key parse(String text, List<Column> columns) {
    List<String> words = columns.size() == 1 ? List.of(text) : List.of(text.split(",", -1));
    if (words.size() != columns.size()) {
      throw new UsageException(
          "'"
              + text
              + "' has "
              + words.size()
              + " values; a key has "
              + columns.size()
              + ": "
              + String.join(",", columns.stream().map(Column::name).toList()));
    }
    Object[] values = new Object[words.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = DefaultValues.parse(columns.get(i).type(), words.get(i));
    }
    return Key.of(values);
  }

  private static List<Row> found(Table table, String[] columns, List<String> keys, boolean insert) {
    List<Column> key = key(table.description());
    List<Row> rows = new ArrayList<>();
    try (Lookuper lookuper = table.lookuper(columns)) {
      for (String text : keys) {
        Key parsed = parse(text, key);
        Optional<Row> row =
            insert ? Optional.of(lookuper.findOrInsert(parsed)) : lookuper.find(parsed);
        row.ifPresent(rows::add);
      }
    }
    return rows;
  }

  private static List<Row> prefixed(Table table, String[] columns, List<String> keys, int limit) {
    List<Column> key = prefixColumns(table.description());
    List<Row> rows = new ArrayList<>();
    // Opening it says when the table has no prefixes.
    try (PrefixLookuper lookuper = table.prefixLookuper(columns)) {
      keys.forEach(text -> rows.addAll(lookuper.find(parse(text, key), limit)));
    }
    return rows;
  }

  private static void print(CommandContext context, List<Column> columns, List<Row> rows) {
    TextTable text = new TextTable();
    columns.forEach(column -> text.left(column.name()));
    for (Row row : rows) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        cells.add(cell(RowObjects.value(row, i, columns.get(i).type())));
      }
      text.row(cells);
    }
    if (!rows.isEmpty()) {
      text.fit(context.terminal().columns()).lines().forEach(context.terminal()::line);
    }
  }

  private static String cell(@Nullable Object value) {
    if (value == null) {
      return "NULL";
    }
    String text =
        value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
  }
}

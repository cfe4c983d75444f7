package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import java.util.List;
import java.util.Optional;

/**
 * {@code sluice describe TABLE}: columns, merge rules, options, partitions and buckets of a table.
 */
public final class DescribeCommand implements Command {
  @Override
  public CommandLine commandLine() {
    return CommandLine.of(
            "describe",
            "Shows the columns, merge rules, options, partitions and buckets of a table")
        .required("TABLE", "name as database.table")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    try (Connection connection = Connection.open(context.settings().client())) {
      show(connection.admin().describe(path), context.terminal());
    }
    return 0;
  }

  private static void show(TableDescription table, Terminal terminal) {
    String kind = table.schema().primaryKey().isEmpty() ? "log table" : "primary-key table";
    terminal.line(
        terminal.bold(table.path().toString())
            + "   "
            + kind
            + ", id "
            + table.tableId()
            + ", schema "
            + table.schema().schemaId());
    if (!table.comment().isEmpty()) {
      terminal.line(table.comment());
    }
    List<TextTable> parts =
        List.of(
            TableText.columns(table),
            TableText.facts(table),
            table.partitioned() ? TableText.partitions(table) : TableText.buckets(table));
    for (TextTable part : parts) {
      terminal.blank();
      part.lines().forEach(terminal::line);
    }
    rest(table).ifPresent(terminal::line);
  }

  /** What says how many lines were left out. */
  private static Optional<String> rest(TableDescription table) {
    int all = table.partitioned() ? table.partitions().size() : table.buckets().size();
    if (table.partitioned() && all == 0) {
      return Optional.of(
          "No partition yet: writers make them, or ./sluice partitions "
              + table.path()
              + " --add "
              + String.join("=.../", table.partitionKeys())
              + "=...");
    }
    if (all <= TableText.MOST_LINES) {
      return Optional.empty();
    }
    String left = Figures.count(all - TableText.MOST_LINES);
    return Optional.of(
        table.partitioned()
            ? left + " older ones are not shown; ./sluice partitions " + table.path() + " shows all"
            : left
                + " more buckets are not shown; ./sluice offsets "
                + table.path()
                + " shows all");
  }
}

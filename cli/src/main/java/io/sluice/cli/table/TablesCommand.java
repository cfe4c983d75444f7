package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.measure.JsonText;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code sluice tables [DATABASE]}: lists tables. */
public final class TablesCommand implements Command {
  private static final String DATABASE = "DATABASE";

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("tables", "Lists tables")
        .optional(DATABASE, "only the tables of this database")
        .flag("--json", "one JSON object a line")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    List<TableDescription> tables;
    try (Connection connection = Connection.open(context.settings().client())) {
      tables = connection.admin().listTables(arguments.value(DATABASE).orElse(null));
    }
    if (arguments.has("--json")) {
      tables.forEach(table -> context.terminal().line(JsonText.compact(asJson(table))));
    } else if (tables.isEmpty()) {
      context.terminal().line("There are no tables. ./sluice demo makes one.");
    } else {
      TextTable text =
          new TextTable()
              .left("TABLE")
              .right("COLUMNS")
              .right("PARTITIONS")
              .right("BUCKETS")
              .left("CREATED");
      for (TableDescription table : tables) {
        text.row(
            table.path().toString(),
            Figures.count(table.schema().size()),
            table.partitioned() ? Figures.count(table.partitions().size()) : "-",
            Figures.count(table.buckets().size()),
            Instant.ofEpochMilli(table.createdMs()).toString());
      }
      text.lines().forEach(context.terminal()::line);
    }
    return 0;
  }

  private static Map<String, Object> asJson(TableDescription table) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("table", table.path().toString());
    json.put("columns", table.schema().size());
    if (table.partitioned()) {
      json.put("partitions", table.partitions().size());
    }
    json.put("buckets", table.buckets().size());
    json.put("created_ms", table.createdMs());
    return json;
  }
}

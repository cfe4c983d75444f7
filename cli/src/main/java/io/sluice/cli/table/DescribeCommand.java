package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.BucketDescription;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** {@code sluice describe TABLE}: columns, options and buckets of a table. */
public final class DescribeCommand implements Command {
  private static final Set<String> SHOWN_ELSEWHERE =
      Set.of(TableSpec.BUCKET_COUNT, TableSpec.BUCKET_KEY);

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("describe", "Shows the columns, options and buckets of a table")
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
    for (TextTable part : List.of(columns(table), facts(table), buckets(table))) {
      terminal.blank();
      part.lines().forEach(terminal::line);
    }
  }

  private static TextTable columns(TableDescription table) {
    TextTable columns = new TextTable().left("COLUMN").left("TYPE").left("NULL").left("COMMENT");
    for (Column column : table.schema().columns()) {
      columns.row(
          column.name(),
          column.type().toString(),
          column.nullable() ? "yes" : "no",
          column.comment());
    }
    return columns;
  }

  private static TextTable facts(TableDescription table) {
    TextTable facts = new TextTable().left("").left("");
    if (!table.schema().primaryKey().isEmpty()) {
      facts.row("primary key", String.join(", ", table.schema().primaryKey()));
    }
    facts.row(
        "bucket key",
        table.bucketKey().isEmpty() ? "none, any bucket" : String.join(", ", table.bucketKey()));
    facts.row("replicas", Integer.toString(table.replicationFactor()));
    for (Map.Entry<String, String> option : new TreeMap<>(table.options()).entrySet()) {
      if (!SHOWN_ELSEWHERE.contains(option.getKey())) {
        facts.row(option.getKey(), option.getValue());
      }
    }
    return facts;
  }

  private static TextTable buckets(TableDescription table) {
    TextTable buckets =
        new TextTable()
            .right("BUCKET")
            .left("LEADER")
            .right("EPOCH")
            .left("REPLICAS")
            .left("IN SYNC");
    for (BucketDescription bucket : table.buckets()) {
      buckets.row(
          Integer.toString(bucket.bucket()),
          bucket.leaderServerId() == 0
              ? "none"
              : bucket.leaderServerId() + " at " + bucket.leaderAddress(),
          Integer.toString(bucket.leaderEpoch()),
          servers(bucket.replicas()),
          servers(bucket.inSync()));
    }
    return buckets;
  }

  private static String servers(List<Integer> ids) {
    return String.join(",", ids.stream().map(String::valueOf).toList());
  }
}

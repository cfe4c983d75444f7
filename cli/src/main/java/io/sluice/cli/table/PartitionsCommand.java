package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.measure.JsonText;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.Admin;
import io.sluice.client.Connection;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.partition.PartitionKeys;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code sluice partitions TABLE}: lists, adds and drops partitions. */
public final class PartitionsCommand implements Command {
  @Override
  public CommandLine commandLine() {
    return CommandLine.of("partitions", "Lists, adds or drops partitions of a table")
        .required("TABLE", "name as database.table")
        .option("--add", "PARTITION", "creates it, for example dt=2024-01-01/region=EU")
        .option("--drop", "PARTITION", "drops it with all its rows")
        .flag("--json", "one JSON object a line")
        .note("A slash, an equals sign or a percent sign in a value is written %2F, %3D, %25.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    Optional<String> add = arguments.value("--add");
    Optional<String> drop = arguments.value("--drop");
    try (Connection connection = Connection.open(context.settings().client())) {
      Admin admin = connection.admin();
      TableDescription table = admin.describe(path);
      PartitionKeys keys = keys(table);
      // Both are read before one is done.
      Optional<List<String>> added = add.map(keys::parse);
      Optional<List<String>> dropped = drop.map(keys::parse);
      Terminal terminal = context.terminal();
      added.ifPresent(
          values ->
              terminal.line(
                  "Added partition "
                      + admin.createPartition(path, values, false).name()
                      + " to "
                      + path));
      dropped.ifPresent(
          values -> {
            admin.dropPartition(path, values, false);
            terminal.line(
                "Dropped partition " + keys.name(values) + " of " + path + " with all its rows");
          });
      if (added.isEmpty() && dropped.isEmpty()) {
        list(table, arguments.has("--json"), terminal);
      }
    }
    return 0;
  }

  private static PartitionKeys keys(TableDescription table) {
    if (!table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION,
          "Table "
              + table.path()
              + " is not partitioned; partition columns are named when a table is created, by"
              + " --partition-by");
    }
    return PartitionKeys.of(table.schema(), table.partitionKeys());
  }

  private static void list(TableDescription table, boolean json, Terminal terminal) {
    if (json) {
      table.partitions().forEach(each -> terminal.line(JsonText.compact(asJson(table, each))));
      return;
    }
    if (table.partitions().isEmpty()) {
      terminal.line("Table " + table.path() + " has no partition yet; writers make them.");
      return;
    }
    TextTable text = new TextTable().left("PARTITION").right("ID").left("CREATED");
    for (PartitionDescription partition : table.partitions()) {
      text.row(
          partition.name(),
          Long.toString(partition.partitionId()),
          Instant.ofEpochMilli(partition.createdMs()).toString());
    }
    text.lines().forEach(terminal::line);
  }

  private static Map<String, Object> asJson(
      TableDescription table, PartitionDescription partition) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < table.partitionKeys().size(); i++) {
      values.put(table.partitionKeys().get(i), partition.values().get(i));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("partition", partition.name());
    json.put("partition_id", partition.partitionId());
    json.put("values", values);
    json.put("created_ms", partition.createdMs());
    return json;
  }
}

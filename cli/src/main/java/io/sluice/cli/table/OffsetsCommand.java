package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.measure.JsonText;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code sluice offsets TABLE}: where the log of each bucket begins and ends, and its size. */
public final class OffsetsCommand implements Command {
  @Override
  public CommandLine commandLine() {
    return CommandLine.of("offsets", "Shows where the log of each bucket begins and ends")
        .required("TABLE", "name as database.table")
        .flag("--json", "one JSON object a line")
        .note("visible: readers see the rows below. stable: what was forced to disk, too.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    SortedMap<Integer, BucketOffsets> offsets;
    try (Connection connection = Connection.open(context.settings().client())) {
      offsets = new TreeMap<>(connection.admin().listOffsets(path));
    }
    if (arguments.has("--json")) {
      offsets.forEach(
          (bucket, at) -> context.terminal().line(JsonText.compact(asJson(bucket, at))));
    } else {
      asTable(offsets).lines().forEach(context.terminal()::line);
    }
    return 0;
  }

  private static TextTable asTable(SortedMap<Integer, BucketOffsets> offsets) {
    TextTable table =
        new TextTable()
            .right("BUCKET")
            .right("START")
            .right("VISIBLE")
            .right("STABLE")
            .right("END")
            .right("EPOCH")
            .right("ON DISK");
    long rows = 0;
    long bytes = 0;
    for (Map.Entry<Integer, BucketOffsets> entry : offsets.entrySet()) {
      BucketOffsets at = entry.getValue();
      table.row(
          entry.getKey().toString(),
          Figures.count(at.logStart()),
          Figures.count(at.visible()),
          Figures.count(at.stable()),
          Figures.count(at.logEnd()),
          Integer.toString(at.leaderEpoch()),
          Figures.bytes(at.sizeBytes()));
      rows += at.visible() - at.logStart();
      bytes += at.sizeBytes();
    }
    table.row("all", "", Figures.count(rows) + " rows", "", "", "", Figures.bytes(bytes));
    return table;
  }

  private static Map<String, Object> asJson(int bucket, BucketOffsets at) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("bucket", bucket);
    json.put("log_start", at.logStart());
    json.put("visible", at.visible());
    json.put("stable", at.stable());
    json.put("log_end", at.logEnd());
    json.put("leader_epoch", at.leaderEpoch());
    json.put("size_bytes", at.sizeBytes());
    return json;
  }
}

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
import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
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
        .note("rows now: of a table with a primary key, the rows that its changelog has come to.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    TableDescription table;
    SortedMap<TableBucket, BucketOffsets> offsets;
    try (Connection connection = Connection.open(context.settings().client())) {
      offsets = new TreeMap<>(connection.admin().listBucketOffsets(path));
      table = connection.admin().describe(path);
    }
    Map<Long, String> partitions = new HashMap<>();
    table.partitions().forEach(each -> partitions.put(each.partitionId(), each.name()));
    if (arguments.has("--json")) {
      offsets.forEach(
          (bucket, at) ->
              context.terminal().line(JsonText.compact(asJson(bucket, partitions, at))));
    } else {
      asTable(offsets, table, partitions).lines().forEach(context.terminal()::line);
    }
    return 0;
  }

  private static String partition(TableBucket bucket, Map<Long, String> partitions) {
    // One that was made or dropped between the two questions has no name here.
    return partitions.getOrDefault(bucket.partitionId(), "id " + bucket.partitionId());
  }

  private static TextTable asTable(
      SortedMap<TableBucket, BucketOffsets> offsets,
      TableDescription description,
      Map<Long, String> partitions) {
    boolean partitioned = description.partitioned();
    boolean keyed = !description.schema().primaryKey().isEmpty();
    TextTable table = new TextTable();
    if (partitioned) {
      table.left("PARTITION");
    }
    table
        .right("BUCKET")
        .right("START")
        .right("VISIBLE")
        .right("STABLE")
        .right("END")
        .right("EPOCH")
        .right("ON DISK");
    if (keyed) {
      table.right("ROWS NOW");
    }
    long rows = 0;
    long bytes = 0;
    long current = 0;
    for (Map.Entry<TableBucket, BucketOffsets> entry : offsets.entrySet()) {
      BucketOffsets at = entry.getValue();
      List<String> cells = new ArrayList<>();
      if (partitioned) {
        cells.add(partition(entry.getKey(), partitions));
      }
      cells.add(Integer.toString(entry.getKey().bucket()));
      cells.addAll(figures(at));
      if (keyed) {
        cells.add(rows(at.rowCount()));
        current = current < 0 || at.rowCount() < 0 ? -1 : current + at.rowCount();
      }
      table.row(cells);
      rows += at.visible() - at.logStart();
      bytes += at.sizeBytes();
    }
    List<String> all = new ArrayList<>(partitioned ? List.of("all", "") : List.of("all"));
    String records = Figures.count(rows) + (keyed ? " records" : " rows");
    all.addAll(List.of("", records, "", "", "", Figures.bytes(bytes)));
    if (keyed) {
      all.add(rows(current));
    }
    return table.row(all);
  }

  private static String rows(long count) {
    return count < 0 ? "not counted" : Figures.count(count);
  }

  private static List<String> figures(BucketOffsets at) {
    return List.of(
        Figures.count(at.logStart()),
        Figures.count(at.visible()),
        Figures.count(at.stable()),
        Figures.count(at.logEnd()),
        Integer.toString(at.leaderEpoch()),
        Figures.bytes(at.sizeBytes()));
  }

  private static Map<String, Object> asJson(
      TableBucket bucket, Map<Long, String> partitions, BucketOffsets at) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (bucket.partitionId() != TableBucket.NO_PARTITION) {
      json.put("partition", partition(bucket, partitions));
    }
    json.put("bucket", bucket.bucket());
    json.put("log_start", at.logStart());
    json.put("visible", at.visible());
    json.put("stable", at.stable());
    json.put("log_end", at.logEnd());
    json.put("leader_epoch", at.leaderEpoch());
    json.put("size_bytes", at.sizeBytes());
    if (at.rowCount() >= 0) {
      json.put("row_count", at.rowCount());
    }
    return json;
  }
}

package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import java.time.Duration;
import java.util.List;

/** {@code sluice scan TABLE}: prints rows. */
public final class ScanCommand implements Command {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long DEFAULT_LIMIT = 20;

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("scan", "Prints rows of a table")
        .required("TABLE", "name as database.table")
        .option("--columns", "A,B.C,...", "only these columns and nested fields, in this order")
        .option("--where", "TEXT", "only rows for which this is true: \"delay > 60 AND x IS NULL\"")
        .option("--partition", "P,Q,...", "only these partitions: dt=2024-01-31/region=EU")
        .option("--max-bytes", "N", "end after the batch with which N bytes have come")
        .option("--limit", "N", "at most so many rows (default 20; with --follow no limit)")
        .flag("--all", "every row there is now")
        .flag("--follow", "begin at the end and print rows as they arrive, until Ctrl-C")
        .flag("--current", "the current rows of a table with a primary key, not its changelog")
        .flag("--changes", "add what each record of the changelog does: +I, -U, +U, -D")
        .flag("--offsets", "add the bucket and the offset of each row")
        .flag("--json", "one JSON object a line")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    boolean follow = arguments.has("--follow");
    boolean limited = arguments.value("--limit").isPresent();
    if (arguments.has("--all") && (limited || follow)) {
      throw new UsageException(
          "--all means every row there is now; it goes with neither --limit nor --follow");
    }
    checkCurrent(arguments, follow);
    long limit = arguments.number("--limit", DEFAULT_LIMIT, 1, Long.MAX_VALUE);
    long most = arguments.has("--all") || (follow && !limited) ? Long.MAX_VALUE : limit;
    try (Connection connection = Connection.open(context.settings().client())) {
      Table table = connection.table(arguments.required("TABLE"));
      Scan scan = chosen(table.scan(), arguments);
      if (most != Long.MAX_VALUE) {
        scan = scan.limit(most);
      }
      scan = follow ? scan.fromLatest().follow() : scan.fromEarliest().bounded();
      RowPlaces places =
          arguments.has("--offsets") ? RowPlaces.of(table.description()) : RowPlaces.none();
      RowPrinter printer =
          arguments.has("--json")
              ? new JsonRowPrinter(context.terminal(), places)
              : new TextRowPrinter(context.terminal(), places);
      print(scan, most, printer, context.terminal());
    }
    return 0;
  }

  private static void checkCurrent(Arguments arguments, boolean follow) {
    if (!arguments.has("--current")) {
      return;
    }
    if (follow
        || arguments.has("--changes")
        || arguments.has("--offsets")
        || arguments.value("--where").isPresent()
        || arguments.value("--max-bytes").isPresent()) {
      throw new UsageException(
          "--current reads rows as they are now; it goes with none of --follow, --changes,"
              + " --offsets, --where and --max-bytes");
    }
  }

  private static Scan chosen(Scan scan, Arguments arguments) {
    List<String> columns = arguments.list("--columns");
    if (!columns.isEmpty()) {
      scan.columns(columns.toArray(String[]::new));
    }
    arguments.value("--where").ifPresent(scan::filter);
    List<String> partitions = arguments.list("--partition");
    if (!partitions.isEmpty()) {
      scan.partitions(partitions.toArray(String[]::new));
    }
    if (arguments.value("--max-bytes").isPresent()) {
      scan.maxBytes(arguments.number("--max-bytes", 1, 1, Long.MAX_VALUE));
    }
    if (arguments.has("--current")) {
      scan.current();
    }
    if (arguments.has("--changes")) {
      scan.withChangeType();
    }
    return arguments.has("--offsets") ? scan.withOffset() : scan;
  }

  private static void print(Scan scan, long most, RowPrinter printer, Terminal terminal) {
    long printed = 0;
    try (LogScanner scanner = scan.open()) {
      while (!scanner.finished() && printed < most && !terminal.broken()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            int rows = (int) Math.min(batch.rowCount(), most - printed);
            printer.print(batch, rows);
            printed += rows;
          }
        }
      }
    }
    printer.finish(printed);
  }
}

package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import java.util.List;

/** {@code sluice create TABLE COLUMN...}: creates a log table, and its database if need be. */
public final class CreateCommand implements Command {
  private static final int MOST_BUCKETS = 4096;

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("create", "Creates a log table")
        .required("TABLE", "name as database.table; the database is made if need be")
        .rest("COLUMN", "each in quotes: \"NAME TYPE\" or \"NAME TYPE NOT NULL\"")
        .option("--buckets", "N", "number of buckets (default 1)")
        .option("--bucket-key", "A,B", "columns whose values choose the bucket (default none)")
        .option("--comment", "TEXT", "what the table holds")
        .note(
            "For example: ./sluice create demo.readings \"at TIMESTAMP(3) NOT NULL\" \"celsius DOUBLE\"")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    TableSpec.Builder spec = TableSpec.of(path.toString());
    spec.buckets((int) arguments.number("--buckets", 1, 1, MOST_BUCKETS));
    for (String column : arguments.rest()) {
      ColumnText.parse(column).addTo(spec);
    }
    List<String> key = arguments.list("--bucket-key");
    if (!key.isEmpty()) {
      spec.bucketKey(key.toArray(String[]::new));
    }
    arguments.value("--comment").ifPresent(spec::comment);
    try (Connection connection = Connection.open(context.settings().client())) {
      connection.admin().createDatabase(path.database(), true);
      connection.admin().createTable(spec.build());
    }
    context.terminal().line("Created " + path);
    return 0;
  }
}

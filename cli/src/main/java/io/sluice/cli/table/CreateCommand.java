package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.client.TableSpec.ColumnSpec;
import io.sluice.common.TablePath;
import java.util.List;

/** {@code sluice create TABLE COLUMN...}: creates a table, and its database if need be. */
public final class CreateCommand implements Command {
  private static final int MOST_BUCKETS = 4096;

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("create", "Creates a table")
        .required("TABLE", "name as database.table; the database is made if need be")
        .rest("COLUMN", "each in quotes: \"NAME TYPE [NOT NULL] [DEFAULT VALUE]\"")
        .option("--primary-key", "A,B", "key columns, which are NOT NULL (default: a log table)")
        .option("--partition-by", "A,B", "columns whose values make partitions (default none)")
        .option("--buckets", "N", "number of buckets, of each partition (default 1)")
        .option("--bucket-key", "A,B", "columns whose values choose the bucket (default none)")
        .option("--set", "KEY=VALUE,...", "table options, as table.log.ttl=3d; may be given again")
        .option("--comment", "TEXT", "what the table holds")
        .note(
            "For example: ./sluice create demo.readings \"at TIMESTAMP(3) NOT NULL\" \"celsius"
                + " DOUBLE\"")
        .note(
            "             ./sluice create demo.sales \"id BIGINT\" \"dt STRING\" --partition-by dt")
        .note(
            "             ./sluice create demo.totals \"k INT\" \"v BIGINT\" --primary-key k --set"
                + " table.merge-engine=aggregation,fields.v.agg=sum")
        .note("docs/merge-engines.md has the options of tables with a primary key.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    TableSpec.Builder spec = TableSpec.of(path.toString());
    spec.buckets((int) arguments.number("--buckets", 1, 1, MOST_BUCKETS));
    List<String> primaryKey = arguments.list("--primary-key");
    for (String column : arguments.rest()) {
      spec.column(column(ColumnText.parse(column), primaryKey));
    }
    spec.primaryKey(primaryKey.toArray(String[]::new));
    spec.partitionedBy(arguments.list("--partition-by").toArray(String[]::new));
    arguments
        .value("--set")
        .ifPresent(options -> KeyValue.options("--set", options).forEach(spec::option));
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

  private static ColumnSpec column(ColumnText text, List<String> primaryKey) {
    ColumnSpec column = text.spec();
    boolean nullable = column.nullable() && !primaryKey.contains(column.name());
    return new ColumnSpec(
        column.name(), column.type(), nullable, column.comment(), column.defaultValue());
  }
}

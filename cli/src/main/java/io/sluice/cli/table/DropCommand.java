package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;

/** {@code sluice drop TABLE}: drops a table with all its rows. */
public final class DropCommand implements Command {
  @Override
  public CommandLine commandLine() {
    return CommandLine.of("drop", "Drops a table with all its rows")
        .required("TABLE", "name as database.table")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    try (Connection connection = Connection.open(context.settings().client())) {
      connection.admin().dropTable(path, false);
    }
    context.terminal().line("Dropped " + path);
    return 0;
  }
}

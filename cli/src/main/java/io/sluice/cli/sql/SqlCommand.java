package io.sluice.cli.sql;

import io.sluice.cli.CliException;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.RestProblem;
import io.sluice.cli.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code sluice sql STATEMENT}: runs statements and prints their results. */
public final class SqlCommand implements Command {
  private static final String STATEMENT = "STATEMENT";
  private static final String FILE = "-f";
  private static final int MOST_ROWS = 1_000_000;

  private final InputStream input;

  public SqlCommand() {
    this(System.in);
  }

  SqlCommand(InputStream input) {
    this.input = input;
  }

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("sql", "Runs SQL and prints the result")
        .optional(STATEMENT, "one or more statements with semicolons between; - or nothing: stdin")
        .option(FILE, "FILE", "run the statements of a file")
        .option("--format", "FORMAT", "table (default), csv or json (one object a line)")
        .option("--database", "NAME", "where tables are looked for that are named without one")
        .option("--max-rows", "N", "rows shown at most (default: the service's limit)")
        .flag("--allow-partial", "read what the log alone has while the lake does not answer")
        .note("For example: ./sluice sql \"SELECT origin, COUNT(*) FROM demo.flights GROUP BY 1\"")
        .note("A log table in the lake is read up to the last row, `demo.flights$lake` as the lake")
        .note(
            "has it. It stops at the first statement that fails; exit code 1. What CREATE"
                + " TEMPORARY")
        .note("VIEW v AS query makes is known to the statements behind it.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) throws IOException {
    ResultFormat format = ResultFormat.of(arguments.value("--format").orElse("table"));
    SqlClient.Options options =
        new SqlClient.Options(
            arguments.value("--database").orElse(""),
            arguments.number("--max-rows", 0, 1, MOST_ROWS),
            arguments.has("--allow-partial"));
    List<String> statements = SqlScript.statements(script(arguments));
    if (statements.isEmpty()) {
      throw new UsageException("there is no statement to run");
    }
    SqlClient client = new SqlClient(context.settings().endpoints().sql());
    ResultPrinter printer = new ResultPrinter(context.terminal(), format);
    TemporaryViews views = new TemporaryViews();
    for (String statement : statements) {
      Optional<String> view = views.define(statement);
      if (view.isPresent()) {
        context.terminal().line("View " + view.get() + " is known until this command ends");
        continue;
      }
      String resolved = views.resolve(statement);
      try {
        printer.print(client.run(resolved, options));
      } catch (RestProblem problem) {
        explain(context.terminal(), resolved, problem);
        return 1;
      }
    }
    return 0;
  }

  private String script(Arguments arguments) throws IOException {
    String given = arguments.value(STATEMENT).orElse("-");
    if (arguments.value(FILE).isPresent()) {
      if (!given.equals("-")) {
        throw new UsageException("-f FILE and a statement do not go together");
      }
      return read(Path.of(arguments.value(FILE).get()));
    }
    return given.equals("-") ? new String(input.readAllBytes(), StandardCharsets.UTF_8) : given;
  }

  private static String read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new CliException("Cannot read " + file + ": it does not exist or may not be read");
    }
    return Files.readString(file);
  }

  private static void explain(Terminal terminal, String statement, RestProblem problem) {
    List<String> lines = SqlProblemText.lines(statement, problem);
    terminal.problem(terminal.red("sluice sql: ") + lines.get(0));
    lines.subList(1, lines.size()).forEach(terminal::problem);
  }
}

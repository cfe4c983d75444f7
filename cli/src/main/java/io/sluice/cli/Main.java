package io.sluice.cli;

import io.sluice.cli.bench.BenchCommand;
import io.sluice.cli.coordinators.CoordinatorsCommand;
import io.sluice.cli.demo.DemoCommand;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.replicas.ClusterCommand;
import io.sluice.cli.sql.SqlCommand;
import io.sluice.cli.table.AlterCommand;
import io.sluice.cli.table.CreateCommand;
import io.sluice.cli.table.DescribeCommand;
import io.sluice.cli.table.DropCommand;
import io.sluice.cli.table.LookupCommand;
import io.sluice.cli.table.OffsetsCommand;
import io.sluice.cli.table.PartitionsCommand;
import io.sluice.cli.table.ScanCommand;
import io.sluice.cli.table.TablesCommand;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.tiering.TieringCommand;
import io.sluice.common.TimeSource;
import java.util.List;

/**
 * Entry point of the command line. Exit codes: 0 all well, 1 failed or found wrong data, 2 the
 * command line was not understood.
 */
public final class Main {
  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;

  private final List<Command> commands;
  private final CommandContext context;

  Main(List<Command> commands, CommandContext context) {
    this.commands = List.copyOf(commands);
    this.context = context;
  }

  public static void main(String[] words) {
    Logging.configure(List.of(words));
    CommandContext context =
        new CommandContext(
            Terminal.ofProcess(System.getenv()),
            Settings.of(System.getProperties()),
            TimeSource.SYSTEM);
    System.exit(new Main(allCommands(), context).run(List.of(words)));
  }

  static List<Command> allCommands() {
    return List.of(
        new DemoCommand(),
        new BenchCommand(),
        new SqlCommand(),
        new TieringCommand(),
        new TablesCommand(),
        new DescribeCommand(),
        new OffsetsCommand(),
        new ScanCommand(),
        new LookupCommand(),
        new CreateCommand(),
        new AlterCommand(),
        new PartitionsCommand(),
        new DropCommand(),
        new CoordinatorsCommand(),
        new ClusterCommand());
  }

  /** Runs the command that the words name and returns the exit code. */
  int run(List<String> words) {
    boolean help = !words.isEmpty() && List.of("help", "--help").contains(words.get(0));
    if (words.isEmpty() || (help && words.size() == 1)) {
      context.terminal().text(overview());
      return words.isEmpty() ? WRONG_USAGE : 0;
    }
    return help
        ? run(words.get(1), List.of("--help"))
        : run(words.get(0), words.subList(1, words.size()));
  }

  private int run(String name, List<String> words) {
    for (Command command : commands) {
      if (command.commandLine().command().equals(name)) {
        return run(command, words);
      }
    }
    List<String> known = commands.stream().map(c -> c.commandLine().command()).toList();
    return wrongUsage(
        "sluice: unknown command " + name + NearestName.suggestion(name, known), "sluice help");
  }

  private int run(Command command, List<String> words) {
    String name = command.commandLine().command();
    Arguments arguments;
    try {
      arguments = command.commandLine().parse(words);
    } catch (UsageException e) {
      return wrongUsage("sluice " + name + ": " + e.getMessage(), "sluice " + name + " --help");
    }
    if (arguments.has("--help")) {
      context.terminal().text(command.commandLine().help());
      return 0;
    }
    try {
      return command.run(arguments, context);
    } catch (UsageException e) {
      return wrongUsage("sluice " + name + ": " + e.getMessage(), "sluice " + name + " --help");
    } catch (Exception e) {
      Failures.show(context.terminal(), context.settings(), name, e, arguments.has("--verbose"));
      return FAILED;
    }
  }

  private int wrongUsage(String problem, String help) {
    context.terminal().problem(problem);
    context.terminal().problem("./" + help + " shows what is understood.");
    return WRONG_USAGE;
  }

  private String overview() {
    StringBuilder text = new StringBuilder("Usage: sluice COMMAND [options]\n\n");
    for (Command command : commands) {
      text.append(
          String.format(
              "  %-12s %s%n", command.commandLine().command(), command.commandLine().summary()));
    }
    return text.append("\nsluice COMMAND --help shows the options of a command.\n").toString();
  }
}

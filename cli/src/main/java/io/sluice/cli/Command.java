package io.sluice.cli;

import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;

/** One word of the command line, for example {@code demo}. */
public interface Command {
  /** What it accepts, with its name and summary. */
  CommandLine commandLine();

  /**
   * Does it and returns the exit code: 0 when all is well, 1 when what it checked is wrong.
   *
   * @throws CliException when it cannot be done, with a message for a person
   * @throws Exception any other failure; the entry point words it
   */
  int run(Arguments arguments, CommandContext context) throws Exception;
}

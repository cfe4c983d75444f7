package io.sluice.cli.cluster;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Starts, stops and kills the services of one local cluster through the launcher script. Every call
 * names the cluster's home, so no other cluster is touched. Thread-safe.
 */
public final class Launcher {
  /** Longest wait for one call of the script; it has shorter waits of its own. */
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private static final int SHOWN_LINES = 15;

  private final Path script;
  private final Path home;
  private final Map<String, String> environment;

  /**
   * @param script the launcher script
   * @param home state directory of the cluster it works on
   */
  public Launcher(Path script, Path home) {
    this(script, home, Map.of());
  }

  /**
   * @param script the launcher script
   * @param home state directory of the cluster it works on
   * @param environment variables that the script gets besides those of this process
   */
  public Launcher(Path script, Path home, Map<String, String> environment) {
    this.script = script;
    this.home = home;
    this.environment = Map.copyOf(environment);
  }

  /** State directory of the cluster. */
  public Path home() {
    return home;
  }

  /** Starts coordinator and tablet as they are built now, and returns when they are ready. */
  public void upWithoutLake(int portBase) {
    run("up", "--no-build", "--no-lake", "--no-console", "--port-base", Integer.toString(portBase));
  }

  /** The same with so many coordinators and tablets. */
  public void upWithoutLake(int portBase, int coordinators, int tablets) {
    run(
        "up",
        "--no-build",
        "--no-lake",
        "--no-console",
        "--coordinators",
        Integer.toString(coordinators),
        "--tablets",
        Integer.toString(tablets),
        "--port-base",
        Integer.toString(portBase));
  }

  /** Stops the cluster. */
  public void down() {
    run("down");
  }

  /** Kills a service with kill -9. */
  public void kill(String service) {
    run("kill", service);
  }

  /** Starts a service that was killed, and returns when it is ready. */
  public void restart(String service) {
    run("restart", service);
  }

  /** Process id of a running service, from the file in which the launcher keeps it. */
  public long pid(String service) {
    Path file = home.resolve("run").resolve(service + ".pid");
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (IOException | NumberFormatException e) {
      throw new CliException(
          "Cannot find the process of " + service + ": " + file + " is not readable as a number",
          "Was the cluster started by ./sluice up?",
          e);
    }
  }

  private void run(String... words) {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--home", home.toString()));
    try {
      Path output = Files.createTempFile("sluice-launcher", ".out");
      try {
        run(command, output);
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      throw new CliException("Cannot run " + script + ": " + e.getMessage(), "", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted while waiting for " + String.join(" ", command), "", e);
    }
  }

  /**
   * Output goes to a file: services inherit it, and a pipe would stay open as long as they live.
   */
  private void run(List<String> command, Path output) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroy();
      throw failure(command, "did not end within " + TIMEOUT.toMinutes() + " minutes", output);
    }
    if (process.exitValue() != 0) {
      throw failure(command, "failed with exit code " + process.exitValue(), output);
    }
  }

  private static CliException failure(List<String> command, String what, Path output)
      throws IOException {
    List<String> lines =
        new String(Files.readAllBytes(output), StandardCharsets.UTF_8).lines().toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return new CliException(
        String.join(" ", command) + " " + what, String.join(System.lineSeparator(), last));
  }
}

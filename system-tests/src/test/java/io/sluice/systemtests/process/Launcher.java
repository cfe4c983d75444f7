package io.sluice.systemtests.process;

import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the launcher script on one home directory. */
public final class Launcher {
  private static final Duration TIMEOUT = Duration.ofMinutes(4);

  private final Path script;
  private final Path home;
  private final Map<String, String> environment;

  Launcher(Path home) {
    this(home, Map.of());
  }

  /**
   * @param environment variables set for the script beside those of this process
   */
  Launcher(Path home, Map<String, String> environment) {
    this(RepositoryRoot.find().resolve("sluice"), home, environment);
  }

  /** A copy of the script in another place. */
  Launcher(Path script, Path home, Map<String, String> environment) {
    this.script = script;
    this.home = home;
    this.environment = Map.copyOf(environment);
  }

  /** What a call printed, both streams together, and its exit code. */
  public record Result(int exitCode, String output) {
    /** Returns this, or fails with what was printed. */
    public Result orFail(String what) {
      if (exitCode != 0) {
        throw new AssertionError(what + " ended with exit code " + exitCode + ":\n" + output);
      }
      return this;
    }
  }

  /** Runs the script with these words; {@code --home} is added. */
  Result run(String... words) {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--home", home.toString()));
    try {
      return run(command);
    } catch (IOException e) {
      throw new AssertionError("Cannot run " + String.join(" ", command), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during " + String.join(" ", command), e);
    }
  }

  /** Output goes to a file: a pipe would stay open as long as a started service lives. */
  private Result run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("sluice-launcher", ".out");
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("SLUICE_BUILD", "off");
      builder.environment().putAll(environment);
      Process process =
          builder
              .directory(Path.of("/").toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            String.join(" ", command)
                + " did not end within "
                + TIMEOUT
                + ":\n"
                + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    } finally {
      Files.deleteIfExists(output);
    }
  }
}

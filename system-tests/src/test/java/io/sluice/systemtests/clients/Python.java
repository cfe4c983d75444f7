package io.sluice.systemtests.clients;

import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A virtual environment of this build with the packages that the Python examples and the test
 * scripts ask for, under {@code system-tests/target}. It is made once and kept for as long as the
 * requirements, the Python and its place are the same.
 */
public final class Python {
  private static final Path ROOT = RepositoryRoot.find();
  private static final List<Path> REQUIREMENTS =
      List.of(
          ROOT.resolve("docs/examples/python/requirements.txt"),
          ROOT.resolve("system-tests/src/test/python/requirements.txt"));
  private static final Path ENVIRONMENT = ROOT.resolve("system-tests/target/python");
  private static final Path LOCK = ROOT.resolve("system-tests/target/python.lock");
  private static final Path STAMP = ENVIRONMENT.resolve("requirements.stamp");
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(4);
  private static final String PROBE =
      "import ensurepip, sys, venv; assert sys.version_info >= (3, 9), sys.version;"
          + " print(sys.executable, sys.version)";

  private Python() {}

  /** What a program printed, both streams together, and its exit code. */
  public record Result(int exitCode, String output) {}

  /**
   * Makes the environment where it is missing or out of date. Where that is not possible (no Python
   * 3.9 or later with venv, no package index) the calling test is skipped, and the reason printed.
   */
  public static Python orSkip() {
    try {
      Result probe = run(List.of("python3", "-c", PROBE), PROBE_TIMEOUT);
      if (probe.exitCode() != 0) {
        throw skip("python3 is not 3.9 or later with venv and ensurepip:\n" + probe.output());
      }
      installWhereMissing(stamp(probe.output()));
      return new Python();
    } catch (IOException e) {
      throw skip("python3 cannot be run: " + e.getMessage());
    }
  }

  /** One test JVM at a time: the others wait for what it installs. */
  private static synchronized void installWhereMissing(String stamp) throws IOException {
    Files.createDirectories(LOCK.getParent());
    try (FileChannel channel =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (!Files.exists(STAMP) || !Files.readString(STAMP).equals(stamp)) {
        install();
        Files.writeString(STAMP, stamp);
      }
    }
  }

  private static String stamp(String python) throws IOException {
    StringBuilder stamp = new StringBuilder(ENVIRONMENT + "\n" + python);
    for (Path requirements : REQUIREMENTS) {
      stamp.append(Files.readString(requirements));
    }
    return stamp.toString();
  }

  private static void install() throws IOException {
    List<List<String>> commands =
        List.of(
            List.of("python3", "-m", "venv", "--clear", ENVIRONMENT.toString()),
            List.of(
                interpreter(),
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-input",
                "-r",
                REQUIREMENTS.get(0).toString(),
                "-r",
                REQUIREMENTS.get(1).toString()));
    for (List<String> command : commands) {
      Result result = run(command, INSTALL_TIMEOUT);
      if (result.exitCode() != 0) {
        throw skip(
            "'" + String.join(" ", command) + "' failed, is there no network?\n" + result.output());
      }
    }
  }

  private static RuntimeException skip(String why) {
    System.out.println("Python clients are not tested: " + why);
    return Assumptions.abort(why);
  }

  private static String interpreter() {
    return ENVIRONMENT.resolve("bin/python").toString();
  }

  /** Runs a script of this repository, named by its path from the root, in the environment. */
  public Result runScript(Duration timeout, String script, String... arguments) {
    List<String> command = new ArrayList<>(List.of(interpreter(), ROOT.resolve(script).toString()));
    command.addAll(List.of(arguments));
    try {
      return run(command, timeout);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + String.join(" ", command), e);
    }
  }

  private static Result run(List<String> command, Duration timeout) throws IOException {
    Path output = Files.createTempFile("sluice-python", ".out");
    Process process = null;
    try {
      process =
          new ProcessBuilder(command)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(
            String.join(" ", command)
                + " did not end within "
                + timeout
                + ":\n"
                + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during " + String.join(" ", command), e);
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
      Files.deleteIfExists(output);
    }
  }
}

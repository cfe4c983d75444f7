package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of a comparison, with its output in a file; closing ends it. */
final class ChildProcess implements AutoCloseable {
  private static final long CONNECT_INTERVAL_MS = 100;
  private static final int CONNECT_TIMEOUT_MS = 500;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);
  private static final int SHOWN_LINES = 12;

  private final String name;
  private final Process process;
  private final Path log;

  private ChildProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a server in a directory of the workplace, which owns it: what it prints goes to {@code
   * NAME.log} there.
   */
  static ChildProcess server(
      String name, List<String> command, Path directory, Workplace workplace) {
    Path log = directory.resolve(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    builder.redirectInput(Path.of("/dev/null").toFile());
    return workplace.own(start(name, builder, log));
  }

  /** Starts a client: its errors go to {@code NAME.log}, its input and output to the caller. */
  static ChildProcess client(
      String name, List<String> command, Path directory, Workplace workplace) {
    Path log = directory.resolve(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    return workplace.own(start(name, builder.redirectError(log.toFile()), log));
  }

  private static ChildProcess start(String name, ProcessBuilder builder, Path log) {
    try {
      return new ChildProcess(name, builder.start(), log);
    } catch (IOException e) {
      throw new CliException("Cannot start " + name + ": " + e.getMessage(), "", e);
    }
  }

  long pid() {
    return process.pid();
  }

  Process process() {
    return process;
  }

  /** Waits until it accepts connections on a port of the loopback address. */
  void awaitPort(int port, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!accepts(port)) {
      if (process.waitFor(CONNECT_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        throw failure("ended with exit code " + process.exitValue() + " while starting");
      }
      if (System.nanoTime() > deadline) {
        throw failure("does not listen on port " + port + " after " + timeout.toSeconds() + " s");
      }
    }
  }

  /** Waits for a process that ends by itself. */
  void awaitEnd(Duration timeout) throws InterruptedException {
    if (!process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS)) {
      throw failure("did not end within " + timeout.toSeconds() + " s");
    }
    if (process.exitValue() != 0) {
      throw failure("failed with exit code " + process.exitValue());
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** A failure of this process, with the last lines it logged as the hint. */
  CliException failure(String what) {
    return new CliException(name + " " + what, lastLines());
  }

  private String lastLines() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join(
          System.lineSeparator(),
          lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    } catch (IOException e) {
      return "Its log " + log + " cannot be read: " + e.getMessage();
    }
  }

  /** Ends it with kill -9. */
  void kill() throws InterruptedException {
    if (!process.destroyForcibly().waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw failure("is still there " + STOP_TIMEOUT.toSeconds() + " s after kill -9");
    }
  }

  /** Ends it, by force when it does not end soon. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

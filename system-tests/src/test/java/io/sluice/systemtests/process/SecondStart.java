package io.sluice.systemtests.process;

import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts the process of a service once more, with the words that the launcher started it with, and
 * leaves the files that the launcher would have left. What a launcher does besides takes a second
 * of a processor, which is much for tests that start services again and again.
 */
final class SecondStart {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /** Of what follows the name in a process's {@code stat}: its start in clock ticks. */
  private static final int START_FIELD = 19;

  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(ASK_TIMEOUT)
          .build();

  private final ServiceProcess process;
  private final String service;
  private final URI readiness;
  private final Path log;

  private SecondStart(ServiceProcess process, String service, URI readiness, Path log) {
    this.process = process;
    this.service = service;
    this.readiness = readiness;
    this.log = log;
  }

  /**
   * Starts it; does not wait until it is ready.
   *
   * @param home state directory of the cluster
   * @param httpUrl where the service serves health
   */
  static SecondStart of(Path home, String service, String httpUrl, List<String> command) {
    try {
      Path log = home.resolve("logs").resolve(service + ".log");
      Files.move(log, log.resolveSibling(service + ".log.1"), StandardCopyOption.REPLACE_EXISTING);
      Process process =
          new ProcessBuilder(command)
              .directory(home.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      Path run = home.resolve("run");
      Files.writeString(run.resolve(service + ".start"), identity(process.pid()));
      Files.writeString(run.resolve(service + ".pid"), process.pid() + "\n");
      return new SecondStart(
          ServiceProcess.of(service, process.pid()),
          service,
          URI.create(httpUrl + "/actuator/health/readiness"),
          log);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start " + service + " again", e);
    }
  }

  /** What tells two processes of the same id apart, as the launcher writes it. */
  private static String identity(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return fields[START_FIELD] + " " + Files.readString(BOOT);
  }

  ServiceProcess process() {
    return process;
  }

  /** Returns when the process serves; fails when it ends before. */
  void awaitReady() {
    HttpRequest ask = HttpRequest.newBuilder(readiness).timeout(ASK_TIMEOUT).build();
    Await.until(
        service + " is ready or has ended", TIMEOUT, () -> !process.alive() || isAnswered(ask));
    if (!process.alive()) {
      throw new AssertionError(service + " stopped while starting:\n" + lastLog());
    }
  }

  /** Asks after a pause: the service needs the processor more than who waits for it. */
  private static boolean isAnswered(HttpRequest ask) throws IOException, InterruptedException {
    LockSupport.parkNanos(PAUSE.toNanos());
    return HTTP.send(ask, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
  }

  private String lastLog() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}

package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.CliException;
import io.sluice.cli.bench.Metric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * One product with its client process, which carries out orders, see {@code
 * io.sluice.bench.harness.ClientProcess}. Used by one thread. The workplace owns the process.
 */
final class ClientSession {
  private static final String MAIN = "io.sluice.bench.harness.ClientProcess";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration ORDER_TIMEOUT = Duration.ofMinutes(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final Servers servers;
  private final ChildProcess process;
  private final Writer orders;
  private final BufferedReader answers;
  private final Set<String> tables = new HashSet<>();
  private final ExecutorService reading = Executors.newSingleThreadExecutor(ClientSession::daemon);

  private ClientSession(String name, Servers servers, ChildProcess process) {
    this.name = name;
    this.servers = servers;
    this.process = process;
    this.orders =
        new OutputStreamWriter(process.process().getOutputStream(), StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(
            new InputStreamReader(process.process().getInputStream(), StandardCharsets.UTF_8));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "bench-client-answers");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts the client process of a product whose servers run. */
  static ClientSession start(String name, Servers servers, Workplace workplace)
      throws InterruptedException {
    List<String> command =
        JavaProcesses.command(
            JavaProcesses.HEAP,
            servers.clientClassPath(),
            workplace.logging(),
            MAIN,
            List.of(servers.bootstrap()));
    ClientSession session =
        new ClientSession(
            name,
            servers,
            ChildProcess.client(
                name + "-client", command, workplace.directory("clients"), workplace));
    session.answer("start", START_TIMEOUT);
    return session;
  }

  /** Short name of the product. */
  String name() {
    return name;
  }

  Servers servers() {
    return servers;
  }

  /**
   * Has the client carry out an order and returns what it measured.
   *
   * @throws CliException when the client failed
   */
  JsonNode order(String verb, Map<String, String> words) throws InterruptedException {
    return order(verb, words, ORDER_TIMEOUT);
  }

  /** The same with another time to wait for the answer. */
  JsonNode order(String verb, Map<String, String> words, Duration timeout)
      throws InterruptedException {
    String pids = servers.pids().stream().map(String::valueOf).collect(Collectors.joining(","));
    Map<String, String> all = new LinkedHashMap<>(words);
    all.put("servers", pids);
    return send(verb, all, timeout);
  }

  /** An order that does not measure servers, which may be down. */
  JsonNode orderWithoutServers(String verb, Map<String, String> words) throws InterruptedException {
    return send(verb, words, ORDER_TIMEOUT);
  }

  /** Whether a table has not been asked for before. */
  boolean isNew(String table) {
    return tables.add(table);
  }

  private JsonNode send(String verb, Map<String, String> words, Duration timeout)
      throws InterruptedException {
    StringBuilder line = new StringBuilder(verb);
    words.forEach((word, value) -> line.append(' ').append(word).append('=').append(value));
    try {
      orders.write(line.append('\n').toString());
      orders.flush();
    } catch (IOException e) {
      throw process.failure("is gone (" + e.getMessage() + ")");
    }
    return answer(verb, timeout);
  }

  /**
   * Carries out an order that makes a table, and has the table dropped whatever becomes of it.
   *
   * @param read takes what it needs from the answer and the table before it goes
   */
  Map<Metric, Double> orderAndDrop(String verb, Map<String, String> words, Reading read)
      throws InterruptedException, IOException {
    Map<Metric, Double> metrics;
    try {
      metrics = read.metrics(order(verb, words));
    } catch (CliException e) {
      try {
        order("drop", words);
      } catch (CliException failed) {
        e.addSuppressed(failed);
      }
      throw e;
    }
    order("drop", words);
    return metrics;
  }

  /** Turns an answer into metrics. */
  @FunctionalInterface
  interface Reading {
    Map<Metric, Double> metrics(JsonNode answer) throws IOException;
  }

  private JsonNode answer(String verb, Duration timeout) throws InterruptedException {
    try {
      String line =
          reading.submit(answers::readLine).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        throw process.failure("ended during " + verb);
      }
      JsonNode answer = JSON.readTree(line);
      if (answer.has("error")) {
        throw process.failure("failed to " + verb + ": " + answer.get("error").asText());
      }
      return answer;
    } catch (TimeoutException e) {
      throw process.failure("did not " + verb + " within " + timeout.toSeconds() + " s");
    } catch (ExecutionException | IOException e) {
      throw new CliException("Cannot read the answers of " + name + ": " + e.getMessage(), "", e);
    }
  }
}

package io.sluice.cli.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A service that answers each path with what the test says, and remembers what it was asked. */
public final class FakeService implements AutoCloseable {
  private record Answer(int status, String body) {}

  private final HttpServer server;
  private final Map<String, Answer> answers = new HashMap<>();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  public FakeService() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  /** What it answers to a path with its query. */
  public FakeService answers(String path, int status, String body) {
    answers.put(path, new Answer(status, body));
    return this;
  }

  /** It sends a path to another place. */
  public FakeService redirects(String path, String location) {
    answers.put(path, new Answer(307, location));
    return this;
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Each request as {@code METHOD path body}. */
  public List<String> requests() {
    return requests;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().toString();
    requests.add((exchange.getRequestMethod() + " " + path + " " + body).strip());
    Answer answer = answers.getOrDefault(path, new Answer(404, "nothing here"));
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    if (answer.status() == 307) {
      exchange.getResponseHeaders().set("Location", answer.body());
    }
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

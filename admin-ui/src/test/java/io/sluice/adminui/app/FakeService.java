package io.sluice.adminui.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A service that answers what a test tells it to, and remembers what it was asked. It can be
 * stopped, so that nobody listens any more, and started again on its port.
 */
public final class FakeService implements AutoCloseable {
  /** A request that came in. */
  public record Request(String method, String target, Map<String, String> headers, String body) {}

  /** Answers a request. */
  public interface Handler {
    void answer(HttpExchange exchange) throws IOException;
  }

  private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<Request> requests = new CopyOnWriteArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "fake-service");
            thread.setDaemon(true);
            return thread;
          });
  private final int port;
  private HttpServer server;

  private FakeService() throws IOException {
    server = listen(0);
    port = server.getAddress().getPort();
  }

  /** Starts one on a free port. */
  public static FakeService start() throws IOException {
    return new FakeService();
  }

  /** Scheme, host and port. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Answers a method and path, without query, from now on. */
  public void on(String methodAndPath, Handler handler) {
    handlers.put(methodAndPath, handler);
  }

  /** Answers with JSON from now on. */
  public void json(String methodAndPath, String json) {
    on(methodAndPath, exchange -> send(exchange, 200, "application/json", json));
  }

  /** What came in so far. */
  public Iterable<Request> requests() {
    return requests;
  }

  /** Stops listening, as a killed process does. */
  public void stop() {
    server.stop(0);
  }

  /** Listens again on the same port. */
  public void startAgain() throws IOException {
    server = listen(port);
  }

  /** Writes a whole answer. */
  public static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private HttpServer listen(int at) throws IOException {
    HttpServer started =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 16);
    started.setExecutor(threads);
    started.createContext("/", this::answer);
    started.start();
    return started;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new ConcurrentHashMap<>();
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      URI target = exchange.getRequestURI();
      requests.add(new Request(exchange.getRequestMethod(), target.toString(), headers, body));
      Handler handler = handlers.get(exchange.getRequestMethod() + " " + target.getRawPath());
      if (handler == null) {
        send(
            exchange,
            404,
            "application/problem+json",
            "{\"status\":404,\"code\":\"NOT_FOUND\",\"detail\":\"none\"}");
      } else {
        handler.answer(exchange);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

package io.sluice.adminui.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The part of the Chrome DevTools protocol that the tests need: calls, and the events that came.
 */
final class DevTools implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int CALL_TIMEOUT_SECONDS = 20;

  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<JsonNode> events = new CopyOnWriteArrayList<>();
  private final AtomicInteger lastId = new AtomicInteger();
  private final WebSocket socket;
  private String session = "";

  private DevTools(URI address) {
    socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, new Receiver()).join();
  }

  /** Connects to a browser and takes its first page. */
  static DevTools attach(URI address) {
    DevTools tools = new DevTools(address);
    String page = "";
    for (JsonNode target : tools.call("Target.getTargets", Map.of()).get("targetInfos")) {
      if (target.get("type").asString().equals("page")) {
        page = target.get("targetId").asString();
      }
    }
    tools.session =
        tools
            .call("Target.attachToTarget", Map.of("targetId", page, "flatten", true))
            .get("sessionId")
            .asString();
    return tools;
  }

  /** Calls a method and waits for its result. */
  JsonNode call(String method, Map<String, ?> parameters) {
    int id = lastId.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    Map<String, Object> message =
        session.isEmpty()
            ? Map.of("id", id, "method", method, "params", parameters)
            : Map.of("id", id, "method", method, "params", parameters, "sessionId", session);
    socket.sendText(JSON.writeValueAsString(message), true).join();
    JsonNode result = answer.orTimeout(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    if (result.has("error")) {
      throw new AssertionError(method + ": " + result.get("error"));
    }
    return result.get("result");
  }

  /** The events so far. */
  List<JsonNode> events() {
    return List.copyOf(events);
  }

  private void received(String text) {
    JsonNode message = JSON.readTree(text);
    if (!message.has("id")) {
      events.add(message);
      return;
    }
    CompletableFuture<JsonNode> answer = waiting.remove(message.get("id").asInt());
    if (answer != null) {
      answer.complete(message);
    }
  }

  @Override
  public void close() {
    socket.abort();
  }

  /** Puts messages together. */
  private final class Receiver implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        received(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
      waiting.values().forEach(answer -> answer.completeExceptionally(failure));
    }
  }
}

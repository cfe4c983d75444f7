package io.sluice.cli.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.cli.CliException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Asks one service over HTTP. Thread-safe. */
public final class RestClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int HTTP_ERRORS = 400;

  /** Numbers keep every digit that the service sent. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
  private final String base;
  private final String service;
  private final Duration timeout;

  /**
   * @param base URL of the service, without a slash at its end
   * @param service its name for messages, as the launcher knows it
   * @param timeout longest wait for an answer
   */
  public RestClient(String base, String service, Duration timeout) {
    this.base = base;
    this.service = service;
    this.timeout = timeout;
  }

  /**
   * Reads what is at this path.
   *
   * @throws RestProblem when the service refuses
   * @throws CliException when it does not answer, or not with JSON
   */
  public JsonNode get(String path) {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  /** Sends a JSON body. Fails like {@link #get}. */
  public JsonNode post(String path, Map<String, ?> body) {
    try {
      return send(
          HttpRequest.newBuilder(uri(path))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("A request body cannot be written as JSON", e);
    }
  }

  private URI uri(String path) {
    return URI.create(base + path);
  }

  private JsonNode send(HttpRequest.Builder request) {
    HttpResponse<String> response;
    try {
      response =
          client.send(
              request.header("Accept", "application/json").timeout(timeout).build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new CliException(
          "No answer from " + service + " at " + base + reason(e),
          "./sluice status shows whether it runs, ./sluice up starts it.",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted while waiting for " + service, "", e);
    }
    JsonNode body = parse(response.body());
    if (response.statusCode() >= HTTP_ERRORS) {
      throw problem(response.statusCode(), body);
    }
    if (body.isMissingNode()) {
      throw new CliException(service + " at " + base + " answered with something else than JSON");
    }
    return body;
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? "" : ": " + e.getMessage();
  }

  /** The missing node when the text is not JSON. */
  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }

  private RestProblem problem(int status, JsonNode body) {
    String detail = body.path("detail").asText("");
    if (detail.isEmpty()) {
      detail = service + " answered with HTTP status " + status;
    }
    return new RestProblem(
        status,
        body.path("code").asText(""),
        detail,
        body.path("line").asInt(0),
        body.path("column").asInt(0));
  }
}

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
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Asks one service over HTTP. Where it has several instances, of which one leads, it goes to that
 * one: redirects are followed, an instance that is away is passed over, and while none leads it is
 * asked again for a while. Thread-safe.
 */
public final class RestClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int HTTP_ERRORS = 400;
  private static final String NO_LEADER = "NOT_COORDINATOR_LEADER";
  private static final String UNKNOWN = "unknown";

  /** How often all instances are asked, while they choose a leader, and the pause in between. */
  private static final int ROUNDS = 20;

  private static final long PAUSE_MS = 250;

  /** Numbers keep every digit that the service sent. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT_TIMEOUT)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();
  private final List<String> bases;
  private final String service;
  private final Duration timeout;

  /**
   * @param base URL of the service, without a slash at its end
   * @param service its name for messages, as the launcher knows it
   * @param timeout longest wait for an answer
   */
  public RestClient(String base, String service, Duration timeout) {
    this(List.of(base), service, timeout);
  }

  /**
   * @param bases URLs of the service's instances, at least one, without a slash at the end
   * @param service its name for messages
   * @param timeout longest wait for an answer
   */
  public RestClient(List<String> bases, String service, Duration timeout) {
    this.bases = List.copyOf(bases);
    this.service = service;
    this.timeout = timeout;
  }

  /**
   * Reads what is at this path.
   *
   * @return what it says, the missing node when it says nothing
   * @throws RestProblem when the service refuses
   * @throws CliException when it does not answer, or not with JSON
   */
  public JsonNode get(String path) {
    return send(path, HttpRequest.newBuilder().GET(), false);
  }

  /** Sends a JSON body. Fails like {@link #get}. */
  public JsonNode post(String path, Map<String, ?> body) {
    try {
      return send(
          path,
          HttpRequest.newBuilder()
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))),
          true);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("A request body cannot be written as JSON", e);
    }
  }

  /** Asks to take away what is at this path. Fails like {@link #get}. */
  public JsonNode delete(String path) {
    return send(path, HttpRequest.newBuilder().DELETE(), true);
  }

  /**
   * @param changes whether it must not be sent again when it may have been done
   */
  private JsonNode send(String path, HttpRequest.Builder request, boolean changes) {
    request.header("Accept", "application/json").timeout(timeout);
    for (int attempt = 0; ; attempt++) {
      String base = bases.get(attempt % bases.size());
      boolean last = attempt + 1 >= bases.size() * ROUNDS || bases.size() == 1;
      try {
        HttpResponse<String> response =
            client.send(
                request.uri(URI.create(base + path)).build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        JsonNode body = parse(response.body());
        boolean mayBeDone =
            changes && body.path("details").path("outcome").asText().equals(UNKNOWN);
        if (last || mayBeDone || !body.path("code").asText().equals(NO_LEADER)) {
          return answer(base, response, body);
        }
      } catch (ConnectException | HttpConnectTimeoutException e) {
        // Nothing was asked.
        if (last) {
          throw noAnswer(base, e);
        }
      } catch (HttpTimeoutException e) {
        // It, or the leader that it names, stands still; each is waited for once.
        if (changes || attempt + 1 >= bases.size()) {
          throw noAnswer(base, e);
        }
      } catch (IOException e) {
        throw noAnswer(base, e);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      if (attempt % bases.size() == bases.size() - 1) {
        pause();
      }
    }
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private CliException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new CliException("Interrupted while waiting for " + service, "", e);
  }

  private CliException noAnswer(String base, IOException e) {
    return new CliException(
        "No answer from " + service + " at " + base + reason(e),
        "./sluice status shows whether it runs, ./sluice up starts it.",
        e);
  }

  private JsonNode answer(String base, HttpResponse<String> response, JsonNode body) {
    if (response.statusCode() >= HTTP_ERRORS) {
      throw problem(response.statusCode(), body);
    }
    if (body.isMissingNode() && !response.body().isEmpty()) {
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

package io.sluice.systemtests.lake;

import io.sluice.common.TablePath;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A lake seen from outside: the tables through Iceberg's own REST client, and what the coordinator
 * records of them through its REST API.
 */
public final class Lake implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
  private final RESTCatalog catalog = new RESTCatalog();
  private final String coordinatorHttp;

  /**
   * @param icebergUri root of the Iceberg REST catalog
   * @param coordinatorHttp root of the coordinator's REST API
   */
  public Lake(String icebergUri, String coordinatorHttp) {
    this.coordinatorHttp = coordinatorHttp;
    catalog.initialize(
        "sluice",
        Map.of(
            CatalogProperties.URI,
            icebergUri,
            "rest-metrics-reporting-enabled",
            "false",
            // Five times with growing pauses otherwise.
            "rest.client.max-retries",
            "1"));
  }

  /** Iceberg's own client. */
  public RESTCatalog catalog() {
    return catalog;
  }

  /** The lake table of a table as it is now. */
  public LakeTable table(TablePath path) {
    return new LakeTable(catalog.loadTable(identifier(path)));
  }

  /** Whether there is a lake table of that name. */
  public boolean exists(TablePath path) {
    return catalog.tableExists(identifier(path));
  }

  /** The name of the lake table. */
  public static TableIdentifier identifier(TablePath path) {
    return TableIdentifier.of(Namespace.of(path.database()), path.table());
  }

  /** What the queue says of a table. */
  public JsonNode queued(TablePath path) {
    Answer answer = get("/api/v1/tiering/tables/" + path.database() + "/" + path.table());
    if (answer.status != 200) {
      throw new AssertionError("The queue answered " + answer.status + ": " + answer.body);
    }
    return answer.body;
  }

  /** The offsets up to which the coordinator records rows to be in the lake, by bucket. */
  public Map<Integer, Long> recordedOffsets(TablePath path) {
    Map<Integer, Long> offsets = new TreeMap<>();
    for (JsonNode each : queued(path).get("offsets")) {
      offsets.put(each.get("bucket").asInt(), each.get("offset").asLong());
    }
    return offsets;
  }

  /**
   * An answer of the coordinator.
   *
   * @param status HTTP status
   * @param body JSON
   */
  public record Answer(int status, JsonNode body) {}

  /** Asks the coordinator's REST API. */
  public Answer get(String path) {
    return send(HttpRequest.newBuilder().GET(), path);
  }

  /** The coordinator's metrics in Prometheus' form. */
  public String coordinatorMetrics() {
    return text(HttpRequest.newBuilder().GET(), "/actuator/prometheus").body();
  }

  /** Posts to the coordinator's REST API. */
  public Answer post(String path, String body) {
    return send(
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)),
        path);
  }

  private Answer send(HttpRequest.Builder request, String path) {
    HttpResponse<String> response = text(request, path);
    return new Answer(response.statusCode(), JSON.readTree(response.body()));
  }

  private HttpResponse<String> text(HttpRequest.Builder request, String path) {
    URI uri = URI.create(coordinatorHttp + path);
    try {
      return http.send(
          request.uri(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException("No answer from " + uri, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during " + uri, e);
    }
  }

  @Override
  public void close() {
    try {
      catalog.close();
    } catch (IOException e) {
      throw new IllegalStateException("Cannot close the catalog client", e);
    }
  }
}

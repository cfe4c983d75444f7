package io.sluice.systemtests.lake;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Statements to the SQL service over its REST API. Thread-safe. */
public final class SqlClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI uri;

  SqlClient(String url) {
    uri = URI.create(url + "/api/v1/sql");
  }

  /**
   * An answer of the service.
   *
   * @param status HTTP status
   * @param body a result, or problem details
   */
  public record Answer(int status, JsonNode body) {
    /** Returns this, or fails with the problem. */
    public Answer orFail(String sql) {
      if (status != 200) {
        throw new AssertionError(sql + "\nanswered " + status + ": " + body);
      }
      return this;
    }

    /** Rows with every value as a text, null for NULL. */
    public List<List<String>> rows() {
      List<List<String>> rows = new ArrayList<>();
      for (JsonNode row : body.get("rows")) {
        List<String> values = new ArrayList<>();
        for (JsonNode value : row) {
          values.add(value.isNull() ? null : value.asString());
        }
        rows.add(values);
      }
      return rows;
    }

    /** Names of the columns. */
    public List<String> columns() {
      List<String> names = new ArrayList<>();
      body.get("columns").forEach(column -> names.add(column.get("name").asString()));
      return names;
    }

    /** The code of a refusal. */
    public String code() {
      return body.get("code").asString();
    }

    /** The explanation of a refusal. */
    public String detail() {
      return body.get("detail").asString();
    }
  }

  /** Runs a statement that must succeed. */
  public Answer run(String sql) {
    return ask(sql).orFail(sql);
  }

  /** The only value of the only row of a query that must succeed. */
  public long number(String sql) {
    return Long.parseLong(run(sql).rows().get(0).get(0));
  }

  /** Runs a statement and returns what came of it. */
  public Answer ask(String sql) {
    String request = JSON.writeValueAsString(java.util.Map.of("sql", sql, "maxRows", 10_000));
    HttpResponse<String> response = send(request, "application/json");
    return new Answer(response.statusCode(), JSON.readTree(response.body()));
  }

  /** The rows as CSV. */
  HttpResponse<String> csv(String sql) {
    return send(JSON.writeValueAsString(java.util.Map.of("sql", sql)), "text/csv");
  }

  private HttpResponse<String> send(String body, String accept) {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header("Accept", accept)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError("The SQL service did not answer " + body, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during " + body, e);
    }
  }
}

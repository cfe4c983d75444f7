package io.sluice.lake.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lake.sql.SqlGateway;
import io.sluice.testkit.Await;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The role as it is started, without any neighbour. */
final class SqlRoleIT {
  @TempDir Path home;

  private ConfigurableApplicationContext start(String... more) throws Exception {
    Path secret = home.resolve("secret");
    Files.writeString(secret, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--sluice.lake.role=sql",
                "--server.port=0",
                "--spring.grpc.server.port=0",
                "--sluice.cluster.secret-file=" + secret,
                "--sluice.sql.coordinators=127.0.0.1:1",
                "--sluice.sql.warehouse=" + home.resolve("warehouse"),
                "--sluice.sql.work-dir=" + home.resolve("work")));
    arguments.addAll(List.of(more));
    return SpringApplication.run(LakeApplication.class, arguments.toArray(String[]::new));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void answersWithoutNeighboursAndStopsSoon() throws Exception {
    ConfigurableApplicationContext context =
        start("--sluice.sql.lake=127.0.0.1:1", "--sluice.sql.memory=64MB");
    int port = ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    String base = "http://127.0.0.1:" + port;
    HttpResponse<String> ready =
        send(HttpRequest.newBuilder(URI.create(base + "/actuator/health/readiness")));
    assertThat(ready.statusCode()).as(ready.body()).isEqualTo(200);
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(URI.create(base + "/api/v1/sql"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"sql\":\"SELECT 1 AS a, {'k': NULL} AS s\"}")));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"rows\":[[1,{\"k\":null}]]");
    HttpResponse<String> unknown =
        send(
            HttpRequest.newBuilder(URI.create(base + "/api/v1/sql"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"sql\":\"SELECT 1\",\"maxrows\":1}")));
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body()).contains("maxrows");
    HttpResponse<String> metrics =
        send(HttpRequest.newBuilder(URI.create(base + "/actuator/prometheus")));
    assertThat(metrics.body())
        .contains("sluice_sql_statements_seconds_count{kind=\"query\",outcome=\"ok\"} 1")
        .contains("sluice_sql_running 0.0");
    long start = System.nanoTime();
    context.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void aStatementEndsWhenItsClientGoesAway() throws Exception {
    try (ConfigurableApplicationContext context =
        start("--sluice.sql.lake=127.0.0.1:1", "--sluice.sql.memory=64MB")) {
      int port = ((ServletWebServerApplicationContext) context).getWebServer().getPort();
      SqlGateway gateway = context.getBean(SqlGateway.class);
      // One that stays gets its answer, whatever follows the JSON in its body.
      HttpResponse<String> answer =
          send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/sql"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(product(30_000) + "\n")));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);

      String body = product(10_000_000);
      try (Socket client = new Socket("127.0.0.1", port)) {
        client
            .getOutputStream()
            .write(
                ("POST /api/v1/sql HTTP/1.1\r\nHost: sql\r\nContent-Type: application/json\r\n"
                        + "Content-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body)
                    .getBytes(StandardCharsets.US_ASCII));
        Await.until("the statement runs", Duration.ofSeconds(20), () -> gateway.running() == 1);
      }
      Await.until("the statement ends", Duration.ofSeconds(20), () -> gateway.running() == 0);
    }
  }

  private static String product(int rows) {
    String range = "range(" + rows + ")";
    return "{\"sql\":\"SELECT sum(a.range * b.range) FROM " + range + " a, " + range + " b\"}";
  }

  @Test
  void settingsAreChecked() {
    assertThatThrownBy(() -> start("--sluice.sql.lake=127.0.0.1:1", "--sluice.sql.memory=1MB"))
        .hasStackTraceContaining("at least 32MB");
    assertThatThrownBy(() -> start("--sluice.sql.lake=nowhere"))
        .hasStackTraceContaining("must be host:port");
  }
}

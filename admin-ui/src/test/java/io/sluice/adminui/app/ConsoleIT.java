package io.sluice.adminui.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's server against services that the test plays. */
final class ConsoleIT {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static FakeService coordinator;
  private static FakeService sql;
  private static RunningConsole console;

  @BeforeAll
  static void start() throws IOException {
    coordinator = FakeService.start();
    sql = FakeService.start();
    console =
        RunningConsole.start(coordinator.address(), sql.address(), "--sluice.console.timeout=2s");
  }

  @AfterAll
  static void stop() {
    console.close();
    coordinator.close();
    sql.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/tiering?group=FAILED", "/tables/demo/flights", "/servers"})
  void everyAddressOfTheApplicationIsAnsweredWithItsPage(String address) throws Exception {
    HttpResponse<String> page = get(address);
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("<div id=\"root\">");
    assertThat(header(page, "Content-Type")).isEqualTo("text/html;charset=UTF-8");
    assertThat(header(page, "Cache-Control")).isEqualTo("no-cache");
    assertThat(send(request(address).header("If-None-Match", header(page, "ETag"))).statusCode())
        .isEqualTo(304);
  }

  @Test
  void filesOfTheBuildAreKeptForLongAndScriptsAreNotInline() throws Exception {
    String page = get("/").body();
    Matcher script = Pattern.compile("src=\"(/assets/[^\"]+\\.js)\"").matcher(page);
    assertThat(script.find()).isTrue();
    HttpResponse<String> file = get(script.group(1));
    assertThat(file.statusCode()).isEqualTo(200);
    assertThat(header(file, "Content-Type")).contains("javascript");
    assertThat(header(file, "Cache-Control")).contains("max-age=31536000").contains("immutable");
    assertThat(page).doesNotContainPattern("<script(?![^>]*src=)").doesNotContain("<style");
    assertThat(get("/favicon.svg").statusCode()).isEqualTo(200);
    assertThat(get("/assets/none.js").statusCode()).isEqualTo(404);
  }

  @Test
  void anUnknownAddressIsAPageForPeopleAndAProblemForPrograms() throws Exception {
    HttpResponse<String> page = send(request("/nothing/here").header("Accept", "text/html"));
    assertThat(page.statusCode()).isEqualTo(404);
    assertThat(page.body()).contains("<div id=\"root\">");
    HttpResponse<String> problem =
        send(request("/nothing/here").header("Accept", "application/json"));
    assertThat(problem.statusCode()).isEqualTo(404);
    assertThat(problem.body()).contains("\"code\":\"NOT_FOUND\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/favicon.svg", "/api/v1/tiering", "/api/v2", "/nothing"})
  void everyAnswerTellsTheBrowserWhatItMayDo(String address) throws Exception {
    HttpResponse<String> answer = get(address);
    assertThat(header(answer, "Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(answer, "Referrer-Policy")).isEqualTo("no-referrer");
  }

  @Test
  void readsArePassedOnWithTheirQueryAndTagButWithoutCookies() throws Exception {
    coordinator.on(
        "GET /api/v1/tables",
        exchange -> {
          exchange.getResponseHeaders().set("ETag", "\"7\"");
          if ("\"7\"".equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
            exchange.sendResponseHeaders(304, -1);
          } else {
            FakeService.send(exchange, 200, "application/json", "{\"total\":0}");
          }
        });
    HttpResponse<String> first =
        send(request("/api/v1/tables?nameContains=a%20b&limit=5").header("Cookie", "secret=1"));
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("{\"total\":0}");
    assertThat(header(first, "ETag")).isEqualTo("\"7\"");
    assertThat(coordinator.requests())
        .anySatisfy(
            request -> {
              assertThat(request.target()).isEqualTo("/api/v1/tables?nameContains=a%20b&limit=5");
              assertThat(request.headers()).doesNotContainKey("Cookie");
            });
    assertThat(send(request("/api/v1/tables").header("If-None-Match", "\"7\"")).statusCode())
        .isEqualTo(304);
  }

  @Test
  void worksThroughAnyCoordinator() throws Exception {
    try (FakeService follower = FakeService.start();
        FakeService leader = FakeService.start();
        RunningConsole both =
            RunningConsole.start(
                follower.address(),
                sql.address(),
                "--sluice.console.coordinators=" + leader.address())) {
      follower.on(
          "GET /api/v1/servers",
          exchange -> {
            exchange
                .getResponseHeaders()
                .set("Location", leader.address() + "/api/v1/servers?limit=5");
            exchange.sendResponseHeaders(307, -1);
          });
      leader.json("GET /api/v1/servers", "{\"total\":1}");
      assertThat(servers(both).body()).isEqualTo("{\"total\":1}");
      // It stays with the one that answered, and goes on with the other when that one is gone.
      follower.json("GET /api/v1/servers", "{\"total\":2}");
      assertThat(servers(both).body()).isEqualTo("{\"total\":1}");
      leader.stop();
      assertThat(servers(both).body()).isEqualTo("{\"total\":2}");
      // It goes only where it is told to by its own settings.
      follower.on(
          "GET /api/v1/servers",
          exchange -> {
            exchange.getResponseHeaders().set("Location", "http://127.0.0.1:1/api/v1/servers");
            exchange.sendResponseHeaders(307, -1);
          });
      HttpResponse<String> elsewhere = servers(both);
      assertThat(elsewhere.statusCode()).isEqualTo(503);
      assertThat(elsewhere.body()).contains("UNAVAILABLE").contains("sluice.console.coordinators");
    }
  }

  private static HttpResponse<String> servers(RunningConsole asked) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(asked.address() + "/api/v1/servers?limit=5")));
  }

  @Test
  void statementsGoToTheSqlServiceAndItsProblemsComeBackAsTheyAre() throws Exception {
    String problem =
        "{\"status\":400,\"code\":\"INVALID_SQL\",\"detail\":\"no\",\"line\":2,\"column\":9}";
    sql.on(
        "POST /api/v1/sql",
        exchange -> FakeService.send(exchange, 400, "application/problem+json", problem));
    HttpResponse<String> answer =
        send(
            request("/api/v1/sql")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"sql\":\"SELECT\"}")));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo(problem);
    assertThat(sql.requests())
        .anySatisfy(request -> assertThat(request.body()).isEqualTo("{\"sql\":\"SELECT\"}"));
  }

  @Test
  void whatIsNotPassedOnIsRefusedAndNeverReachesAService() throws Exception {
    HttpResponse<String> answer = send(request("/api/v1/tables/demo/refused").DELETE());
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.body()).contains("DELETE /api/v1/tables/demo/refused");
    assertThat(coordinator.requests())
        .noneSatisfy(request -> assertThat(request.target()).contains("refused"));
  }

  @Test
  void pagesOfOtherSitesCannotPause() throws Exception {
    String pause = "/api/v1/tiering/tables/demo/foreign/pause";
    coordinator.json("POST " + pause, "{}");
    HttpRequest.Builder foreign =
        request(pause).header("Origin", "https://evil.example").POST(BodyPublishers.noBody());
    HttpResponse<String> refused = send(foreign);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("PERMISSION_DENIED", "https://evil.example");
    assertThat(coordinator.requests())
        .noneSatisfy(request -> assertThat(request.target()).contains("foreign"));
    HttpRequest.Builder own =
        request(pause).header("Origin", console.address().toString()).POST(BodyPublishers.noBody());
    assertThat(send(own).statusCode()).isEqualTo(200);
  }

  @Test
  void aNameThatIsNotItsOwnIsRefused() throws Exception {
    URI address = console.address();
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      String request =
          "GET /api/v1/tiering HTTP/1.1\r\nHost: rebound.example:"
              + address.getPort()
              + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer)
          .startsWith("HTTP/1.1 403")
          .contains("PERMISSION_DENIED", "rebound.example", "sluice.console.hosts");
    }
  }

  @Test
  void aStatementThatNoBrowserWaitsForIsGivenUp() throws Exception {
    String statement = "{\"statement\":\"SELECT 1\"}";
    try (ServerSocket slow = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        RunningConsole alone =
            RunningConsole.start(
                coordinator.address(), URI.create("http://127.0.0.1:" + slow.getLocalPort()));
        Socket browser = new Socket("127.0.0.1", alone.address().getPort())) {
      String request =
          "POST /api/v1/sql HTTP/1.1\r\nHost: 127.0.0.1:"
              + alone.address().getPort()
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + statement.length()
              + "\r\n\r\n"
              + statement;
      browser.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      slow.setSoTimeout(10_000);
      try (Socket asked = slow.accept()) {
        InputStream in = asked.getInputStream();
        StringBuilder read = new StringBuilder();
        while (read.indexOf(statement) < 0) {
          read.append((char) in.read());
        }
        asked.setSoTimeout(1_000);
        assertThatThrownBy(in::read)
            .as("waits as long as the browser does")
            .isInstanceOf(SocketTimeoutException.class);
        browser.close();
        asked.setSoTimeout(10_000);
        assertThat(in.read()).as("the end of the connection").isEqualTo(-1);
      }
    }
  }

  @Test
  void aServiceThatIsDownIsNamedWithItsAddress() throws Exception {
    FakeService gone = FakeService.start();
    gone.close();
    try (RunningConsole alone = RunningConsole.start(gone.address(), gone.address())) {
      HttpResponse<String> answer =
          send(HttpRequest.newBuilder(alone.address().resolve("/api/v1/tiering")));
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(header(answer, "Content-Type")).startsWith("application/problem+json");
      assertThat(answer.body())
          .contains("\"code\":\"UNAVAILABLE\"", "coordinator at " + gone.address());
      HttpResponse<String> statement =
          send(
              HttpRequest.newBuilder(alone.address().resolve("/api/v1/sql"))
                  .POST(BodyPublishers.ofString("{}")));
      assertThat(statement.body()).contains("SQL service at " + gone.address());
      HttpResponse<String> readiness =
          send(HttpRequest.newBuilder(alone.address().resolve("/actuator/health/readiness")));
      assertThat(readiness.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aServiceThatNeverAnswersIsGivenUp() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    coordinator.on("GET /api/v1/silent", exchange -> await(end));
    HttpResponse<String> answer = get("/api/v1/silent");
    end.countDown();
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body()).contains("\"code\":\"TIMEOUT\"", "within 2000 ms");
  }

  @Test
  void anAnswerIsPassedOnWhileItComes() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    sql.on(
        "POST /api/v1/sql",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          write(exchange, "first,");
          await(seen);
          write(exchange, "second");
        });
    HttpResponse<InputStream> answer =
        CLIENT.send(
            request("/api/v1/sql").POST(BodyPublishers.ofString("{}")).build(),
            BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      assertThat(new String(body.readNBytes(6), StandardCharsets.UTF_8)).isEqualTo("first,");
      seen.countDown();
      assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("second");
    }
  }

  @Test
  void anAnswerThatStopsInTheMiddleDoesNotLookWhole() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    coordinator.on(
        "GET /api/v1/stalls",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          write(exchange, "a part");
          await(end);
        });
    assertThatThrownBy(() -> get("/api/v1/stalls")).isInstanceOf(IOException.class);
    end.countDown();
  }

  @Test
  void statementsThatTakeLongLeaveThreadsForThePages() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    sql.on(
        "POST /api/v1/sql",
        exchange -> {
          waiting.incrementAndGet();
          await(end);
          FakeService.send(exchange, 200, "application/json", "{}");
        });
    HttpRequest statement = request("/api/v1/sql").POST(BodyPublishers.ofString("{}")).build();
    List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      running.add(CLIENT.sendAsync(statement, BodyHandlers.ofString()));
    }
    Await.until("16 statements run", Duration.ofSeconds(20), () -> waiting.get() == 16);
    HttpResponse<String> refused = CLIENT.send(statement, BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("\"code\":\"BACKPRESSURE\"");
    assertThat(get("/").statusCode()).isEqualTo(200);
    end.countDown();
    for (CompletableFuture<HttpResponse<String>> each : running) {
      assertThat(each.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aBodyBeyondTheLimitIsRefused() throws Exception {
    HttpResponse<String> answer =
        send(request("/api/v1/sql").POST(BodyPublishers.ofByteArray(new byte[5 << 20])));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("request body");
  }

  @Test
  void metricsAndHealthAreServed() throws Exception {
    assertThat(get("/actuator/prometheus").body()).contains("jvm_memory_used_bytes");
    assertThat(get("/actuator/health/liveness").body()).contains("UP");
  }

  private static void write(HttpExchange exchange, String text) throws IOException {
    exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IOException("The test never went on");
      }
    } catch (InterruptedException stopped) {
      throw new IOException("The service was stopped", stopped);
    }
  }

  private static HttpRequest.Builder request(String address) {
    return HttpRequest.newBuilder(URI.create(console.address() + address));
  }

  private static HttpResponse<String> get(String address) throws Exception {
    return send(request(address));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }
}

package io.sluice.adminui.web;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.servicekit.ClientPresence;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes a request on to a {@link Neighbour} and its answer back, piece by piece as it comes.
 * Cookies and credentials of the browser stay here.
 */
public final class Relay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  /** How often it is looked whether the browser still waits. */
  private static final Duration PRESENCE_INTERVAL = Duration.ofMillis(250);

  private static final int PIECE_BYTES = 16 * 1024;
  private static final int REDIRECTED = 307;
  private static final int UNAVAILABLE = 503;
  private static final List<String> ASKED_WITH = List.of("Accept", "Content-Type", "If-None-Match");
  private static final List<String> ANSWERED_WITH =
      List.of(
          "Content-Type",
          "Content-Disposition",
          "ETag",
          "Cache-Control",
          "Retry-After",
          "Sluice-Truncated");

  private final HttpClient client;

  /** Place of the instance that answered last. */
  private final Map<Neighbour, Integer> lastAnswered = new ConcurrentHashMap<>();

  /** Ends answers that stop in the middle. */
  private final ScheduledThreadPoolExecutor deadlines;

  public Relay() {
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    deadlines =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "relay-deadlines");
              thread.setDaemon(true);
              return thread;
            });
    deadlines.setRemoveOnCancelPolicy(true);
  }

  /**
   * Passes on.
   *
   * @throws SluiceException when there is no answer: UNAVAILABLE, TIMEOUT, or CANCELLED when the
   *     browser went away before it came; nothing has been written then
   * @throws IOException when the answer broke off: the caller's connection must break too, or a
   *     part would look like the whole
   */
  void pass(Neighbour neighbour, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    long deadline = System.nanoTime() + neighbour.timeout().toNanos();
    HttpResponse<InputStream> answer = ask(neighbour, request, deadline);
    InputStream body = answer.body();
    Future<?> limit =
        deadlines.schedule(
            () -> close(neighbour, body), deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    try (body) {
      byte[] piece = new byte[PIECE_BYTES];
      int bytes = firstPiece(neighbour, body, piece);
      response.setStatus(answer.statusCode());
      for (String name : ANSWERED_WITH) {
        answer.headers().firstValue(name).ifPresent(value -> response.setHeader(name, value));
      }
      OutputStream out = response.getOutputStream();
      for (; bytes >= 0; bytes = nextPiece(neighbour, body, piece)) {
        out.write(piece, 0, bytes);
        if (body.available() == 0) {
          out.flush();
        }
      }
    } finally {
      limit.cancel(false);
    }
  }

  /** Read before anything is written, while a failure can still be told. */
  private static int firstPiece(Neighbour neighbour, InputStream body, byte[] piece) {
    try {
      return body.read(piece);
    } catch (IOException broken) {
      throw new SluiceException(
          ErrorCode.UNAVAILABLE,
          "The answer of the " + neighbour + " broke off: " + why(broken),
          broken);
    }
  }

  private static int nextPiece(Neighbour neighbour, InputStream body, byte[] piece)
      throws IOException {
    try {
      return body.read(piece);
    } catch (IOException broken) {
      throw new IOException(
          "The answer of the "
              + neighbour
              + " broke off, or was not complete within "
              + neighbour.timeout().toMillis()
              + " ms",
          broken);
    }
  }

  /**
   * Asks the instance that answered last; after it the one that it names as the leader, or the next
   * one when there is no connection. When there is no good answer the next request begins
   * elsewhere.
   */
  private HttpResponse<InputStream> ask(
      Neighbour neighbour, HttpServletRequest request, long deadline) throws IOException {
    byte[] body = body(request);
    BooleanSupplier gone = ClientPresence.goneFrom(request);
    int at = lastAnswered.getOrDefault(neighbour, 0);
    int instances = neighbour.addresses().size();
    for (int attempt = 1; ; attempt++) {
      boolean more = attempt <= instances;
      try {
        HttpResponse<InputStream> answer =
            send(
                neighbour,
                asked(neighbour, neighbour.addresses().get(at), request, body, deadline),
                gone);
        if (answer.statusCode() != REDIRECTED) {
          // One that knows no leader may be cut off from the others: the next request asks another.
          boolean away = answer.statusCode() == UNAVAILABLE;
          lastAnswered.put(neighbour, away ? (at + 1) % instances : at);
          return answer;
        }
        answer.body().close();
        at = leader(neighbour, answer);
        if (!more) {
          throw new SluiceException(
              ErrorCode.UNAVAILABLE, "The " + neighbour + " did not agree on who leads; try again");
        }
      } catch (HttpTimeoutException late) {
        if (!more || instances == 1 || !(late instanceof HttpConnectTimeoutException)) {
          // It may stand still, and another one lead by now.
          lastAnswered.put(neighbour, (at + 1) % instances);
          throw noAnswer(neighbour, late);
        }
        at = (at + 1) % instances;
      } catch (IOException broken) {
        if (!more || instances == 1 || !(broken instanceof ConnectException)) {
          throw new SluiceException(
              ErrorCode.UNAVAILABLE,
              "The " + neighbour + " cannot be reached: " + why(broken),
              broken);
        }
        at = (at + 1) % instances;
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new SluiceException(
            ErrorCode.UNAVAILABLE,
            "The console is stopping; the " + neighbour + " was not waited for",
            stopped);
      }
    }
  }

  /** Waits as long as the browser does: what nobody waits for need not be done either. */
  private HttpResponse<InputStream> send(
      Neighbour neighbour, HttpRequest asked, BooleanSupplier gone)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<InputStream>> answer =
        client.sendAsync(asked, BodyHandlers.ofInputStream());
    boolean answered = false;
    try {
      while (!answer.isDone()) {
        awaitSome(answer);
        if (!answer.isDone() && gone.getAsBoolean()) {
          throw new SluiceException(
              ErrorCode.CANCELLED,
              "The browser went away before the " + neighbour + " answered; it is asked no longer");
        }
      }
      HttpResponse<InputStream> head = answer.get();
      answered = true;
      return head;
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof IOException broken ? broken : new IOException(failed);
    } finally {
      if (!answered) {
        abandon(answer);
      }
    }
  }

  private static void awaitSome(CompletableFuture<?> answer)
      throws ExecutionException, InterruptedException {
    try {
      answer.get(PRESENCE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException notYet) {
      // Looked at again.
    }
  }

  /** Ends the connection, by which the neighbour finds out. */
  private static void abandon(CompletableFuture<HttpResponse<InputStream>> answer)
      throws IOException {
    if (!answer.cancel(true) && !answer.isCompletedExceptionally()) {
      answer.join().body().close();
    }
  }

  /** Which of the instances the answer sends to: the console goes nowhere else. */
  private static int leader(Neighbour neighbour, HttpResponse<InputStream> answer) {
    String location = answer.headers().firstValue("Location").orElse("");
    for (int i = 0; i < neighbour.addresses().size(); i++) {
      if (location.startsWith(neighbour.addresses().get(i) + "/")) {
        return i;
      }
    }
    throw new SluiceException(
        ErrorCode.UNAVAILABLE,
        "The "
            + neighbour
            + " sends to "
            + location
            + ", which the console does not know; add it to sluice.console.coordinators");
  }

  /** Bounded by the service kit's limit of bodies. */
  private static byte[] body(HttpServletRequest request) throws IOException {
    return request.getMethod().equals("POST")
        ? request.getInputStream().readAllBytes()
        : new byte[0];
  }

  private static SluiceException noAnswer(Neighbour neighbour, HttpTimeoutException late) {
    if (late instanceof HttpConnectTimeoutException) {
      return new SluiceException(
          ErrorCode.UNAVAILABLE,
          "The "
              + neighbour
              + " cannot be reached: no connection within "
              + CONNECT_TIMEOUT.toSeconds()
              + " s",
          late);
    }
    return new SluiceException(
        ErrorCode.TIMEOUT,
        "The " + neighbour + " did not answer within " + neighbour.timeout().toMillis() + " ms",
        late);
  }

  private static HttpRequest asked(
      Neighbour neighbour, URI address, HttpServletRequest request, byte[] body, long deadline) {
    String query = request.getQueryString();
    String target = request.getRequestURI() + (query == null ? "" : "?" + query);
    HttpRequest.Builder asked;
    try {
      asked = HttpRequest.newBuilder(URI.create(address + target));
    } catch (IllegalArgumentException invalid) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "The address " + target + " cannot be read", invalid);
    }
    long left = Math.max(deadline - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(1));
    asked.timeout(Duration.ofNanos(Math.min(left, neighbour.timeout().toNanos())));
    for (String name : ASKED_WITH) {
      String value = request.getHeader(name);
      if (value != null) {
        asked.setHeader(name, value);
      }
    }
    return request.getMethod().equals("POST")
        ? asked.POST(BodyPublishers.ofByteArray(body)).build()
        : asked.GET().build();
  }

  private static void close(Neighbour neighbour, InputStream body) {
    try {
      body.close();
    } catch (IOException failure) {
      LOG.warn("Cannot end the answer of the {}, which is over its time", neighbour, failure);
    }
  }

  private static String why(IOException failure) {
    String message = failure.getMessage();
    if (message != null) {
      return message;
    }
    return failure instanceof ConnectException ? "connection refused" : failure.toString();
  }

  @Override
  public void close() {
    deadlines.shutdownNow();
  }
}

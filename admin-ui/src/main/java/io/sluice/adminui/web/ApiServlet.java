package io.sluice.adminui.web;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code /api/**}: passes on what {@link Routes} allow and answers the rest with problem details. A
 * servlet of its own, since a failure in the middle of an answer has to reach the server, which
 * then breaks the connection; Spring's handlers would end the answer as if it were whole.
 */
public final class ApiServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final int METHOD_NOT_ALLOWED = 405;

  /**
   * Statements waited for at once, each of which has a thread of the server: half of them, so that
   * the pages work whatever the statements do.
   */
  static final int MAX_STATEMENTS = 16;

  private final transient Relay relay;
  private final transient Neighbour coordinator;
  private final transient Neighbour sql;
  private final transient Set<String> hosts;
  private final transient Semaphore statements = new Semaphore(MAX_STATEMENTS);

  /**
   * @param hosts names by which browsers may know the console
   */
  public ApiServlet(Relay relay, Neighbour coordinator, Neighbour sql, List<String> hosts) {
    this.hosts = Set.copyOf(hosts);
    this.relay = relay;
    this.coordinator = coordinator;
    this.sql = sql;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      answer(request, response);
    } catch (SluiceException failure) {
      String message = failure.getMessage();
      problem(
          response, failure.code(), failure.code().httpStatus(), message == null ? "" : message);
    } catch (ResponseStatusException refused) {
      String reason = refused.getReason();
      problem(
          response,
          ErrorCode.INVALID_ARGUMENT,
          refused.getStatusCode().value(),
          reason == null ? "" : reason);
    }
  }

  private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String method = request.getMethod();
    String path = request.getRequestURI();
    if (!CrossSite.isKnownHost(request.getHeader("Host"), hosts)) {
      throw new SluiceException(
          ErrorCode.PERMISSION_DENIED,
          "The console is not known as "
              + request.getHeader("Host")
              + "; add its name to sluice.console.hosts");
    }
    if (!method.equals("GET")
        && CrossSite.isForeign(
            request.getHeader("Sec-Fetch-Site"),
            request.getHeader("Origin"),
            request.getHeader("Host"))) {
      throw new SluiceException(
          ErrorCode.PERMISSION_DENIED,
          "A page of another site may not send requests to the console (Origin "
              + request.getHeader("Origin")
              + ")");
    }
    switch (Routes.decide(method, path)) {
      case TO_COORDINATOR -> relay.pass(coordinator, request, response);
      case TO_SQL -> statement(request, response);
      case NOT_FOUND ->
          throw new SluiceException(ErrorCode.NOT_FOUND, "There is nothing here: " + path);
      case METHOD_NOT_ALLOWED ->
          problem(
              response,
              ErrorCode.INVALID_ARGUMENT,
              METHOD_NOT_ALLOWED,
              "The console does not pass on "
                  + method
                  + " "
                  + path
                  + "; ask the service itself, or use SQL");
    }
  }

  private void statement(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!statements.tryAcquire()) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE,
          "The console waits for " + MAX_STATEMENTS + " statements already; try again later");
    }
    try {
      relay.pass(sql, request, response);
    } finally {
      statements.release();
    }
  }

  private static void problem(
      HttpServletResponse response, ErrorCode code, int status, String detail) throws IOException {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("type", "urn:sluice:error:" + code.name());
    problem.put("title", title(code));
    problem.put("status", status);
    problem.put("detail", detail);
    problem.put("code", code.name());
    problem.put("retriable", code.retriable());
    response.setStatus(status);
    response.setContentType("application/problem+json");
    response.setHeader("Cache-Control", "no-store");
    if (code.retriable()) {
      response.setHeader("Retry-After", "1");
    }
    response.getOutputStream().write(JsonMapper.shared().writeValueAsBytes(problem));
  }

  private static String title(ErrorCode code) {
    String words = code.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }
}

package io.sluice.lake.rest;

import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.lake.commit.ManagedTables;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.server.ResponseStatusException;

/** The REST catalog as a servlet, so that every error under its path has Iceberg's form. */
public final class IcebergServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(IcebergServlet.class);
  private static final int DEFECT = 500;

  private final transient IcebergRoutes routes;

  public IcebergServlet(LakeCatalog catalog, ManagedTables managed) {
    this.routes = new IcebergRoutes(catalog, managed);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    // The raw path: names may hold encoded characters that mean something decoded.
    String path =
        request
            .getRequestURI()
            .substring(request.getContextPath().length() + request.getServletPath().length());
    Object answer;
    try {
      answer = routes.answer(request, path);
    } catch (ResponseStatusException known) {
      // The limit of request bodies, met while reading one.
      send(response, known.getStatusCode().value(), error(known));
      return;
    } catch (RuntimeException failure) {
      ErrorResponse error = IcebergErrors.of(failure);
      if (error.code() >= DEFECT && error.code() != HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
        LOG.error("{} {} failed", request.getMethod(), path, failure);
      }
      send(response, error.code(), error);
      return;
    }
    if (answer == null) {
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    } else {
      send(response, HttpServletResponse.SC_OK, answer);
    }
  }

  private static ErrorResponse error(ResponseStatusException failure) {
    @Nullable String reason = failure.getReason();
    return ErrorResponse.builder()
        .responseCode(failure.getStatusCode().value())
        .withType("BadRequestException")
        .withMessage(reason == null ? "The request is refused" : reason)
        .build();
  }

  private static void send(HttpServletResponse response, int status, Object answer)
      throws IOException {
    byte[] bytes = IcebergJson.bytes(answer);
    response.setStatus(status);
    response.setContentType("application/json");
    response.setCharacterEncoding("UTF-8");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}

package io.sluice.lake.rest;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.SqlFailures;
import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.sql.SqlGateway;
import io.sluice.lake.sql.SqlRequest;
import io.sluice.lake.sql.SqlResult;
import io.sluice.servicekit.ClientPresence;
import io.sluice.servicekit.Problems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** {@code POST /api/v1/sql}: one statement, its answer as JSON or CSV. */
@RestController
@RequestMapping("/api/v1/sql")
public final class SqlController {
  /** Header of a CSV answer that has not all rows. */
  static final String TRUNCATED = "Sluice-Truncated";

  private static final Logger LOG = LoggerFactory.getLogger(SqlController.class);

  /** Not the service's own mapper, which leaves out what is null: a row keeps its NULLs. */
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final MediaType CSV = new MediaType("text", "csv", StandardCharsets.UTF_8);
  private static final long NANOS_PER_MS = 1_000_000;

  private final SqlGateway gateway;

  public SqlController(SqlGateway gateway) {
    this.gateway = gateway;
  }

  /** The body of a request. */
  record Statement(
      @NotBlank(message = "is missing") String sql,
      @Nullable String database,
      @Nullable Integer maxRows,
      @JsonAlias("allow_partial") @Nullable Boolean allowPartial) {
    SqlRequest request() {
      return new SqlRequest(sql, database, maxRows, Boolean.TRUE.equals(allowPartial));
    }
  }

  /** The answer; {@code kind} is {@code rows} or {@code done}. */
  record Answer(
      String kind,
      String message,
      List<ResultColumn> columns,
      List<List<@Nullable Object>> rows,
      int rowCount,
      boolean truncated,
      List<String> notices,
      long elapsedMs) {}

  @PostMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> json(@Valid @RequestBody Statement statement, HttpServletRequest request)
      throws IOException {
    long start = System.nanoTime();
    SqlResult result = gateway.execute(statement.request(), ClientPresence.goneFrom(request));
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .body(
            JSON.writeValueAsBytes(
                new Answer(
                    result.rows() ? "rows" : "done",
                    result.message(),
                    result.columns(),
                    result.values(),
                    result.values().size(),
                    result.truncated(),
                    result.notices(),
                    (System.nanoTime() - start) / NANOS_PER_MS)));
  }

  @PostMapping(produces = "text/csv")
  ResponseEntity<byte[]> csv(@Valid @RequestBody Statement statement, HttpServletRequest request)
      throws IOException {
    SqlResult result = gateway.execute(statement.request(), ClientPresence.goneFrom(request));
    return ResponseEntity.ok()
        .contentType(CSV)
        .header(TRUNCATED, Boolean.toString(result.truncated()))
        .body(SqlCsv.of(result).getBytes(StandardCharsets.UTF_8));
  }

  /** Problem details with the place in the statement where there is one. */
  @ExceptionHandler(SluiceException.class)
  ResponseEntity<ProblemDetail> failed(SluiceException failure) {
    if (failure.code() == ErrorCode.INTERNAL) {
      LOG.error("A statement failed by a defect", failure);
    }
    ProblemDetail problem = Problems.of(failure);
    addPlace(problem, failure, SqlFailures.LINE);
    addPlace(problem, failure, SqlFailures.COLUMN);
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(problem.getStatus()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    if (failure.code().retriable()) {
      answer.header(HttpHeaders.RETRY_AFTER, "1");
    }
    return answer.body(problem);
  }

  private static void addPlace(ProblemDetail problem, SluiceException failure, String name) {
    String value = failure.details().get(name);
    if (value != null) {
      problem.setProperty(name, Integer.valueOf(value));
    }
  }
}

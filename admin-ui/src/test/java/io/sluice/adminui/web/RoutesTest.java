package io.sluice.adminui.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.adminui.web.Routes.Decision;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is passed on, and what is not. */
final class RoutesTest {
  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/tiering, TO_COORDINATOR",
    "GET, /api/v1/tables/demo/flights, TO_COORDINATOR",
    "GET, /api/v1/tables/demo/a%20b, TO_COORDINATOR",
    "POST, /api/v1/tiering/tables/demo/flights/pause, TO_COORDINATOR",
    "POST, /api/v1/tiering/tables/demo/flights/resume, TO_COORDINATOR",
    "POST, /api/v1/sql, TO_SQL",
    "GET, /api/v1/sql, METHOD_NOT_ALLOWED",
    "GET, /api/v1/tiering/tables/demo/flights/pause, METHOD_NOT_ALLOWED",
    "POST, /api/v1/tables, METHOD_NOT_ALLOWED",
    "DELETE, /api/v1/tables/demo/flights, METHOD_NOT_ALLOWED",
    "PUT, /api/v1/sql, METHOD_NOT_ALLOWED",
    "GET, /api/v2/tables, NOT_FOUND",
    "GET, /api/, NOT_FOUND",
  })
  void passesOnReadsHoldsAndStatementsOnly(String method, String path, Decision expected) {
    assertThat(Routes.decide(method, path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/../../actuator/health",
        "/api/v1/tables/..",
        "/api/v1/./tables",
        "/api/v1/%2e%2E/actuator",
        "/api/v1/tables%2Fx",
        "/api/v1//tables",
        "/api/v1/tables;a=b",
        "/x/../api/v1/tables",
      })
  void refusesPathsThatMeanAnotherOneToTheService(String path) {
    assertThat(Routes.decide("GET", path)).isEqualTo(Decision.NOT_FOUND);
  }
}

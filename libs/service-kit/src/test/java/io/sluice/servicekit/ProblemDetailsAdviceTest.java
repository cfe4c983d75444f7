package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class ProblemDetailsAdviceTest {
  @Test
  void whatTheJsonReaderSaysNamesNoClasses() {
    assertThat(
            ProblemDetailsAdvice.withoutClasses(
                "Cannot deserialize value of type `java.lang.Integer` from String \"x\": not a"
                    + " valid `java.lang.Integer` value"))
        .isEqualTo("Cannot read a whole number from String \"x\": not a valid value");
    assertThat(
            ProblemDetailsAdvice.withoutClasses(
                "Cannot deserialize value of type `io.sluice.lake.rest.SqlController$Statement`"
                    + " from Array value (token `JsonToken.START_ARRAY`)"))
        .isEqualTo("Cannot read an object from Array value");
    assertThat(
            ProblemDetailsAdvice.withoutClasses(
                "Cannot deserialize value of type `java.util.ArrayList<java.lang.String>` from"
                    + " Object value (token `JsonToken.START_OBJECT`)"))
        .isEqualTo("Cannot read an array from Object value");
  }

  @Test
  void whatAParameterMustBeIsNoClassEither() {
    assertThat(ProblemDetailsAdvice.kind(int.class)).isEqualTo("a whole number");
    assertThat(ProblemDetailsAdvice.kind(Long.class)).isEqualTo("a whole number");
    assertThat(ProblemDetailsAdvice.kind(Boolean.class)).isEqualTo("true or false");
    assertThat(ProblemDetailsAdvice.kind(null)).isEqualTo("of another form");
  }

  /** A column of a body. */
  record Column(String name, String type, int length) {}

  /** A body. */
  record Body(String table, List<Column> columns) {}

  @Test
  void aFieldThatIsNotKnownIsNamedWithItsPlaceAndThoseThatMayStandThere() {
    assertThat(unreadable("{\"tabel\":1}"))
        .isEqualTo(
            "Cannot read the request body: unknown field 'tabel'; there may be columns, table");
    assertThat(unreadable("{\"columns\":[{\"length\":1},{\"length\":1,\"kind\":2}]}"))
        .isEqualTo(
            "Cannot read the request body: unknown field 'kind' in columns[1]; there may be length,"
                + " name, type");
  }

  @Test
  void aNumberThatIsLeftOutIsNamed() {
    assertThat(unreadable("{\"columns\":[{\"length\":1},{\"name\":\"a\"}]}"))
        .isEqualTo(
            "Cannot read the request body: columns[1].length is missing; it must be a whole number");
  }

  /** A request whose body was read already. */
  private static final class Empty implements HttpInputMessage {
    @Override
    public InputStream getBody() {
      return InputStream.nullInputStream();
    }

    @Override
    public HttpHeaders getHeaders() {
      return HttpHeaders.EMPTY;
    }
  }

  private static String unreadable(String json) {
    JsonMapper strict =
        JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    try {
      strict.readValue(json, Body.class);
    } catch (JacksonException failure) {
      ProblemDetail problem =
          new ProblemDetailsAdvice()
              .unreadableBody(
                  new HttpMessageNotReadableException("JSON parse error", failure, new Empty()))
              .getBody();
      return problem.getDetail();
    }
    throw new AssertionError(json + " was read");
  }
}

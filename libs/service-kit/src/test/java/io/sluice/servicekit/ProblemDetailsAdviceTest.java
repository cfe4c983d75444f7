package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}

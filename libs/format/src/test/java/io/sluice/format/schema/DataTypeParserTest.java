package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataTypeParserTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "CHAR(7)",
        "STRING",
        "DECIMAL(38,10)",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(9)",
        "TIMESTAMP_LTZ(0)",
        "BINARY(16)",
        "BYTES",
        "ARRAY<FLOAT>",
        "ARRAY<INT NOT NULL>",
        "MAP<STRING,BIGINT>",
        "MAP<INT,ARRAY<DECIMAL(4,2)> NOT NULL>",
        "ROW<`a` INT>",
        "ROW<`a` INT NOT NULL, `b``c d` MAP<STRING,ROW<`x` BYTES>>>"
      })
  void readsWhatToStringWrites(String text) {
    assertThat(DataTypeParser.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "integer; INT",
        "  bigint ; BIGINT",
        "bool; BOOLEAN",
        "double precision; DOUBLE",
        "Decimal; DECIMAL(10,0)",
        "decimal ( 12 ); DECIMAL(12,0)",
        "numeric(12, 3); DECIMAL(12,3)",
        "time; TIME(0)",
        "timestamp; TIMESTAMP(6)",
        "timestamp(3) without time zone; TIMESTAMP(3)",
        "timestamp(3) with local time zone; TIMESTAMP_LTZ(3)",
        "timestamp_ltz; TIMESTAMP_LTZ(6)",
        "char; CHAR(1)",
        "varchar(2147483647); STRING",
        "varbinary(2147483647); BYTES",
        "array< array<int null> not null >; ARRAY<ARRAY<INT> NOT NULL>",
        "map<string not null, int>; MAP<STRING,INT>",
        "row(a int, b string not null); ROW<`a` INT, `b` STRING NOT NULL>"
      })
  void readsOtherSpellings(String text, String canonical) {
    assertThat(DataTypeParser.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "VARCHAR(20); use STRING",
        "VARCHAR; use STRING",
        "VARBINARY(20); use BYTES",
        "TEXT; position 1: 'TEXT' is no type; known types are BOOLEAN, TINYINT",
        "ARRAY<TEXT>; position 7: 'TEXT' is no type",
        "ARRAY<INT; at the end: '>' is expected",
        "INT NOT NULL; position 5: nullability belongs to the column",
        "INT INT; position 5: nothing may follow",
        "DECIMAL(39,2); between 1 and 38",
        "DECIMAL(4,5); between 0 and the precision 4",
        "DECIMAL(x); position 9: a number is expected",
        "TIMESTAMP(10); between 0 and 9",
        "CHAR(0); at least 1",
        "CHAR(99999999999); larger than 2147483647",
        "TIMESTAMP WITH TIME ZONE; use TIMESTAMP_LTZ",
        "ROW<>; position 5: a field name is expected",
        "ROW<a INT, a INT>; 'a' is defined twice",
        "ROW<`a INT>; closing back quote",
        "MAP<INT>; position 8: ',' is expected",
        "\"\"; a type is expected here",
        "(; position 1: a type is expected here"
      })
  void refusesNamingTextPositionAndWayOut(String text, String message) {
    assertThatThrownBy(() -> DataTypeParser.parse(text))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA))
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining(message);
  }

  @Test
  void boundsLengthAndDepth() {
    String deep = "ARRAY<".repeat(40) + "INT" + ">".repeat(40);
    assertThatThrownBy(() -> DataTypeParser.parse(deep)).hasMessageContaining("32 deep");
    assertThatThrownBy(() -> DataTypeParser.parse(" ".repeat(200_000)))
        .hasMessageContaining("200000 characters");
  }
}

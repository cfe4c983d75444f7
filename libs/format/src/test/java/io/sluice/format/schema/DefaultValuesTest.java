package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.RowObjects;
import io.sluice.format.row.TestValues;
import io.sluice.testkit.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultValuesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BOOLEAN|TRUE|true",
        "INT|-007|-7",
        "BIGINT|9223372036854775807|9223372036854775807",
        "FLOAT|1e3|1000.0",
        "DOUBLE|NaN|NaN",
        "DOUBLE|-Infinity|-Infinity",
        "DECIMAL(6,2)|1.5|1.50",
        "DECIMAL(6,2)|0E9|0.00",
        "DECIMAL(6,2)|0.0000|0.00",
        "DECIMAL(6,2)|1.500000|1.50",
        "DECIMAL(4,2)|10000E-3|10.00",
        "CHAR(3)|a b|a b",
        "DATE|2024-02-29|2024-02-29",
        "TIME(3)|12:00|12:00:00",
        "TIME(9)|12:00:00.120000000|12:00:00.12",
        "TIMESTAMP(3)|2024-01-31T12:00:00.100|2024-01-31 12:00:00.1",
        "TIMESTAMP_LTZ(6)|2024-01-31 12:00:00.000001Z|2024-01-31 12:00:00.000001Z",
        "BINARY(2)|00FF|00ff",
        "BYTES|0a|0a"
      })
  void oneValueHasOneText(String type, String text, String canonical) {
    assertThat(DefaultValues.canonical(DataTypeParser.parse(type), text)).isEqualTo(canonical);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BOOLEAN|yes",
        "TINYINT|128",
        "INT|1.0",
        "INT| 1x",
        "FLOAT|1f",
        "FLOAT|1e39",
        "DOUBLE|0x1p3",
        "DECIMAL(4,2)|100",
        "DECIMAL(4,2)|0.001",
        "DECIMAL(4,2)|1E999999999",
        "DECIMAL(4,2)|1E-600000000",
        "DECIMAL(4,2)|1E-2147483647",
        "CHAR(2)|abc",
        "DATE|2023-02-29",
        "TIME(0)|12:00:00.1",
        "TIMESTAMP(3)|2024-01-31",
        "TIMESTAMP(3)|2024-01-31 12:00:00.0001",
        "TIMESTAMP(9)|2300-01-01 00:00:00",
        "TIMESTAMP(6)|+300000-01-01 00:00:00",
        "TIMESTAMP_LTZ(3)|+999999999-01-01 00:00:00Z",
        "TIMESTAMP_LTZ(3)|2024-01-31 12:00:00",
        "BINARY(2)|00",
        "BYTES|0",
        "BYTES|zz",
        "ARRAY<INT>|1"
      })
  void otherTextsAreRefusedNamingTypeAndText(String type, String text) {
    DataType parsed = DataTypeParser.parse(type);
    assertThatThrownBy(() -> DefaultValues.parse(parsed, text))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining(parsed.toString())
        .hasMessageContaining(text.trim());
  }

  @Test
  void everyValueHasATextThatGivesItBack() {
    Seeds.run(
        40,
        (seed, random) -> {
          for (String each : TestValues.SCALARS) {
            DataType type = DataTypeParser.parse(each);
            Object value = TestValues.random(type, random);
            String text = DefaultValues.text(type, value);
            assertThat(RowObjects.same(DefaultValues.parse(type, text), value))
                .as("%s %s", type, text)
                .isTrue();
            assertThat(DefaultValues.canonical(type, text)).isEqualTo(text);
          }
        });
  }

  @Test
  void longTextsAndHalvesOfPairsAreRefused() {
    Column column = new Column(1, "c", new DataType.StringType(), true, "", null, "x".repeat(256));
    assertThatThrownBy(() -> DefaultValues.check(column))
        .hasMessageContaining("'c'")
        .hasMessageContaining("255");
    assertThatThrownBy(() -> DefaultValues.parse(new DataType.StringType(), "a\ud800"))
        .hasMessageContaining("surrogate");
  }
}

package io.sluice.format.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.AutoPartitionOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PartitionKeysTest {
  private static TableSchema schema(String... types) {
    List<Column> columns = new ArrayList<>();
    for (String type : types) {
      int id = columns.size() + 1;
      columns.add(Column.of(id, "c" + id, DataTypeParser.parse(type), true));
    }
    return new TableSchema(1, columns, List.of());
  }

  private static PartitionKeys keys(String type) {
    return PartitionKeys.of(schema(type), List.of("c1"));
  }

  private static void refused(ErrorCode code, ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .message()
        .contains(parts);
  }

  /** The row's text is the canonical one, and stands for the same value. */
  private static void text(String type, Object value, String text) {
    PartitionKeys keys = keys(type);
    assertThat(keys.values(Row.of(value))).containsExactly(text);
    assertThat(keys.check(List.of(text))).containsExactly(text);
    assertThat(keys.values(keys.row(List.of(text)))).containsExactly(text);
  }

  @Test
  void refusalsNameTheFormatOfAutomaticPartitioning() {
    PartitionKeys days =
        PartitionKeys.of(
            schema("STRING", "STRING"),
            List.of("c2", "c1"),
            Map.of(AutoPartitionOptions.ENABLED, "true", AutoPartitionOptions.KEY, "c1"));
    refused(ErrorCode.INVALID_PARTITION, () -> days.check(List.of("x", "")), "c1", "yyyyMMdd");
    refused(ErrorCode.INVALID_PARTITION, () -> days.values(Row.of("", "x")), "c1", "yyyyMMdd");
    refused(
        ErrorCode.INVALID_PARTITION,
        () -> days.check(List.of("x", "2".repeat(201))),
        "c1",
        "yyyyMMdd");
    refused(ErrorCode.INVALID_PARTITION, () -> days.check(List.of("", "20240325")), "c2", "1 to");
    assertThat(days.check(List.of("x", "20240325"))).containsExactly("x", "20240325");
  }

  @Test
  void everyTypeHasOneTextForAValue() {
    text("STRING", "Grüße/=% 世界", "Grüße/=% 世界");
    text("CHAR(3)", "abc", "abc");
    text("BOOLEAN", true, "true");
    text("TINYINT", -128, "-128");
    text("SMALLINT", 32767, "32767");
    text("INT", 0, "0");
    text("BIGINT", Long.MIN_VALUE, "-9223372036854775808");
    text("FLOAT", 1.5f, "1.5");
    text("FLOAT", -0.0f, "0.0");
    text("DOUBLE", 1e300, "1.0E300");
    text("DOUBLE", Double.NaN, "NaN");
    text("DATE", LocalDate.of(2024, 2, 29), "2024-02-29");
    text("TIME(0)", LocalTime.of(7, 5), "07:05:00");
    text("TIME(3)", LocalTime.of(7, 5, 0, 120_000_000), "07:05:00.12");
    text(
        "TIMESTAMP(9)",
        LocalDateTime.of(2024, 1, 31, 12, 0, 0, 1),
        "2024-01-31 12:00:00.000000001");
    text("TIMESTAMP(0)", LocalDateTime.of(1969, 12, 31, 23, 59, 59), "1969-12-31 23:59:59");
    text("TIMESTAMP_LTZ(6)", Instant.parse("2024-01-31T12:00:00.5Z"), "2024-01-31 12:00:00.5Z");
    text("BINARY(2)", new byte[] {0, (byte) 0xAB}, "00ab");
    text("BYTES", new byte[] {(byte) 255}, "ff");
  }

  @Test
  void textsThatPeopleTypeBecomeCanonical() {
    assertThat(keys("INT").check(List.of("007"))).containsExactly("7");
    assertThat(keys("BOOLEAN").check(List.of("TRUE"))).containsExactly("true");
    assertThat(keys("BYTES").check(List.of("FF"))).containsExactly("ff");
    assertThat(keys("DOUBLE").check(List.of("-0"))).containsExactly("0.0");
    assertThat(keys("TIME(3)").check(List.of("07:05:00.100"))).containsExactly("07:05:00.1");
  }

  @Test
  void textsThatAreNoValueAreRefusedWithWhatIsExpected() {
    refused(ErrorCode.INVALID_PARTITION, () -> keys("INT").check(List.of("x")), "'x'", "c1", "INT");
    refused(
        ErrorCode.INVALID_PARTITION, () -> keys("TINYINT").check(List.of("128")), "-128 to 127");
    refused(
        ErrorCode.INVALID_PARTITION, () -> keys("BOOLEAN").check(List.of("1")), "true or false");
    refused(
        ErrorCode.INVALID_PARTITION, () -> keys("DATE").check(List.of("2024-02-30")), "yyyy-MM-dd");
    refused(
        ErrorCode.INVALID_PARTITION, () -> keys("DATE").check(List.of("20240229")), "yyyy-MM-dd");
    refused(
        ErrorCode.INVALID_PARTITION,
        () -> keys("TIME(0)").check(List.of("07:05:00.1")),
        "HH:mm:ss");
    refused(
        ErrorCode.INVALID_PARTITION,
        () -> keys("TIMESTAMP_LTZ(3)").check(List.of("2024-01-31 12:00:00")),
        "followed by Z");
    refused(ErrorCode.INVALID_PARTITION, () -> keys("BINARY(2)").check(List.of("ab")), "2 bytes");
    refused(ErrorCode.INVALID_PARTITION, () -> keys("BYTES").check(List.of("abc")), "hexadecimal");
    refused(
        ErrorCode.INVALID_PARTITION, () -> keys("CHAR(2)").check(List.of("abc")), "2 characters");
    refused(ErrorCode.INVALID_PARTITION, () -> keys("STRING").check(List.of("\uD800")), "c1");
    refused(ErrorCode.INVALID_PARTITION, () -> keys("STRING").check(List.of("")), "empty");
    refused(
        ErrorCode.INVALID_PARTITION,
        () -> keys("STRING").check(List.of("x".repeat(201))),
        "201",
        "200");
    refused(ErrorCode.INVALID_PARTITION, () -> keys("INT").check(List.of("1", "2")), "1 values");
  }

  @Test
  void halfASurrogatePairIsNoPartition() {
    refused(ErrorCode.INVALID_VALUE, () -> keys("STRING").values(Row.of("a\ud83d")), "c1", "half");
    refused(ErrorCode.INVALID_VALUE, () -> keys("CHAR(2)").values(Row.of("\ude00")), "c1", "half");
    assertThat(keys("STRING").values(Row.of("\ud83d\ude00"))).containsExactly("\ud83d\ude00");
  }

  @Test
  void aRowWithoutAValueHasNoPartition() {
    PartitionKeys keys = keys("STRING");
    Object none = null;
    refused(ErrorCode.INVALID_VALUE, () -> keys.values(Row.of(none)), "'c1'", "NULL");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.values(Row.of("")), "'c1'", "empty");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.values(Row.of("x".repeat(300))), "300");
  }

  @Test
  void namesEscapeWhatWouldBreakThem() {
    PartitionKeys keys = PartitionKeys.of(schema("STRING", "INT"), List.of("c1", "c2"));
    List<String> values = List.of("a/b=c%d\ne\u0085", "7");
    String name = keys.name(values);
    assertThat(name).isEqualTo("c1=a%2Fb%3Dc%25d%0Ae%C2%85/c2=7");
    assertThat(keys.parse(name)).isEqualTo(values);
    assertThat(keys.name(List.of("2024-01-01", "1"))).isEqualTo("c1=2024-01-01/c2=1");
    assertThat(keys.parse("c2=007/c1=x")).containsExactly("x", "7");
    assertThat(keys.parse("c1=%e4%b8%96/c2=1")).containsExactly("世", "1");
  }

  @Test
  void aWrongNameSaysWhatIsExpected() {
    PartitionKeys keys = PartitionKeys.of(schema("STRING", "INT"), List.of("c1", "c2"));
    for (String name :
        List.of("", "x", "c1=a", "c1=a/c2=1/c3=2", "c1=a/c1=b", "c1=a/c2=1/", "c1=a=b/c2=1")) {
      refused(ErrorCode.INVALID_PARTITION, () -> keys.parse(name), "c1=<value>/c2=<value>");
    }
    refused(ErrorCode.INVALID_PARTITION, () -> keys.parse("c1=%4/c2=1"), "hexadecimal");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.parse("c1=%zz/c2=1"), "hexadecimal");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.parse("c1=%FF/c2=1"), "UTF-8");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.parse("c1=/c2=1"), "empty");
    refused(ErrorCode.INVALID_PARTITION, () -> keys.parse("c1=a/c2=b"), "'b'", "INT");
  }

  @Test
  void columnsThatCannotPartitionAreRefused() {
    TableSchema schema = schema("DECIMAL(10,2)", "ARRAY<INT>", "STRING");
    refused(
        ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(schema, List.of("c1")), "DECIMAL(10,2)");
    refused(ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(schema, List.of("c2")), "ARRAY");
    refused(ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(schema, List.of("c3", "c3")), "twice");
    refused(ErrorCode.COLUMN_NOT_FOUND, () -> PartitionKeys.of(schema, List.of("c9")), "'c9'");
    refused(ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(schema, List.of()), "partition");
  }

  @Test
  void aPrimaryKeyHoldsThePartitionColumnsAndMore() {
    List<Column> columns =
        List.of(
            Column.of(1, "dt", DataTypeParser.parse("STRING"), false),
            Column.of(2, "id", DataTypeParser.parse("INT"), false),
            Column.of(3, "v", DataTypeParser.parse("INT"), true));
    TableSchema keyed = new TableSchema(1, columns, List.of("dt", "id"));
    assertThat(PartitionKeys.of(keyed, List.of("dt")).names()).containsExactly("dt");
    refused(ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(keyed, List.of("v")), "'v'");
    refused(ErrorCode.INVALID_SCHEMA, () -> PartitionKeys.of(keyed, List.of("id", "dt")), "whole");
  }
}

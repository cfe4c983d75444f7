package io.sluice.systemtests.lake;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A table of every scalar type that the lake can hold, with extremes and NULLs. */
final class ScalarRows {
  private static final List<List<String>> COLUMNS =
      List.of(
          List.of("bool", "BOOLEAN", "boolean"),
          List.of("tiny", "TINYINT", "int"),
          List.of("small", "SMALLINT", "int"),
          List.of("big", "BIGINT", "long"),
          List.of("f", "FLOAT", "float"),
          List.of("d", "DOUBLE", "double"),
          List.of("c", "CHAR(3)", "string"),
          List.of("s", "STRING", "string"),
          List.of("dec9", "DECIMAL(9,2)", "decimal(9, 2)"),
          List.of("dec18", "DECIMAL(18,9)", "decimal(18, 9)"),
          List.of("dec38", "DECIMAL(38,10)", "decimal(38, 10)"),
          List.of("day", "DATE", "date"),
          List.of("t0", "TIME(0)", "time"),
          List.of("t3", "TIME(3)", "time"),
          List.of("t6", "TIME(6)", "time"),
          List.of("ts0", "TIMESTAMP(0)", "timestamp"),
          List.of("ts3", "TIMESTAMP(3)", "timestamp"),
          List.of("ts6", "TIMESTAMP(6)", "timestamp"),
          List.of("ltz0", "TIMESTAMP_LTZ(0)", "timestamptz"),
          List.of("ltz3", "TIMESTAMP_LTZ(3)", "timestamptz"),
          List.of("ltz6", "TIMESTAMP_LTZ(6)", "timestamptz"),
          List.of("bin", "BINARY(4)", "fixed[4]"),
          List.of("bytes", "BYTES", "binary"));

  /** The types that the columns must have in the lake. */
  static final Map<String, String> ICEBERG_TYPES = icebergTypes();

  private ScalarRows() {}

  /** Completes and creates the table. */
  static void create(TableSpec.Builder spec, Connection connection) {
    spec.requiredColumn("id", "INT");
    COLUMNS.forEach(column -> spec.column(column.get(0), column.get(1)));
    connection.admin().createTable(spec.buckets(1).build());
  }

  private static Map<String, String> icebergTypes() {
    Map<String, String> types = new TreeMap<>();
    COLUMNS.forEach(column -> types.put(column.get(0), column.get(2)));
    types.put("id", "int required");
    return types;
  }

  /** Extremes of one side, of the other, middle values, NULLs. */
  static List<Row> rows() {
    Object[] nulls = new Object[COLUMNS.size() + 1];
    Arrays.fill(nulls, null);
    nulls[0] = 4;
    return List.of(lowest(), highest(), odd(), Row.of(nulls));
  }

  private static Row lowest() {
    return Row.of(
        1,
        true,
        Byte.MIN_VALUE,
        Short.MIN_VALUE,
        Long.MIN_VALUE,
        Float.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        "äöü",
        "",
        new BigDecimal("-9999999.99"),
        new BigDecimal("-999999999.999999999"),
        new BigDecimal("-9999999999999999999999999999.9999999999"),
        LocalDate.of(1, 1, 1),
        LocalTime.MIDNIGHT,
        LocalTime.MIDNIGHT,
        LocalTime.of(0, 0, 0, 1_000),
        LocalDateTime.of(1, 1, 1, 0, 0),
        LocalDateTime.of(1, 1, 1, 0, 0, 0, 1_000_000),
        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000),
        Instant.parse("0001-01-01T00:00:00Z"),
        Instant.parse("1969-12-31T23:59:59.999Z"),
        Instant.parse("1969-12-31T23:59:59.999999Z"),
        new byte[] {0, 1, -1, 127},
        new byte[0]);
  }

  private static Row highest() {
    return Row.of(
        2,
        false,
        Byte.MAX_VALUE,
        Short.MAX_VALUE,
        Long.MAX_VALUE,
        Float.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        "a",
        "x".repeat(100_000),
        new BigDecimal("9999999.99"),
        new BigDecimal("999999999.999999999"),
        new BigDecimal("9999999999999999999999999999.9999999999"),
        LocalDate.of(9999, 12, 31),
        LocalTime.of(23, 59, 59),
        LocalTime.of(23, 59, 59, 999_000_000),
        LocalTime.of(23, 59, 59, 999_999_000),
        LocalDateTime.of(9999, 12, 31, 23, 59, 59),
        LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_000_000),
        LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000),
        Instant.parse("9999-12-31T23:59:59Z"),
        Instant.parse("9999-12-31T23:59:59.999Z"),
        Instant.parse("9999-12-31T23:59:59.999999Z"),
        new byte[] {-128, 9, 9, 9},
        "bytes of any length".getBytes(StandardCharsets.UTF_8));
  }

  private static Row odd() {
    return Row.of(
        3,
        true,
        (byte) 0,
        (short) -1,
        0L,
        Float.NaN,
        -0.0,
        "日本語",
        "tab\tzero\0quote'\"",
        new BigDecimal("0.01"),
        new BigDecimal("0.000000001"),
        new BigDecimal("0.0000000001"),
        LocalDate.of(2000, 2, 29),
        LocalTime.NOON,
        LocalTime.of(0, 0, 0, 1_000_000),
        LocalTime.of(12, 34, 56, 789_012_000),
        LocalDateTime.of(1970, 1, 1, 0, 0),
        LocalDateTime.of(2021, 3, 14, 2, 30),
        LocalDateTime.of(2038, 1, 19, 3, 14, 8, 1_000),
        Instant.EPOCH,
        Instant.parse("2021-11-07T09:30:00Z"),
        Instant.parse("2021-03-28T00:15:00.000001Z"),
        new byte[] {1, 2, 3, 4},
        new byte[] {0});
  }
}

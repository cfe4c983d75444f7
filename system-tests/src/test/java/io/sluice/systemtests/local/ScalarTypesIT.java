package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every scalar type goes through the Java client and the servers unchanged, with every codec. */
final class ScalarTypesIT {
  private static final List<List<Object>> ROWS = rows();

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void everyTypeComesBackAsWritten(BatchCodec codec) {
    try (Connection connection = LocalCluster.shared().connect()) {
      connection.admin().createDatabase("types", true);
      String path = "types.scalars_" + codec.name().toLowerCase(java.util.Locale.ROOT);
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .requiredColumn("id", "INT")
                  .column("bool", "BOOLEAN")
                  .column("tiny", "TINYINT")
                  .column("small", "SMALLINT")
                  .column("big", "BIGINT")
                  .column("f", "FLOAT")
                  .column("d", "DOUBLE")
                  .column("c", "CHAR(3)")
                  .column("s", "STRING")
                  .column("dec", "DECIMAL(38,10)")
                  .column("date", "DATE")
                  .column("t0", "TIME(0)")
                  .column("t3", "TIME(3)")
                  .column("t6", "TIME(6)")
                  .column("t9", "TIME(9)")
                  .column("ts0", "TIMESTAMP(0)")
                  .column("ts3", "TIMESTAMP(3)")
                  .column("ts6", "TIMESTAMP(6)")
                  .column("ts9", "TIMESTAMP(9)")
                  .column("ltz3", "TIMESTAMP_LTZ(3)")
                  .column("ltz9", "TIMESTAMP_LTZ(9)")
                  .column("bin", "BINARY(4)")
                  .column("bytes", "BYTES")
                  .buckets(1)
                  .build());
      WriterOptions options = WriterOptions.defaults().codec(codec);
      try (AppendWriter writer = connection.table(path).appendWriter(options)) {
        for (List<Object> row : ROWS) {
          writer.append(Row.of(row.toArray()));
        }
        writer.flush();
      }
      assertThat(plain(read(connection, path))).isEqualTo(plain(ROWS));
    }
  }

  private static List<List<Object>> read(Connection connection, String path) {
    List<List<Object>> found = new ArrayList<>();
    try (LogScanner scanner = connection.table(path).scan().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(Duration.ofSeconds(5))) {
          try (batch) {
            batch.rows().forEach(row -> found.add(values(row)));
          }
        }
      }
    }
    return found;
  }

  /** Byte arrays as texts, so that lists compare by content. */
  private static List<List<Object>> plain(List<List<Object>> rows) {
    return rows.stream()
        .map(
            row ->
                row.stream()
                    .map(v -> v instanceof byte[] bytes ? (Object) Arrays.toString(bytes) : v)
                    .toList())
        .toList();
  }

  private static List<Object> values(Row row) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < 23; i++) {
      values.add(row.isNull(i) ? null : value(row, i));
    }
    return values;
  }

  private static Object value(Row row, int i) {
    return switch (i) {
      case 0 -> row.getInt(i);
      case 1 -> row.getBoolean(i);
      case 2 -> row.getByte(i);
      case 3 -> row.getShort(i);
      case 4 -> row.getLong(i);
      case 5 -> row.getFloat(i);
      case 6 -> row.getDouble(i);
      case 7, 8 -> row.getString(i);
      case 9 -> row.getDecimal(i);
      case 10 -> row.getDate(i);
      case 11, 12, 13, 14 -> row.getTime(i);
      case 15, 16, 17, 18 -> row.getTimestamp(i);
      case 19, 20 -> row.getInstant(i);
      default -> row.getBytes(i);
    };
  }

  private static List<List<Object>> rows() {
    List<Object> nulls = new ArrayList<>();
    nulls.add(3);
    for (int i = 1; i < 23; i++) {
      nulls.add(null);
    }
    List<List<Object>> rows = new ArrayList<>();
    rows.add(
        List.of(
            1,
            true,
            Byte.MIN_VALUE,
            Short.MAX_VALUE,
            Long.MIN_VALUE,
            Float.NaN,
            -0.0,
            "äöü",
            "",
            new BigDecimal("-9999999999999999999999999999.9999999999"),
            LocalDate.of(1, 1, 1),
            LocalTime.of(23, 59, 59),
            LocalTime.of(0, 0, 0, 1_000_000),
            LocalTime.of(12, 0, 0, 1_000),
            LocalTime.of(12, 0, 0, 1),
            LocalDateTime.of(9999, 12, 31, 23, 59, 59),
            LocalDateTime.of(1, 1, 1, 0, 0, 0, 1_000_000),
            LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000),
            LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_807),
            Instant.parse("1969-12-31T23:59:59.999Z"),
            Instant.parse("1677-09-21T00:12:43.145224193Z"),
            new byte[] {0, 1, -1, 127},
            new byte[0]));
    rows.add(
        List.of(
            2,
            false,
            Byte.MAX_VALUE,
            Short.MIN_VALUE,
            Long.MAX_VALUE,
            Float.MIN_VALUE,
            Double.NEGATIVE_INFINITY,
            "a",
            "x".repeat(100_000),
            new BigDecimal("0.0000000001"),
            LocalDate.of(9999, 12, 31),
            LocalTime.MIDNIGHT,
            LocalTime.MIDNIGHT,
            LocalTime.MIDNIGHT,
            LocalTime.MAX,
            LocalDateTime.of(1970, 1, 1, 0, 0),
            LocalDateTime.of(1970, 1, 1, 0, 0),
            LocalDateTime.of(1970, 1, 1, 0, 0),
            LocalDateTime.of(1970, 1, 1, 0, 0),
            Instant.EPOCH,
            Instant.EPOCH,
            new byte[] {9, 9, 9, 9},
            "bytes of any length".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    rows.add(nulls);
    return rows;
  }
}

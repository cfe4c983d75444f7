package io.sluice.tiering.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random tables, rows, batches and limits: what Iceberg reads is what was written, in order. */
final class RoundFilesRandomTest {
  private static final String[] TYPES = {
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "STRING",
    "CHAR(4)",
    "DATE",
    "TIME(0)",
    "TIME(6)",
    "TIMESTAMP(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP_LTZ(3)",
    "TIMESTAMP_LTZ(6)",
    "DECIMAL(9,2)",
    "DECIMAL(18,0)",
    "DECIMAL(19,19)",
    "DECIMAL(38,10)",
    "BINARY(5)",
    "BYTES"
  };

  @TempDir private Path directory;

  @Test
  void icebergReadsWhatWasWritten() {
    Seeds.run(20, this::run);
  }

  private void run(long seed, SplittableRandom random) {
    String[] types = new String[1 + random.nextInt(8)];
    for (int i = 0; i < types.length; i++) {
      types[i] = TYPES[random.nextInt(TYPES.length)] + (random.nextInt(4) == 0 ? " NOT NULL" : "");
    }
    TableSchema schema = LakeTables.schema(types);
    WriteSettings settings =
        new WriteSettings(
            1 + random.nextInt(50_000), 1 + random.nextInt(20_000), 1 + random.nextInt(20_000));
    Path round = directory.resolve("seed-" + seed);
    int buckets = 1 + random.nextInt(3);
    TreeMap<Integer, List<List<Object>>> expected = new TreeMap<>();
    List<WrittenFile> written;
    try (BufferAllocator allocator = new RootAllocator();
        RoundFiles files = new RoundFiles(LakeTables.target(schema), settings, "file://" + round)) {
      for (int batches = random.nextInt(1, 20); batches > 0; batches--) {
        int bucket = random.nextInt(buckets);
        List<List<Object>> rows = expected.computeIfAbsent(bucket, each -> new ArrayList<>());
        List<Row> batch = rows(random, types, rows);
        long offset = 1_000L * bucket + rows.size() - batch.size();
        try (VectorSchemaRoot root = LakeTables.batch(allocator, schema, offset, batch)) {
          files.write(bucket, offset, root);
        }
      }
      written = files.finish();
    }
    TreeMap<Integer, List<List<Object>>> found = new TreeMap<>();
    written.stream()
        .sorted((a, b) -> Long.compare(a.startOffset(), b.startOffset()))
        .forEach(file -> read(round, file, schema, found));
    assertThat(found).isEqualTo(expected);
  }

  /** A random batch, whose rows are added to {@code all} as Iceberg gives them. */
  private static List<Row> rows(SplittableRandom random, String[] types, List<List<Object>> all) {
    int nullPercent = random.nextInt(3) * 40;
    List<Row> batch = new ArrayList<>();
    for (int count = random.nextInt(1, 600); count > 0; count--) {
      Object[] values = new Object[types.length];
      List<Object> lake = new ArrayList<>();
      for (int i = 0; i < types.length; i++) {
        boolean required = types[i].endsWith(" NOT NULL");
        if (required || random.nextInt(100) >= nullPercent) {
          values[i] = value(random, types[i].replace(" NOT NULL", ""));
        }
        lake.add(lakeValue(values[i]));
      }
      batch.add(GenericRow.of(values));
      all.add(lake);
    }
    return batch;
  }

  private static Object value(SplittableRandom random, String type) {
    long any = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(100) - 50L;
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            random.nextLong(-60_000_000_000L, 60_000_000_000L), 0, ZoneOffset.UTC);
    return switch (type) {
      case "BOOLEAN" -> (any & 1) == 0;
      case "TINYINT" -> (int) (byte) any;
      case "SMALLINT" -> (int) (short) any;
      case "INT" -> (int) any;
      case "BIGINT" -> any;
      case "FLOAT" -> Float.intBitsToFloat((int) any & 0x7f7fffff);
      case "DOUBLE" -> Double.longBitsToDouble(any & 0x7fdfffffffffffffL);
      case "STRING" -> "é".repeat((int) (any & 7)) + any;
      case "CHAR(4)" -> Integer.toString((int) (any & 0xfff), 36);
      case "DATE" -> time.toLocalDate();
      case "TIME(0)" -> time.toLocalTime();
      case "TIME(6)" -> time.toLocalTime().plusNanos(random.nextInt(1_000_000) * 1_000L);
      case "TIMESTAMP(0)" -> time;
      case "TIMESTAMP(3)" -> time.plusNanos(random.nextInt(1_000) * 1_000_000L);
      case "TIMESTAMP(6)" -> time.plusNanos(random.nextInt(1_000_000) * 1_000L);
      case "TIMESTAMP_LTZ(3)" -> time.toInstant(ZoneOffset.UTC).plusMillis(random.nextInt(1_000));
      case "TIMESTAMP_LTZ(6)" ->
          time.toInstant(ZoneOffset.UTC).plusNanos(random.nextInt(1_000_000) * 1_000L);
      case "DECIMAL(9,2)" -> decimal(random, 9, 2);
      case "DECIMAL(18,0)" -> decimal(random, 18, 0);
      case "DECIMAL(19,19)" -> decimal(random, 19, 19);
      case "DECIMAL(38,10)" -> decimal(random, 38, 10);
      case "BINARY(5)" -> bytes(random, 5);
      default -> bytes(random, random.nextInt(20));
    };
  }

  private static BigDecimal decimal(SplittableRandom random, int precision, int scale) {
    BigInteger unscaled =
        new BigInteger(1, bytes(random, 1 + random.nextInt(16))).mod(BigInteger.TEN.pow(precision));
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
  }

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static Object lakeValue(Object value) {
    if (value instanceof Instant instant) {
      return instant.atOffset(ZoneOffset.UTC);
    }
    return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
  }

  private static void read(
      Path round, WrittenFile file, TableSchema schema, TreeMap<Integer, List<List<Object>>> into) {
    List<List<Object>> rows = into.computeIfAbsent(file.bucket(), each -> new ArrayList<>());
    String name = "0-" + file.bucket() + "-" + file.startOffset() + ".parquet";
    long offset = file.startOffset();
    for (Record record : LakeTables.read(round.resolve(name), schema)) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < schema.size(); i++) {
        values.add(lakeValue(record.get(i)));
      }
      rows.add(values);
      assertThat(record.getField(LakeTarget.BUCKET)).isEqualTo(file.bucket());
      assertThat(record.getField(LakeTarget.OFFSET)).isEqualTo(offset++);
    }
    assertThat(offset).isEqualTo(file.endOffset());
  }
}

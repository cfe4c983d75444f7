package io.sluice.tablet.kv.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.testkit.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Every function with every type it takes, against {@link AggregateModel}. */
class AggregateRandomTest {
  private static final List<String> TYPES =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(5,2)",
          "DECIMAL(18,0)",
          "DECIMAL(18,18)",
          "DECIMAL(19,4)",
          "DECIMAL(38,10)",
          "CHAR(4)",
          "STRING",
          "DATE",
          "TIME(0)",
          "TIME(9)",
          "TIMESTAMP(0)",
          "TIMESTAMP(9)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)",
          "BINARY(3)",
          "BYTES",
          "ARRAY<INT>");

  private int overflows;
  private int combinations;

  @Test
  void columnsHoldWhatTheModelCalculates() {
    Seeds.run(
        25,
        (seed, random) -> {
          for (AggFunction function : AggFunction.values()) {
            for (String type : TYPES) {
              if (function.takes(DataTypeParser.parse(type))) {
                run(function, type, false, random);
                if (function.mayOverflow(DataTypeParser.parse(type))) {
                  run(function, type, true, random);
                }
              }
            }
          }
        });
    assertThat(combinations).isGreaterThan(100);
    assertThat(overflows).isGreaterThan(100);
  }

  private void run(AggFunction function, String type, boolean saturate, SplittableRandom random) {
    String name = function.text();
    MergeFixture row =
        saturate
            ? MergeFixture.aggregating(type, name, "fields.v.agg.on-overflow", "saturate")
            : MergeFixture.aggregating(type, name);
    AggregateModel model = new AggregateModel(name, type, saturate);
    combinations++;
    int magnitude = random.nextInt(3);
    for (int i = 0; i < 12; i++) {
      Object value = random.nextInt(5) == 0 ? null : value(function, type, magnitude, random);
      SluiceException refused = row.refused(encoded(function, value));
      String step = name + " of " + type + ", put " + i + " of " + value;
      if (model.put(value)) {
        assertThat(refused).as(step).isNull();
      } else {
        overflows++;
        assertThat(refused).as(step).isNotNull();
        assertThat(refused.code()).isEqualTo(ErrorCode.AGGREGATE_OVERFLOW);
      }
      check(step, function, row.value(), model.value());
    }
  }

  private static void check(
      String step, AggFunction function, @Nullable Object found, @Nullable Object expected) {
    if (expected instanceof BigDecimal exact && found != null) {
      BigDecimal number = new BigDecimal(found.toString());
      assertThat(number).as(step).isEqualTo(exact);
    } else if (expected instanceof TreeSet<?>) {
      assertThat(found).as(step).isEqualTo(encoded(function, expected));
    } else {
      assertThat(found).as(step).isEqualTo(expected);
    }
  }

  /** Sets as bytes, in the form that is stored. */
  @SuppressWarnings("unchecked")
  private static @Nullable Object encoded(AggFunction function, @Nullable Object value) {
    if (!(value instanceof TreeSet<?>)) {
      return value;
    }
    TreeSet<Long> set = (TreeSet<Long>) value;
    if (function == AggFunction.RBM32) {
      RoaringBitmap bitmap = new RoaringBitmap();
      set.forEach(each -> bitmap.add(each.intValue()));
      bitmap.runOptimize();
      return RoaringBitmapBytes.of(bitmap);
    }
    Roaring64NavigableMap bitmap = new Roaring64NavigableMap();
    set.forEach(bitmap::addLong);
    bitmap.runOptimize();
    return RoaringBitmapBytes.of(bitmap);
  }

  private static Object value(
      AggFunction function, String type, int magnitude, SplittableRandom random) {
    if (function == AggFunction.RBM32 || function == AggFunction.RBM64) {
      return set(function == AggFunction.RBM64, random);
    }
    return switch (type.replaceAll("\\(.*|<.*", "")) {
      case "BOOLEAN" -> random.nextBoolean();
      case "TINYINT" -> (byte) integer(8, magnitude, random);
      case "SMALLINT" -> (short) integer(16, magnitude, random);
      case "INT" -> (int) integer(32, magnitude, random);
      case "BIGINT" -> integer(64, magnitude, random);
      case "FLOAT" -> (float) floating(magnitude, Float.MAX_VALUE, random);
      case "DOUBLE" -> floating(magnitude, Double.MAX_VALUE, random);
      case "DECIMAL" -> decimal(type, magnitude, random);
      case "CHAR", "STRING" -> text(random);
      case "DATE" -> LocalDate.ofEpochDay(random.nextInt(-9, 9));
      case "TIME" ->
          LocalTime.ofNanoOfDay(random.nextInt(9) * (type.equals("TIME(9)") ? 1 : 1_000_000_000L));
      case "TIMESTAMP" ->
          LocalDateTime.of(1970, 1, 1, 0, 0)
              .plusNanos(random.nextInt(-9, 9) * (type.endsWith("(9)") ? 1 : 1_000_000_000L));
      case "TIMESTAMP_LTZ" -> Instant.ofEpochMilli(random.nextInt(-1500, 1500));
      case "BINARY" -> bytes(3, random);
      case "BYTES" -> bytes(random.nextInt(5), random);
      default -> List.of(random.nextInt(3), random.nextInt(3));
    };
  }

  private static long integer(int bits, int magnitude, SplittableRandom random) {
    long any = random.nextLong() >> 64 - bits;
    return switch (magnitude) {
      case 0 -> random.nextInt(-2, 3);
      case 1 -> any >> bits / 2;
      default -> any;
    };
  }

  private static double floating(int magnitude, double max, SplittableRandom random) {
    int dice = random.nextInt(20);
    if (magnitude == 2 && dice < 5) {
      return switch (dice) {
        case 0 -> Double.NaN;
        case 1 -> Double.POSITIVE_INFINITY;
        case 2 -> Double.NEGATIVE_INFINITY;
        case 3 -> -0.0;
        default -> max;
      };
    }
    return random.nextInt(-1000, 1000) / 64.0;
  }

  private static BigDecimal decimal(String type, int magnitude, SplittableRandom random) {
    String[] parts = type.replaceAll("[^0-9,]", "").split(",");
    int digits = Integer.parseInt(parts[0]);
    int used = magnitude == 2 ? digits : 1 + random.nextInt(digits);
    BigInteger unscaled =
        new BigInteger(130, new java.util.Random(random.nextLong())).mod(BigInteger.TEN.pow(used));
    BigInteger signed = random.nextBoolean() ? unscaled : unscaled.negate();
    return new BigDecimal(signed, Integer.parseInt(parts[1]));
  }

  private static String text(SplittableRandom random) {
    int[] alphabet = {'a', 'b', 0xE9, 0xD7FF, 0xFFFD, 0x1F600, 0x10FFFF};
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(5);
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
    }
    return text.toString();
  }

  private static byte[] bytes(int length, SplittableRandom random) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) random.nextInt(3);
    }
    return bytes;
  }

  private static TreeSet<Long> set(boolean wide, SplittableRandom random) {
    TreeSet<Long> set = new TreeSet<>(AggregateModel.unsigned());
    int count = random.nextInt(6);
    for (int i = 0; i < count; i++) {
      long high = wide ? (long) random.nextInt(-1, 2) << 32 : 0;
      set.add(high + (random.nextInt(4) == 0 ? random.nextInt(1 << 20) : random.nextInt(20)));
    }
    return set;
  }
}

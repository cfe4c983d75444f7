package io.sluice.tablet.kv.merge;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a column holds after a list of puts, calculated from the list itself and in numbers without
 * limits where the function allows it.
 */
final class AggregateModel {
  /** The values that were taken, in order. */
  private final List<@Nullable Object> taken = new ArrayList<>();

  private final String function;
  private final String type;
  private final boolean saturates;
  // The only state: a saturated result forgets how far outside it was.
  private @Nullable BigDecimal number;

  AggregateModel(String function, String type, boolean saturates) {
    this.function = function;
    this.type = type;
    this.saturates = saturates;
  }

  /** Whether the put is taken. */
  boolean put(@Nullable Object value) {
    if (value != null && isExactArithmetic()) {
      BigDecimal result = clamped(next(value));
      if (result == null) {
        return false;
      }
      number = result;
    }
    taken.add(value);
    return true;
  }

  private boolean isExactArithmetic() {
    boolean arithmetic = List.of("sum", "product", "count").contains(function);
    return arithmetic && !type.equals("FLOAT") && !type.equals("DOUBLE");
  }

  private BigDecimal next(Object value) {
    if (function.equals("count")) {
      return number == null ? BigDecimal.ONE : number.add(BigDecimal.ONE);
    }
    BigDecimal given = new BigDecimal(value.toString());
    if (number == null) {
      return given;
    }
    BigDecimal exact =
        function.equals("sum") ? number.add(given) : number.multiply(given, MathContext.UNLIMITED);
    return exact.setScale(scale(), RoundingMode.HALF_UP);
  }

  private int scale() {
    return type.startsWith("DECIMAL") ? Integer.parseInt(type.replaceAll(".*,|\\)", "")) : 0;
  }

  private @Nullable BigDecimal clamped(BigDecimal result) {
    BigDecimal max =
        switch (type) {
          case "TINYINT" -> BigDecimal.valueOf(127);
          case "SMALLINT" -> BigDecimal.valueOf(32_767);
          case "INT" -> BigDecimal.valueOf(Integer.MAX_VALUE);
          case "BIGINT" -> BigDecimal.valueOf(Long.MAX_VALUE);
          default -> {
            int precision = Integer.parseInt(type.replaceAll("DECIMAL\\(|,.*", ""));
            BigInteger digits = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
            yield new BigDecimal(digits, scale());
          }
        };
    BigDecimal min =
        type.startsWith("DECIMAL") ? max.negate() : max.negate().subtract(BigDecimal.ONE);
    boolean fits = result.compareTo(min) >= 0 && result.compareTo(max) <= 0;
    if (fits || !saturates) {
      return fits ? result : null;
    }
    return result.signum() < 0 ? min : max;
  }

  /** The value, null for NULL; numbers of exact arithmetic as BigDecimal, sets as TreeSet. */
  @Nullable Object value() {
    if (isExactArithmetic()) {
      return number;
    }
    List<Object> present = new ArrayList<>(taken.stream().filter(Objects::nonNull).toList());
    return switch (function) {
      case "last_value" -> taken.get(taken.size() - 1);
      case "first_value" -> taken.get(0);
      default -> present.isEmpty() ? null : ofPresent(present);
    };
  }

  @SuppressWarnings("unchecked")
  private Object ofPresent(List<Object> present) {
    return switch (function) {
      case "last_value_ignore_nulls" -> present.get(present.size() - 1);
      case "first_value_ignore_nulls" -> present.get(0);
      case "min" -> present.stream().min(AggregateModel::compare).orElseThrow();
      case "max" -> present.stream().max(AggregateModel::compare).orElseThrow();
      case "bool_and" -> present.stream().allMatch(Boolean.TRUE::equals);
      case "bool_or" -> present.stream().anyMatch(Boolean.TRUE::equals);
      case "listagg" -> present.stream().map(Object::toString).collect(Collectors.joining(","));
      case "rbm32", "rbm64" -> {
        TreeSet<Long> all = new TreeSet<>(unsigned());
        present.forEach(set -> all.addAll((TreeSet<Long>) set));
        yield all;
      }
      default -> floating(present);
    };
  }

  static Comparator<Long> unsigned() {
    return Long::compareUnsigned;
  }

  private Object floating(List<Object> present) {
    double result = ((Number) present.get(0)).doubleValue();
    for (Object next : present.subList(1, present.size())) {
      double given = ((Number) next).doubleValue();
      result = function.equals("sum") ? result + given : result * given;
      if (type.equals("FLOAT")) {
        // A double holds sums and products of floats well enough to round them once more.
        float rounded = (float) result;
        result = rounded;
      }
    }
    return type.equals("FLOAT") ? (Object) (float) result : (Object) result;
  }

  @SuppressWarnings("unchecked")
  private static int compare(Object one, Object other) {
    if (one instanceof String text) {
      return Arrays.compareUnsigned(
          text.getBytes(StandardCharsets.UTF_8), ((String) other).getBytes(StandardCharsets.UTF_8));
    }
    return ((Comparable<Object>) one).compareTo(other);
  }
}

package io.sluice.format.filter;

import io.sluice.format.row.GenericRow;
import io.sluice.format.row.TestValues;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Random conditions over scalar columns, each with its text and with an evaluator over rows that
 * knows nothing of the library: TRUE, FALSE or null for unknown.
 */
final class RandomConditions {
  /** A condition and what it says of a row. */
  record Sample(String text, Evaluator evaluator) {}

  /** SQL's three-valued answer. */
  interface Evaluator {
    @Nullable Boolean of(GenericRow row);
  }

  private final TableSchema schema;
  private final List<GenericRow> rows;
  private final SplittableRandom random;

  /**
   * @param rows literals are often values of these
   */
  RandomConditions(TableSchema schema, List<GenericRow> rows, SplittableRandom random) {
    this.schema = schema;
    this.rows = rows;
    this.random = random;
  }

  Sample next(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return test();
    }
    Sample first = next(depth - 1);
    if (random.nextInt(4) == 0) {
      return new Sample("NOT (" + first.text() + ")", row -> not(first.evaluator().of(row)));
    }
    Sample second = next(depth - 1);
    boolean and = random.nextBoolean();
    return new Sample(
        "(" + first.text() + (and ? ") and (" : ") OR (") + second.text() + ")",
        row -> {
          Boolean a = first.evaluator().of(row);
          Boolean b = second.evaluator().of(row);
          return and ? not(or(not(a), not(b))) : or(a, b);
        });
  }

  private static @Nullable Boolean not(@Nullable Boolean value) {
    return value == null ? null : !value;
  }

  private static @Nullable Boolean or(@Nullable Boolean a, @Nullable Boolean b) {
    if (Boolean.TRUE.equals(a) || Boolean.TRUE.equals(b)) {
      return true;
    }
    return a == null || b == null ? null : false;
  }

  private Sample test() {
    int index = random.nextInt(schema.size());
    Column column = schema.columns().get(index);
    String name = random.nextBoolean() ? column.name() : "\"" + column.name() + "\"";
    return switch (random.nextInt(5)) {
      case 0 -> {
        boolean wanted = random.nextBoolean();
        yield new Sample(
            name + " IS " + (wanted ? "" : "NOT ") + "NULL", row -> row.isNull(index) == wanted);
      }
      case 1 -> in(index, name);
      case 2 -> between(index, name);
      default -> compare(index, name);
    };
  }

  private Sample compare(int index, String name) {
    Object literal = literal(index);
    String[] signs = {"=", "<>", "!=", "<", "<=", ">", ">="};
    String sign = signs[random.nextInt(signs.length)];
    IntPredicate holds =
        switch (sign) {
          case "=" -> order -> order == 0;
          case "<" -> order -> order < 0;
          case "<=" -> order -> order <= 0;
          case ">" -> order -> order > 0;
          case ">=" -> order -> order >= 0;
          default -> order -> order != 0;
        };
    return new Sample(
        name + " " + sign + " " + text(literal),
        row -> row.isNull(index) ? null : holds.test(compare(row.value(index), literal)));
  }

  private Sample in(int index, String name) {
    List<Object> literals = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      literals.add(literal(index));
      texts.add(text(literals.get(literals.size() - 1)));
    }
    boolean wanted = random.nextInt(3) > 0;
    return new Sample(
        name + (wanted ? " IN (" : " NOT IN (") + String.join(", ", texts) + ")",
        row ->
            row.isNull(index)
                ? null
                : literals.stream().anyMatch(each -> compare(row.value(index), each) == 0)
                    == wanted);
  }

  private Sample between(int index, String name) {
    Object low = literal(index);
    Object high = literal(index);
    boolean wanted = random.nextInt(3) > 0;
    return new Sample(
        name + (wanted ? "" : " NOT") + " BETWEEN " + text(low) + " AND " + text(high),
        row ->
            row.isNull(index)
                ? null
                : (compare(row.value(index), low) >= 0 && compare(row.value(index), high) <= 0)
                    == wanted);
  }

  private Object literal(int index) {
    DataType type = schema.columns().get(index).type();
    GenericRow row = rows.get(random.nextInt(rows.size()));
    if (!row.isNull(index) && random.nextInt(4) > 0) {
      return row.value(index);
    }
    if (type instanceof DataType.IntegerType && random.nextInt(3) == 0) {
      return new BigDecimal("12345678901234567890.5").negate();
    }
    if (type instanceof DataType.DecimalType && random.nextInt(3) == 0) {
      return new BigDecimal("0.000000000001");
    }
    return TestValues.random(type, random);
  }

  /** Order of a value and a literal of the same kind. */
  private static int compare(@Nullable Object value, Object literal) {
    if (value instanceof Float || value instanceof Double) {
      double a = ((Number) value).doubleValue();
      double b = ((Number) literal).doubleValue();
      return Double.compare(a == 0 ? 0.0 : a, b == 0 ? 0.0 : b);
    }
    if (value instanceof Number) {
      return new BigDecimal(value.toString()).compareTo(new BigDecimal(literal.toString()));
    }
    if (value instanceof String text) {
      return Arrays.compareUnsigned(
          text.getBytes(StandardCharsets.UTF_8),
          ((String) literal).getBytes(StandardCharsets.UTF_8));
    }
    if (value instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) literal);
    }
    if (value instanceof Boolean truth) {
      return truth.compareTo((Boolean) literal);
    }
    if (value instanceof LocalDate date) {
      return date.compareTo((LocalDate) literal);
    }
    if (value instanceof LocalTime time) {
      return time.compareTo((LocalTime) literal);
    }
    if (value instanceof LocalDateTime timestamp) {
      return timestamp.compareTo((LocalDateTime) literal);
    }
    return ((Instant) value).compareTo((Instant) literal);
  }

  static String text(Object literal) {
    if (literal instanceof Float || literal instanceof Double) {
      double value = ((Number) literal).doubleValue();
      return Double.isNaN(value) || Double.isInfinite(value)
          ? "'" + value + "'"
          : new BigDecimal(value).toString();
    }
    if (literal instanceof Number) {
      return literal.toString();
    }
    if (literal instanceof String text) {
      return "'" + text.replace("'", "''") + "'";
    }
    if (literal instanceof byte[] bytes) {
      return "X'" + HexFormat.of().formatHex(bytes) + "'";
    }
    if (literal instanceof Boolean truth) {
      return truth ? "TRUE" : "false";
    }
    if (literal instanceof LocalDate date) {
      return "DATE '" + date + "'";
    }
    if (literal instanceof LocalTime time) {
      return "TIME '" + time + "'";
    }
    return literal instanceof LocalDateTime timestamp
        ? "TIMESTAMP '" + timestamp.toString().replace('T', ' ') + "'"
        : "'" + literal + "'";
  }
}

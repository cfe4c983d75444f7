package io.sluice.bench.harness;

import java.util.ArrayList;
import java.util.List;

/**
 * The two row shapes of the benchmarks. {@code narrow}: 6 columns, about 125 bytes of values a row;
 * {@code wide}: 20 columns, about 990 bytes.
 *
 * @param name "narrow" or "wide"
 * @param columns in order; the first one, {@code id}, holds a running number
 */
public record BenchSchema(String name, List<BenchColumn> columns) {
  public static final List<String> NAMES = List.of("narrow", "wide");

  public BenchSchema {
    columns = List.copyOf(columns);
  }

  /** Type of a column. */
  public enum Kind {
    INT,
    BIGINT,
    STRING
  }

  /** One column. */
  public record BenchColumn(String name, Kind kind) {}

  public static BenchSchema of(String name) {
    return switch (name) {
      case "narrow" -> parse(name, "id:L ts:L a:I b:I tag:S note:S");
      case "wide" ->
          parse(
              name,
              "id:L ts:L user_id:I session:S country:S amount:L url:S status:I referrer:S device:S"
                  + " a:I b:L payload:S c:I d:L e:I trace:S f:L g:I note:S");
      default -> throw new IllegalArgumentException("No benchmark schema named " + name);
    };
  }

  private static BenchSchema parse(String name, String text) {
    List<BenchColumn> columns = new ArrayList<>();
    for (String part : text.split(" ")) {
      String[] pair = part.split(":");
      Kind kind =
          switch (pair[1]) {
            case "I" -> Kind.INT;
            case "L" -> Kind.BIGINT;
            default -> Kind.STRING;
          };
      columns.add(new BenchColumn(pair[0], kind));
    }
    return new BenchSchema(name, columns);
  }

  public int size() {
    return columns.size();
  }
}

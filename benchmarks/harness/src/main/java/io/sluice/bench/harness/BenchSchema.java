package io.sluice.bench.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The row shapes of the benchmarks. {@code narrow}: 6 columns, about 125 bytes of values a row;
 * {@code wide}: 20 columns, about 990 bytes. With a primary key: {@code keyed}, the columns of
 * narrow rows; {@code grouped}, such rows in groups of {@value #GROUP_ROWS} that are in one bucket;
 * {@code aggregate}, a sum and a bitmap for each key.
 *
 * @param name its name in orders
 * @param columns in order; the leading ones hold numbers, see {@link #number}
 * @param keyColumns how many leading columns are the primary key, 0 for a log table
 * @param bucketColumns how many leading columns choose the bucket, 0 for a log table
 */
public record BenchSchema(
    String name, List<BenchColumn> columns, int keyColumns, int bucketColumns) {
  /** The shapes of log tables. */
  public static final List<String> NAMES = List.of("narrow", "wide");

  /** Rows of a group. */
  public static final int GROUP_ROWS = 10;

  /** Function of a column that adds up. */
  public static final String SUM = "sum";

  /** Function of a column that unites 32-bit bitmaps. */
  public static final String UNION = "rbm32";

  public BenchSchema {
    columns = List.copyOf(columns);
  }

  /** Type of a column. */
  public enum Kind {
    INT,
    BIGINT,
    STRING,
    /** A 32-bit set in the portable RoaringBitmap format. */
    BYTES
  }

  /**
   * One column.
   *
   * @param aggregate what an upsert does with the value that is there, {@link #SUM} or {@link
   *     #UNION}; empty when it takes its place
   */
  public record BenchColumn(String name, Kind kind, String aggregate) {
    /** Whether an upsert combines its value with the one that is there. */
    public boolean aggregates() {
      return !aggregate.isEmpty();
    }
  }

  public static BenchSchema of(String name) {
    return switch (name) {
      case "narrow" -> parse(name, "id:L ts:L a:I b:I tag:S note:S", 0, 0);
      case "wide" ->
          parse(
              name,
              "id:L ts:L user_id:I session:S country:S amount:L url:S status:I referrer:S device:S"
                  + " a:I b:L payload:S c:I d:L e:I trace:S f:L g:I note:S",
              0,
              0);
      case "keyed" -> parse(name, "id:L ts:L a:I b:I tag:S note:S", 1, 1);
      case "grouped" -> parse(name, "grp:L id:L a:I b:I tag:S note:S", 2, 1);
      case "aggregate" -> parse(name, "id:L cnt:L:sum uv:B:rbm32", 1, 1);
      default -> throw new IllegalArgumentException("No benchmark schema named " + name);
    };
  }

  private static BenchSchema parse(String name, String text, int keyColumns, int bucketColumns) {
    List<BenchColumn> columns = new ArrayList<>();
    for (String part : text.split(" ")) {
      String[] parts = part.split(":");
      Kind kind =
          switch (parts[1]) {
            case "I" -> Kind.INT;
            case "L" -> Kind.BIGINT;
            case "B" -> Kind.BYTES;
            default -> Kind.STRING;
          };
      columns.add(new BenchColumn(parts[0], kind, parts.length > 2 ? parts[2] : ""));
    }
    return new BenchSchema(name, columns, keyColumns, bucketColumns);
  }

  public int size() {
    return columns.size();
  }

  /** The positions of all columns. */
  public int[] allColumns() {
    return IntStream.range(0, size()).toArray();
  }

  /** Names of the leading columns, so many. */
  public List<String> leading(int count) {
    return columns.subList(0, count).stream().map(BenchColumn::name).toList();
  }

  /** How many leading columns hold numbers: the key columns, or the first one of a log table. */
  public int numberedColumns() {
    return Math.max(1, keyColumns);
  }

  /** Whether rows come in groups with one bucket for each, which can be looked up together. */
  public boolean grouped() {
    return bucketColumns < keyColumns;
  }

  /**
   * The value of a leading column in the row with this number: the number, or that of its group.
   */
  public long number(int column, long row) {
    return column == numberedColumns() - 1 ? row : row / GROUP_ROWS;
  }

  /** Whether a column's values are combined by the table instead of replaced. */
  public boolean aggregates() {
    return columns.stream().anyMatch(BenchColumn::aggregates);
  }
}

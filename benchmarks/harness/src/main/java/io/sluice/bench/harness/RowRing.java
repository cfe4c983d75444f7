package io.sluice.bench.harness;

import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.BenchSchema.Kind;
import java.util.List;
import java.util.Random;

/**
 * A ring of distinct rows made from a fixed seed. A ring far longer than a batch keeps the data as
 * compressible as its own content and no more; the running number in the first column is the
 * caller's. Immutable.
 */
public final class RowRing {
  public static final int ROWS = 20_000;
  static final long SEED = 42;

  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final String HEX = "0123456789abcdef";
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final int URL_LENGTH = 140;
  private static final int PAYLOAD_LENGTH = 400;

  /** What the bitmaps of the ring, of one number each, are drawn from. */
  private static final int DISTINCT_MEMBERS = 1_000_000;

  private static final long FIRST_TIME_MS = 1_750_000_000_000L;

  private final BenchSchema schema;
  private final int[] allColumns;
  private final Object[][] rows;
  private final double averageBytes;

  private RowRing(BenchSchema schema, Object[][] rows) {
    this.schema = schema;
    this.allColumns = schema.allColumns();
    this.rows = rows;
    long bytes = 0;
    for (Object[] row : rows) {
      bytes += logicalBytes(row);
    }
    this.averageBytes = (double) bytes / rows.length;
  }

  /** The ring every benchmark uses. */
  public static RowRing of(BenchSchema schema) {
    return of(schema, ROWS, SEED);
  }

  static RowRing of(BenchSchema schema, int rowCount, long seed) {
    return new RowRing(schema, new Generator(schema, seed).rows(rowCount));
  }

  public BenchSchema schema() {
    return schema;
  }

  /**
   * Values of the row: Integer, Long, String or byte[] by column. The array is shared and not
   * changed.
   */
  public Object[] row(long number) {
    return rows[(int) (number % rows.length)];
  }

  /**
   * One value of the row that has this key and else the values of the ring's row with this number.
   */
  public Object value(int column, long key, long number) {
    return column < schema.numberedColumns() ? schema.number(column, key) : row(number)[column];
  }

  /** Shows a target all columns of the row with this number, which is its key too. */
  public void show(long number, RowTarget target) {
    show(allColumns, number, number, target);
  }

  /**
   * Shows a target some columns of the row that has this key and else the values of the ring's row
   * with this number. A column's position is that among these columns.
   */
  public void show(int[] columns, long key, long number, RowTarget target) {
    Object[] values = row(number);
    int numbered = schema.numberedColumns();
    for (int i = 0; i < columns.length; i++) {
      int column = columns[i];
      if (column < numbered) {
        target.setLong(i, schema.number(column, key));
      } else if (values[column] instanceof Integer integer) {
        target.setInt(i, integer);
      } else if (values[column] instanceof Long bigint) {
        target.setLong(i, bigint);
      } else if (values[column] instanceof String text) {
        target.setString(i, text);
      } else {
        target.setBytes(i, (byte[]) values[column]);
      }
    }
  }

  /** Mean size of a row: INT 4, BIGINT 8, others their length (all text is ASCII). */
  public double averageBytes() {
    return averageBytes;
  }

  /** Mean size of these columns of a row. */
  public double averageBytes(List<String> columns) {
    long bytes = 0;
    for (int c = 0; c < schema.size(); c++) {
      if (columns.contains(schema.columns().get(c).name())) {
        for (Object[] row : rows) {
          bytes += logicalBytes(row[c]);
        }
      }
    }
    return (double) bytes / rows.length;
  }

  static long logicalBytes(Object[] row) {
    long bytes = 0;
    for (Object value : row) {
      bytes += logicalBytes(value);
    }
    return bytes;
  }

  private static int logicalBytes(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes.length;
    }
    return value instanceof Integer ? 4 : value instanceof Long ? 8 : ((String) value).length();
  }

  /** Draws values from one random sequence, so that one seed always gives the same rows. */
  private static final class Generator {
    private final BenchSchema schema;
    private final Random random;
    private final String[] words;
    private final String[] countries;
    private final String[] devices;

    Generator(BenchSchema schema, long seed) {
      this.schema = schema;
      this.random = new Random(seed);
      this.words = vocabulary(2_000, 3, 10);
      this.countries = vocabulary(60, 4, 13);
      this.devices = vocabulary(40, 12, 19);
    }

    Object[][] rows(int count) {
      Object[][] rows = new Object[count][];
      for (int i = 0; i < count; i++) {
        rows[i] = new Object[schema.size()];
        for (int c = 0; c < schema.size(); c++) {
          rows[i][c] = value(schema.columns().get(c), i);
        }
      }
      return rows;
    }

    private Object value(BenchColumn column, int row) {
      if (column.kind() == Kind.INT) {
        return column.name().equals("status") ? 200 + random.nextInt(8) : random.nextInt(1_000_000);
      }
      if (column.kind() == Kind.BIGINT) {
        return switch (column.name()) {
          case "id" -> (long) row;
          case "ts" -> FIRST_TIME_MS + row * 3L + random.nextInt(50);
          case "cnt" -> (long) random.nextInt(100);
          default -> random.nextLong() >>> 24;
        };
      }
      return column.kind() == Kind.BYTES
          ? PortableBitmap.of(random.nextInt(DISTINCT_MEMBERS))
          : text(column.name());
    }

    private String text(String column) {
      return switch (column) {
        case "country" -> countries[random.nextInt(countries.length)];
        case "device" -> devices[random.nextInt(devices.length)];
        case "session", "trace" -> characters(HEX, 36);
        case "tag" -> words[random.nextInt(words.length)] + "-" + random.nextInt(1_000);
        case "url", "referrer" -> url();
        case "payload" -> sentence(PAYLOAD_LENGTH);
        default -> characters(ALPHABET, 64 + random.nextInt(60));
      };
    }

    private String[] vocabulary(int count, int shortest, int longest) {
      String[] words = new String[count];
      for (int i = 0; i < count; i++) {
        words[i] = characters(LETTERS, shortest + random.nextInt(longest - shortest + 1));
      }
      return words;
    }

    private String url() {
      StringBuilder url = new StringBuilder("https://www.").append(words[random.nextInt(200)]);
      url.append(".example");
      while (url.length() < URL_LENGTH) {
        url.append('/').append(words[random.nextInt(words.length)]);
        if (random.nextInt(3) == 0) {
          url.append(random.nextInt(100_000));
        }
      }
      return url.toString();
    }

    private String sentence(int length) {
      StringBuilder text = new StringBuilder(length + 12);
      while (text.length() < length) {
        text.append(words[random.nextInt(words.length)]).append(' ');
      }
      text.setLength(length);
      return text.toString();
    }

    private String characters(String alphabet, int length) {
      char[] text = new char[length];
      for (int i = 0; i < length; i++) {
        text[i] = alphabet.charAt(random.nextInt(alphabet.length()));
      }
      return new String(text);
    }
  }
}

package io.sluice.format.partition;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The partition columns of a table: the values of a row as canonical texts, and the name of a
 * partition as people read and type it, {@code dt=2024-01-01/region=EU}. In a name {@code /},
 * {@code =}, {@code %} and control characters are written as {@code %XX}, the bytes of UTF-8.
 * Immutable.
 */
public final class PartitionKeys {
  private static final int SHOWN = 80;

  private final List<String> keys;
  private final int[] positions;
  private final PartitionText[] texts;
  private final String pattern;

  private PartitionKeys(List<String> keys, int[] positions, PartitionText[] texts) {
    this.keys = List.copyOf(keys);
    this.positions = positions;
    this.texts = texts;
    StringBuilder shown = new StringBuilder();
    for (String key : keys) {
      shown.append(shown.isEmpty() ? "" : "/").append(escaped(key)).append("=<value>");
    }
    this.pattern = shown.toString();
  }

  /**
   * The partition columns of a table.
   *
   * @param schema the schema of the rows that will be asked for
   * @param keys names of the partition columns in order, at least one
   * @throws SluiceException COLUMN_NOT_FOUND; INVALID_SCHEMA for a column named twice, for a type
   *     that cannot be a partition's, and when a primary key does not hold all of them or nothing
   *     else
   */
  public static PartitionKeys of(TableSchema schema, List<String> keys) {
    if (keys.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "A partitioned table has no partition column");
    }
    int[] positions = new int[keys.size()];
    PartitionText[] texts = new PartitionText[keys.size()];
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < positions.length; i++) {
      positions[i] = schema.position(keys.get(i));
      Column column = schema.columns().get(positions[i]);
      if (!seen.add(column.name())) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA, "Partition column '" + column.name() + "' is named twice");
      }
      texts[i] = new PartitionText(column);
    }
    checkPrimaryKey(schema.primaryKey(), seen);
    return new PartitionKeys(keys, positions, texts);
  }

  /**
   * The partition columns of a table whose refusals name the format that its automatic partitioning
   * expects.
   *
   * @param options all options of the table
   * @throws SluiceException also INVALID_OPTION, like {@link AutoPartition#of}
   */
  public static PartitionKeys of(
      TableSchema schema, List<String> keys, Map<String, String> options) {
    PartitionKeys plain = of(schema, keys);
    AutoPartition auto = AutoPartition.of(schema, keys, options).orElse(null);
    if (auto != null) {
      plain.texts[auto.keyPosition()] = new PartitionText(schema.column(auto.key()), auto.format());
    }
    return plain;
  }

  private static void checkPrimaryKey(List<String> primaryKey, Set<String> keys) {
    if (primaryKey.isEmpty()) {
      return;
    }
    for (String key : keys) {
      if (!primaryKey.contains(key)) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "Partition column '"
                + key
                + "' is not in the primary key "
                + primaryKey
                + "; a key is in one partition, so its columns must be part of the key");
      }
    }
    if (keys.size() == primaryKey.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The partition columns are the whole primary key "
              + primaryKey
              + "; at least one more column must be in the key");
    }
  }

  /** Names of the partition columns in order. */
  public List<String> names() {
    return keys;
  }

  /** Position of a partition column in the schema. */
  public int position(int key) {
    return positions[key];
  }

  /**
   * The canonical texts of a row's partition values.
   *
   * @throws SluiceException INVALID_VALUE naming the column for NULL, INVALID_PARTITION for a text
   *     that is empty or longer than 200 characters
   */
  public List<String> values(Row row) {
    String[] values = new String[texts.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = texts[i].of(row, positions[i]);
    }
    return List.of(values);
  }

  /** The rules of one partition column. */
  PartitionText text(int key) {
    return texts[key];
  }

  /** The canonical form of given texts; INVALID_PARTITION naming column, value and what fits. */
  public List<String> check(List<String> values) {
    checkCount(values);
    String[] canonical = new String[texts.length];
    for (int i = 0; i < canonical.length; i++) {
      canonical[i] = texts[i].canonical(values.get(i));
    }
    return List.of(canonical);
  }

  /** The values that canonical texts stand for, as a row of the partition columns only. */
  public GenericRow row(List<String> values) {
    checkCount(values);
    @Nullable Object[] parsed = new @Nullable Object[texts.length];
    for (int i = 0; i < parsed.length; i++) {
      parsed[i] = texts[i].parse(values.get(i));
    }
    return GenericRow.of(parsed);
  }

  private void checkCount(List<String> values) {
    if (values.size() != keys.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION,
          "A partition of this table has "
              + keys.size()
              + " values ("
              + String.join(", ", keys)
              + "), not "
              + values.size());
    }
  }

  /** The name of a partition for people. */
  public String name(List<String> values) {
    checkCount(values);
    return name(keys, values);
  }

  /**
   * The name of a partition for people.
   *
   * @param keys names of the partition columns
   * @param values their canonical texts
   */
  public static String name(List<String> keys, List<String> values) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < keys.size(); i++) {
      name.append(i == 0 ? "" : "/")
          .append(escaped(keys.get(i)))
          .append('=')
          .append(escaped(values.get(i)));
    }
    return name.toString();
  }

  /**
   * The canonical texts of the values in a name as somebody typed it, its columns in any order;
   * INVALID_PARTITION naming what is wrong.
   */
  public List<String> parse(String shown) {
    @Nullable String[] values = new @Nullable String[keys.size()];
    for (String part : shown.split("/", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0 || part.indexOf('=', equals + 1) >= 0) {
        throw malformedName(shown, "'" + abbreviated(part) + "' is not of the form column=value");
      }
      String key = unescaped(shown, part.substring(0, equals));
      int position = keys.indexOf(key);
      if (position < 0) {
        throw malformedName(shown, "'" + abbreviated(key) + "' is no partition column");
      }
      if (values[position] != null) {
        throw malformedName(shown, "'" + key + "' is given twice");
      }
      values[position] = unescaped(shown, part.substring(equals + 1));
    }
    List<String> given = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      if (value == null) {
        throw malformedName(shown, "'" + keys.get(i) + "' is missing");
      }
      given.add(value);
    }
    return check(given);
  }

  private SluiceException malformedName(String shown, String why) {
    return new SluiceException(
        ErrorCode.INVALID_PARTITION,
        "Partition '" + abbreviated(shown) + "': " + why + "; expected " + pattern);
  }

  private static String abbreviated(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN - 3) + "...";
  }

  private static String escaped(String text) {
    int first = 0;
    while (first < text.length() && !mustEscape(text.charAt(first))) {
      first++;
    }
    if (first == text.length()) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 8);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (mustEscape(c)) {
        for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
          escaped
              .append('%')
              .append(Character.toUpperCase(Character.forDigit((b >> 4) & 0xf, 16)))
              .append(Character.toUpperCase(Character.forDigit(b & 0xf, 16)));
        }
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static boolean mustEscape(char c) {
    return c == '/' || c == '=' || c == '%' || Character.isISOControl(c);
  }

  private String unescaped(String shown, String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    byte[] source = text.getBytes(StandardCharsets.UTF_8);
    byte[] target = new byte[source.length];
    int length = 0;
    for (int i = 0; i < source.length; i++) {
      if (source[i] != '%') {
        target[length++] = source[i];
        continue;
      }
      int high = i + 2 < source.length ? Character.digit(source[i + 1], 16) : -1;
      int low = i + 2 < source.length ? Character.digit(source[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw malformedName(shown, "'%' must be followed by two hexadecimal digits");
      }
      target[length++] = (byte) (high << 4 | low);
      i += 2;
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(target, 0, length);
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw malformedName(shown, "the bytes written with '%' are no UTF-8");
    }
  }

  @Override
  public String toString() {
    return pattern;
  }
}

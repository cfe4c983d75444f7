package io.sluice.cli.table;

import io.sluice.cli.options.UsageException;
import io.sluice.client.TableSpec.ColumnSpec;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.DefaultValues;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A column as a person writes it: {@code NAME TYPE [NOT NULL] [DEFAULT VALUE]}, the last two in any
 * order.
 *
 * @param name name of the column, or path of a nested field with dots
 * @param type its type
 * @param required whether it never holds NULL
 * @param defaultValue canonical text of its default, null for none
 */
record ColumnText(String name, DataType type, boolean required, @Nullable String defaultValue) {
  private static final Pattern FORM =
      Pattern.compile(
          "\\s*(\\S+)\\s+(.+?)(\\s+NOT\\s+NULL)?"
              + "(?:\\s+DEFAULT\\s+('(?:[^']++|'')*+'|[^'\\s].*?)(\\s+NOT\\s+NULL)?)?\\s*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  static ColumnText parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException(
          "column '" + text + "' must have the form \"NAME TYPE\", for example \"city STRING\"");
    }
    String name = matcher.group(1);
    DataType type = type(name, matcher.group(2));
    String value = matcher.group(4);
    boolean required = matcher.group(3) != null || matcher.group(5) != null;
    return new ColumnText(name, type, required, value == null ? null : value(name, type, value));
  }

  /** The type of a column; UsageException with its name. */
  static DataType type(String column, String text) {
    try {
      return DataTypeParser.parse(text);
    } catch (SluiceException e) {
      throw new UsageException("column '" + column + "': " + e.getMessage());
    }
  }

  /** The canonical text of a default, which may stand in single quotes; null for NULL. */
  static @Nullable String value(String column, DataType type, String text) {
    String plain = plain(text);
    try {
      return plain == null ? null : DefaultValues.canonical(type, plain);
    } catch (SluiceException e) {
      throw new UsageException("the default of column '" + column + "': " + e.getMessage());
    }
  }

  /** A default without the single quotes that may stand around it; null for NULL. */
  static @Nullable String plain(String text) {
    if (text.equalsIgnoreCase("NULL")) {
      return null;
    }
    boolean quoted = text.length() > 1 && text.startsWith("'") && text.endsWith("'");
    return quoted ? text.substring(1, text.length() - 1).replace("''", "'") : text;
  }

  /** The column to create. */
  ColumnSpec spec() {
    return new ColumnSpec(name, type, !required, "", defaultValue);
  }
}

package io.sluice.cli.table;

import io.sluice.cli.options.UsageException;
import io.sluice.client.TableSpec;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column as a person writes it: {@code NAME TYPE} or {@code NAME TYPE NOT NULL}.
 *
 * @param name name of the column
 * @param type SQL text of its type
 * @param required whether it never holds NULL
 */
record ColumnText(String name, String type, boolean required) {
  private static final Pattern FORM =
      Pattern.compile("\\s*(\\S+)\\s+(.+?)(\\s+NOT\\s+NULL)?\\s*", Pattern.CASE_INSENSITIVE);

  static ColumnText parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException(
          "column '" + text + "' must have the form \"NAME TYPE\", for example \"city STRING\"");
    }
    return new ColumnText(matcher.group(1), matcher.group(2), matcher.group(3) != null);
  }

  void addTo(TableSpec.Builder spec) {
    if (required) {
      spec.requiredColumn(name, type);
    } else {
      spec.column(name, type);
    }
  }
}

package io.sluice.cli.table;

import io.sluice.cli.options.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A word of the form {@code KEY=VALUE}.
 *
 * @param key what stands before the first equals sign
 * @param value what stands behind it, perhaps nothing
 */
record KeyValue(String key, String value) {
  /** A comma behind which another {@code KEY=} begins; every other one belongs to a value. */
  private static final Pattern BETWEEN = Pattern.compile(",(?=\\s*[^,=\\s]+\\s*=)");

  /** Reads it; UsageException naming what it was given for. */
  static KeyValue parse(String of, String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new UsageException(of + " takes KEY=VALUE, not '" + text + "'");
    }
    String value = text.substring(equals + 1);
    // A blank is a value too, as of a delimiter.
    return new KeyValue(text.substring(0, equals).strip(), value.isBlank() ? value : value.strip());
  }

  /** Options, each a word of its own, in their order; UsageException when one is given twice. */
  static Map<String, String> options(String of, List<String> words) {
    Map<String, String> options = new LinkedHashMap<>();
    for (String word : words) {
      KeyValue option = parse(of, word);
      if (options.put(option.key(), option.value()) != null) {
        throw new UsageException("option " + option.key() + " is given twice");
      }
    }
    return options;
  }

  /** Options with commas between them. */
  static Map<String, String> options(String of, String text) {
    return options(of, List.of(BETWEEN.split(text, -1)));
  }
}

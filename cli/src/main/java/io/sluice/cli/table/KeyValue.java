package io.sluice.cli.table;

import io.sluice.cli.options.UsageException;
import java.util.ArrayList;
import java.util.List;

/**
 * A word of the form {@code KEY=VALUE}.
 *
 * @param key what stands before the first equals sign
 * @param value what stands behind it, perhaps nothing
 */
record KeyValue(String key, String value) {
  /** Reads it; UsageException naming what it was given for. */
  static KeyValue parse(String of, String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new UsageException(of + " takes KEY=VALUE, not '" + text + "'");
    }
    return new KeyValue(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
  }

  /** Several of them; a word without an equals sign goes on with the value before it. */
  static List<KeyValue> list(String of, List<String> words) {
    List<KeyValue> found = new ArrayList<>();
    for (String word : words) {
      int last = found.size() - 1;
      if (last >= 0 && word.indexOf('=') < 0) {
        KeyValue before = found.get(last);
        found.set(last, new KeyValue(before.key(), before.value() + "," + word));
      } else {
        found.add(parse(of, word));
      }
    }
    return found;
  }
}

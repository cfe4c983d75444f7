package io.sluice.bench.harness;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line that a client process is given: a verb and {@code name=value} words, separated by
 * blanks, which no value may contain.
 *
 * @param verb what to do
 * @param values its parameters
 */
record Order(String verb, Map<String, String> values) {
  private static final String SETTING = "set.";

  Order {
    values = Map.copyOf(values);
  }

  static Order parse(String line) {
    String[] words = line.trim().split("\\s+");
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("'" + words[i] + "' is not of the form name=value");
      }
      values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return new Order(words[0], values);
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(verb + " needs " + name + "=...");
    }
    return value;
  }

  /** The word, or another one when it is not given. */
  String textOr(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  long number(String name) {
    return Long.parseLong(text(name));
  }

  /** Whether there is such a word. */
  boolean given(String name) {
    return values.containsKey(name);
  }

  /** Whether the word is {@code true}; it is not when it is not given. */
  boolean has(String name) {
    return textOr(name, "").equals("true");
  }

  /** The number, 0 when it is not given. */
  long numberOrZero(String name) {
    return given(name) ? number(name) : 0;
  }

  /** Comma-separated whole numbers. */
  int[] numbers(String name) {
    String[] words = text(name).split(",");
    int[] numbers = new int[words.length];
    for (int i = 0; i < words.length; i++) {
      numbers[i] = Integer.parseInt(words[i]);
    }
    return numbers;
  }

  /** The words {@code set.NAME=VALUE}. */
  Settings settings() {
    return new Settings(new Settings(values).under(SETTING));
  }

  TargetTable table() {
    return new TargetTable(
        text("table"),
        BenchSchema.of(text("schema")),
        text("codec"),
        (int) number("buckets"),
        textOr("changelog", "full").equals("wal"),
        Integer.parseInt(textOr("replicas", "1")));
  }
}

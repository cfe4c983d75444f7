package io.sluice.bench.harness;

import java.util.Map;

/** Writes a flat map of texts and numbers as one line of JSON. */
final class JsonLine {
  private JsonLine() {}

  static String of(Map<String, Object> values) {
    StringBuilder text = new StringBuilder("{");
    values.forEach(
        (name, value) -> {
          text.append(text.length() > 1 ? "," : "");
          quote(text, name);
          text.append(':');
          if (value instanceof Double number && !Double.isFinite(number)) {
            text.append("null");
          } else if (value instanceof Number) {
            text.append(value);
          } else {
            quote(text, value.toString());
          }
        });
    return text.append('}').toString();
  }

  private static void quote(StringBuilder text, String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}

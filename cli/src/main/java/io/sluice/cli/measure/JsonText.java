package io.sluice.cli.measure;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists, text, numbers and booleans as JSON. Numbers that JSON has no form for (NaN,
 * infinities) become null.
 */
public final class JsonText {
  private static final String INDENT = "  ";

  private JsonText() {}

  /** On one line. */
  public static String compact(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    write(text, value, -1);
    return text.toString();
  }

  /** Indented, ending with a line break. */
  public static String pretty(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    write(text, value, 0);
    return text.append('\n').toString();
  }

  /** {@code depth} is -1 for one line. */
  private static void write(StringBuilder text, @Nullable Object value, int depth) {
    if (value instanceof Map<?, ?> map) {
      writeMap(text, map, depth);
    } else if (value instanceof Iterable<?> list) {
      writeList(text, list, depth);
    } else if (value == null || value instanceof Boolean) {
      text.append(value);
    } else if (value instanceof Double || value instanceof Float) {
      writeDouble(text, ((Number) value).doubleValue());
    } else if (value instanceof Number) {
      text.append(value);
    } else {
      quote(text, value.toString());
    }
  }

  private static void writeMap(StringBuilder text, Map<?, ?> map, int depth) {
    text.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      lineBreak(text, depth, 1);
      quote(text, String.valueOf(entry.getKey()));
      text.append(depth < 0 ? ":" : ": ");
      write(text, entry.getValue(), depth < 0 ? -1 : depth + 1);
      if (entries.hasNext()) {
        text.append(',');
      }
    }
    if (!map.isEmpty()) {
      lineBreak(text, depth, 0);
    }
    text.append('}');
  }

  private static void writeList(StringBuilder text, Iterable<?> list, int depth) {
    text.append('[');
    Iterator<?> items = list.iterator();
    boolean any = items.hasNext();
    while (items.hasNext()) {
      lineBreak(text, depth, 1);
      write(text, items.next(), depth < 0 ? -1 : depth + 1);
      if (items.hasNext()) {
        text.append(',');
      }
    }
    if (any) {
      lineBreak(text, depth, 0);
    }
    text.append(']');
  }

  private static void lineBreak(StringBuilder text, int depth, int deeper) {
    if (depth >= 0) {
      text.append('\n').append(INDENT.repeat(depth + deeper));
    }
  }

  private static void writeDouble(StringBuilder text, double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      text.append("null");
    } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      text.append((long) value);
    } else {
      text.append(value);
    }
  }

  private static void quote(StringBuilder text, String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < 0x20) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}

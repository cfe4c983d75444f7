package io.sluice.lake.bitmap;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What SQL does with bitmaps, on texts: bitmaps come and go in Base64, as functions of the engine
 * in Java take and give texts and numbers but no bytes.
 */
public enum BitmapOperation {
  /** A bitmap of numbers: one, or several with commas between, perhaps in brackets. */
  BUILD,
  /** How many numbers are in it. */
  CARDINALITY,
  /** Whether a number is in it. */
  CONTAINS,
  /** Its numbers in order, in brackets. */
  TO_ARRAY,
  AND,
  OR,
  XOR,
  ANDNOT,
  /** The union of all bitmaps of a text with commas between them. */
  OR_AGG,
  /** What is in all bitmaps of a text with commas between them. */
  AND_AGG;

  /** The most numbers that become an array: the engine does not count the memory of one value. */
  public static final int MAX_ARRAY = 100_000;

  private static final char SEPARATOR = ',';

  /** The name of the function of that width. */
  public String function(BitmapWidth width) {
    return width.prefix() + name();
  }

  /** Whether a function on bitmaps has that name, in small or large letters. */
  public static boolean isFunction(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    for (BitmapWidth width : BitmapWidth.values()) {
      for (BitmapOperation operation : values()) {
        if (operation.function(width).equals(upper)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it merges the rows of a group. */
  public boolean aggregates() {
    return this == OR_AGG || this == AND_AGG;
  }

  /**
   * Does it.
   *
   * @param second the other bitmap or the number, when there is one
   * @return the result as text; null for a bitmap of no number at all but NULLs
   * @throws SluiceException INVALID_VALUE naming the function
   */
  public @Nullable String apply(BitmapWidth width, String first, String second) {
    try {
      return switch (this) {
        case BUILD -> build(width, first);
        case CARDINALITY -> Long.toString(read(first, width).cardinality());
        case CONTAINS -> Boolean.toString(contains(read(first, width), second, width));
        case TO_ARRAY -> toArray(read(first, width));
        case AND -> combined(width, first, second, Bitmap::and);
        case OR -> combined(width, first, second, Bitmap::or);
        case XOR -> combined(width, first, second, Bitmap::xor);
        case ANDNOT -> combined(width, first, second, Bitmap::andNot);
        case OR_AGG -> merged(width, first, Bitmap::or);
        case AND_AGG -> merged(width, first, Bitmap::and);
      };
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), function(width) + ": " + e.getMessage(), e);
    }
  }

  private static @Nullable String build(BitmapWidth width, String text) {
    String numbers = text.strip();
    boolean list = numbers.startsWith("[") && numbers.endsWith("]");
    if (list) {
      numbers = numbers.substring(1, numbers.length() - 1);
    }
    long[] found = new long[16];
    int count = 0;
    boolean any = list;
    int at = 0;
    while (at < numbers.length()) {
      int end = numbers.indexOf(SEPARATOR, at);
      end = end < 0 ? numbers.length() : end;
      String number = numbers.substring(at, end).strip();
      if (!number.equals("NULL")) {
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = number(number, width);
        any = true;
      }
      at = end + 1;
    }
    if (!any) {
      return null;
    }
    // In order each number is appended; in no order all behind it would move.
    Arrays.sort(found, 0, count);
    Bitmap bitmap = new Bitmap();
    bitmap.addAll(found, count);
    return write(bitmap, width);
  }

  private static long number(String text, BitmapWidth width) {
    long number;
    try {
      number = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw notANumber(text, width, e);
    }
    if (number < 0 || number > width.largest()) {
      throw notANumber(text, width, null);
    }
    return number;
  }

  private static SluiceException notANumber(
      String text, BitmapWidth width, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "a bitmap has whole numbers from 0 to "
            + width.largest()
            + ", not "
            + (text.length() > 40 ? text.substring(0, 40) + "..." : text)
            + (width == BitmapWidth.NARROW ? "; RB64_BUILD takes larger ones" : ""),
        cause);
  }

  /** A number that no bitmap can have is in none. */
  private static boolean contains(Bitmap bitmap, String text, BitmapWidth width) {
    long number;
    try {
      number = Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw notANumber(text, width, e);
    }
    return number >= 0 && number <= width.largest() && bitmap.contains(number);
  }

  private static String toArray(Bitmap bitmap) {
    long count = bitmap.cardinality();
    if (count > MAX_ARRAY) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          String.format(
              Locale.ROOT,
              "the bitmap has %,d numbers, and an array at most %,d",
              count,
              MAX_ARRAY));
    }
    StringBuilder text = new StringBuilder("[");
    bitmap.forEach(
        number -> {
          if (number < 0) {
            throw new SluiceException(
                ErrorCode.INVALID_VALUE,
                "the bitmap has " + Long.toUnsignedString(number) + ", which no BIGINT can be");
          }
          text.append(text.length() == 1 ? "" : ",").append(number);
        });
    return text.append(']').toString();
  }

  private static String combined(
      BitmapWidth width, String first, String second, BiConsumer<Bitmap, Bitmap> into) {
    Bitmap bitmap = read(first, width);
    into.accept(bitmap, read(second, width));
    return write(bitmap, width);
  }

  /** One after another, so that no more than the result and one of them is in memory. */
  private static String merged(BitmapWidth width, String all, BiConsumer<Bitmap, Bitmap> into) {
    Bitmap result = null;
    int at = 0;
    while (at <= all.length()) {
      int end = all.indexOf(SEPARATOR, at);
      end = end < 0 ? all.length() : end;
      Bitmap next = read(all.substring(at, end), width);
      if (result == null) {
        result = next;
      } else {
        into.accept(result, next);
      }
      at = end + 1;
    }
    return write(result == null ? new Bitmap() : result, width);
  }

  private static Bitmap read(String base64, BitmapWidth width) {
    if (base64.length() > BitmapFormat.MAX_BYTES / 3L * 4 + 4) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "a bitmap has more than "
              + (BitmapFormat.MAX_BYTES >> 20)
              + " MiB, the most that is read");
    }
    return BitmapFormat.read(Base64.getDecoder().decode(base64), width);
  }

  private static String write(Bitmap bitmap, BitmapWidth width) {
    return Base64.getEncoder().encodeToString(BitmapFormat.write(bitmap, width));
  }
}

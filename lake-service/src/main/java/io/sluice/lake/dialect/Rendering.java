package io.sluice.lake.dialect;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A statement in a parser's dialect, which still knows where each character came from. */
public final class Rendering {
  private final String text;
  private final int[] origins;
  private final String source;

  Rendering(String text, int[] origins, String source) {
    this.text = text;
    this.origins = origins;
    this.source = source;
  }

  /** What the parser gets. */
  public String text() {
    return text;
  }

  /**
   * A failure at a place of the rendered text, told in places of the source.
   *
   * @param byteOffset offset in the UTF-8 form of {@link #text}, as DuckDB counts; negative or
   *     beyond the end when it is not known
   */
  public SluiceException failureAtByte(
      ErrorCode code, String message, long byteOffset, @Nullable Throwable cause) {
    return SqlFailures.at(code, message, source, originOfByte(byteOffset), cause);
  }

  /** As {@link #failureAtByte}, for a line and a column in characters, both from 1. */
  public SluiceException failureAt(
      ErrorCode code, String message, int line, int column, @Nullable Throwable cause) {
    int start = 0;
    for (int i = 1; i < line; i++) {
      int end = text.indexOf('\n', start);
      if (end < 0) {
        break;
      }
      start = end + 1;
    }
    return SqlFailures.at(code, message, source, origin(start + column - 1), cause);
  }

  /**
   * The same text with a name blank in some places, each with the dot behind it.
   *
   * @param name a name of letters, which may stand there in quotes
   * @param byteOffsets where it begins, counted as in {@link #failureAtByte}
   */
  public Rendering withoutQualifier(String name, Collection<Long> byteOffsets) {
    StringBuilder blank = new StringBuilder(text);
    for (long byteOffset : byteOffsets) {
      int start = indexOfByte(byteOffset);
      int end = start < 0 ? -1 : text.indexOf('.', start);
      String found = end < 0 ? "" : text.substring(start, end).strip();
      if (!found.equalsIgnoreCase(name) && !found.equalsIgnoreCase('"' + name + '"')) {
        throw new IllegalArgumentException("No '" + name + "' with a dot at byte " + byteOffset);
      }
      for (int i = start; i <= end; i++) {
        blank.setCharAt(i, text.charAt(i) == '\n' ? '\n' : ' ');
      }
    }
    return new Rendering(blank.toString(), origins, source);
  }

  private int originOfByte(long byteOffset) {
    return origin(indexOfByte(byteOffset));
  }

  /** The index of the character at a byte, -1 when there is none. */
  private int indexOfByte(long byteOffset) {
    if (byteOffset < 0) {
      return -1;
    }
    long bytes = 0;
    int index = 0;
    while (index < text.length() && bytes < byteOffset) {
      int point = text.codePointAt(index);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      index += Character.charCount(point);
    }
    return bytes < byteOffset ? -1 : index;
  }

  private int origin(int index) {
    if (index < 0 || index > origins.length) {
      return -1;
    }
    return index < origins.length ? origins[index] : source.length();
  }
}

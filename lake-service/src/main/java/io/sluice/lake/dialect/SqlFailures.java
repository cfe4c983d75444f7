package io.sluice.lake.dialect;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Failures that point into the text of a statement: the message ends with the place, and the
 * details {@link #LINE} and {@link #COLUMN} (both from 1, columns in characters as people count
 * them) give it to programs.
 */
public final class SqlFailures {
  /** Detail with the line. */
  public static final String LINE = "line";

  /** Detail with the column. */
  public static final String COLUMN = "column";

  private SqlFailures() {}

  /** A failure at an index of the source; one without a place when the index lies outside. */
  public static SluiceException at(ErrorCode code, String message, String source, int index) {
    return at(code, message, source, index, null);
  }

  /** As {@link #at(ErrorCode, String, String, int)}, with what caused it. */
  public static SluiceException at(
      ErrorCode code, String message, String source, int index, @Nullable Throwable cause) {
    if (index < 0 || index > source.length()) {
      return new SluiceException(code, message, cause);
    }
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < index; i++) {
      if (source.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return placed(code, message, line, source.codePointCount(lineStart, index) + 1, cause);
  }

  /** A failure whose place is known already. */
  public static SluiceException placed(
      ErrorCode code, String message, int line, int column, @Nullable Throwable cause) {
    return new SluiceException(
        code,
        message + " (line " + line + ", column " + column + ")",
        Map.of(LINE, Integer.toString(line), COLUMN, Integer.toString(column)),
        cause);
  }
}

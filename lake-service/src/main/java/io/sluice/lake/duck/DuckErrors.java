package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.dialect.Rendering;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What DuckDB's failures mean. The engine is told to give them as JSON with a position. */
final class DuckErrors {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final long NO_POSITION = -1;
  private static final Pattern QUALIFIED_COLUMN =
      Pattern.compile("Table \".*\" does not have a column named \"(.*)\"");

  /** A failure of a function on bitmaps; its place would be one in a text of this package. */
  private static final Pattern BITMAP_FUNCTION = Pattern.compile("RB(64)?_[A-Z_]+: .*");

  private final Rendering text;
  private final Collection<String> knownColumns;
  private final DuckSettings settings;

  /**
   * @param knownColumns the columns of all tables of the query, to name the nearest
   */
  DuckErrors(Rendering text, Collection<String> knownColumns, DuckSettings settings) {
    this.text = text;
    this.knownColumns = knownColumns;
    this.settings = settings;
  }

  /**
   * The failure to answer with.
   *
   * @param shift bytes before the query in what was run
   */
  SluiceException translate(SQLException failure, int shift) {
    JsonNode error = parse(failure);
    if (error == null) {
      return new SluiceException(
          ErrorCode.INTERNAL, "The query engine failed: " + firstLine(failure), failure);
    }
    String type = error.path("exception_type").asString("").toLowerCase(Locale.ROOT);
    String message = firstLine(error.path("exception_message").asString(""));
    long position = position(error) - shift;
    if (error.path("error_subtype").asString("").equals("COLUMN_NOT_FOUND")) {
      return missingColumn(error.path("name").asString(""), position, failure);
    }
    Matcher qualified = QUALIFIED_COLUMN.matcher(message);
    if (qualified.matches()) {
      return missingColumn(qualified.group(1), position, failure);
    }
    if (BITMAP_FUNCTION.matcher(message).matches()) {
      return new SluiceException(ErrorCode.INVALID_VALUE, message, failure);
    }
    return switch (type) {
      case "out of memory" -> limit(failure);
      case "interrupt" ->
          new SluiceException(ErrorCode.CANCELLED, "The query was cancelled", failure);
      case "permission" ->
          text.failureAtByte(ErrorCode.PERMISSION_DENIED, message, position, failure);
      case "io" ->
          new SluiceException(
              ErrorCode.STORAGE_ERROR, "Cannot read the lake or spill: " + message, failure);
      case "not implemented" ->
          text.failureAtByte(ErrorCode.UNSUPPORTED, message, position, failure);
      case "conversion", "out of range" ->
          text.failureAtByte(ErrorCode.INVALID_VALUE, message, position, failure);
      case "internal", "fatal" ->
          new SluiceException(ErrorCode.INTERNAL, "The query engine failed: " + message, failure);
      default -> text.failureAtByte(ErrorCode.INVALID_SQL, message, position, failure);
    };
  }

  private SluiceException missingColumn(String name, long position, SQLException failure) {
    return text.failureAtByte(
        ErrorCode.COLUMN_NOT_FOUND,
        "Column '" + name + "' does not exist" + NearestNames.hint(name, knownColumns),
        position,
        failure);
  }

  private SluiceException limit(SQLException failure) {
    return new SluiceException(
        ErrorCode.QUERY_LIMIT_EXCEEDED,
        "The query needs more than it may have: "
            + settings.memoryBytes()
            + " bytes of memory (sluice.sql.memory) and "
            + settings.spillBytes()
            + " bytes on disk (sluice.sql.max-spill). Read fewer rows or columns, or raise them",
        failure);
  }

  private static long position(JsonNode error) {
    String position = error.path("position").asString("");
    try {
      return position.isEmpty() ? NO_POSITION : Long.parseLong(position);
    } catch (NumberFormatException e) {
      return NO_POSITION;
    }
  }

  private static @Nullable JsonNode parse(SQLException failure) {
    String message = String.valueOf(failure.getMessage());
    int start = message.indexOf("{\"exception_type\"");
    if (start < 0) {
      return null;
    }
    try {
      return JSON.readTree(message.substring(start));
    } catch (JacksonException e) {
      return null;
    }
  }

  /** The first line of the message, for failures that nothing more is known of. */
  static String firstLine(SQLException failure) {
    JsonNode error = parse(failure);
    return firstLine(
        error == null
            ? String.valueOf(failure.getMessage())
            : error.path("exception_message").asString(""));
  }

  private static String firstLine(String message) {
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}

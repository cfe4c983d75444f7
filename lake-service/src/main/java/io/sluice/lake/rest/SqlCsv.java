package io.sluice.lake.rest;

import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.sql.SqlResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A result as CSV by RFC 4180: a header, lines ended by CR LF, quotes where needed. NULL is an
 * empty field, an empty text is {@code ""}; nested values are JSON.
 */
final class SqlCsv {
  private static final String END = "\r\n";
  private static final JsonMapper JSON = JsonMapper.shared();

  private SqlCsv() {}

  static String of(SqlResult result) {
    StringBuilder csv = new StringBuilder();
    if (!result.rows()) {
      field(csv, "message");
      csv.append(END);
      field(csv, result.message());
      return csv.append(END).toString();
    }
    String separator = "";
    for (ResultColumn column : result.columns()) {
      csv.append(separator);
      field(csv, column.name());
      separator = ",";
    }
    csv.append(END);
    for (List<@Nullable Object> row : result.values()) {
      separator = "";
      for (Object value : row) {
        csv.append(separator);
        field(csv, value);
        separator = ",";
      }
      csv.append(END);
    }
    return csv.toString();
  }

  private static void field(StringBuilder csv, @Nullable Object value) {
    if (value == null) {
      return;
    }
    String text =
        value instanceof List || value instanceof Map
            ? JSON.writeValueAsString(value)
            : value.toString();
    boolean quoted = text.isEmpty();
    for (int i = 0; i < text.length() && !quoted; i++) {
      char c = text.charAt(i);
      quoted = c == ',' || c == '"' || c == '\r' || c == '\n' || c == ' ' || c == '\t';
    }
    if (quoted) {
      csv.append('"').append(text.replace("\"", "\"\"")).append('"');
    } else {
      csv.append(text);
    }
  }
}

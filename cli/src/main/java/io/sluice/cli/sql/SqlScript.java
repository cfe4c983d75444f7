package io.sluice.cli.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a script into statements at semicolons that stand outside of quotes and comments. Nothing
 * else of SQL is understood here.
 */
public final class SqlScript {
  private final String text;
  private final List<String> statements = new ArrayList<>();
  private int start;
  private boolean blank = true;

  private SqlScript(String text) {
    this.text = text;
  }

  /** The statements in order, each as it was written but for blanks around it. */
  public static List<String> statements(String text) {
    SqlScript script = new SqlScript(text);
    script.cut();
    return List.copyOf(script.statements);
  }

  private void cut() {
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ';') {
        end(at);
        at++;
        start = at;
      } else if (c == '\'' || c == '"' || c == '`') {
        blank = false;
        at = behind(String.valueOf(c), at + 1);
      } else if (text.startsWith("--", at)) {
        at = behind("\n", at);
      } else if (text.startsWith("/*", at)) {
        at = behind("*/", at + 2);
      } else {
        blank &= Character.isWhitespace(c);
        at++;
      }
    }
    end(text.length());
  }

  /** A doubled quote inside of quotes ends one text and begins the next, which is as good. */
  private int behind(String mark, int from) {
    int found = text.indexOf(mark, from);
    return found < 0 ? text.length() : found + mark.length();
  }

  /** Comments alone are no statement. */
  private void end(int end) {
    if (!blank) {
      statements.add(text.substring(start, end).strip());
    }
    blank = true;
  }
}

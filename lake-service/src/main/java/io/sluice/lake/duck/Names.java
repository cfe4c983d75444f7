package io.sluice.lake.duck;

/** Quoting for the text that this package writes itself. */
final class Names {
  /** Schema of what belongs to no user; names of databases cannot begin like this. */
  static final String INTERNAL_SCHEMA = "__sluice";

  private Names() {}

  /** A name in double quotes. */
  static String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** A string in single quotes. */
  static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}

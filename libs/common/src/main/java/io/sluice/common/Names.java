package io.sluice.common;

/**
 * The rules for names. Databases and tables: 1 to 200 characters out of ASCII letters, digits,
 * {@code _} and {@code -}; a leading {@code __} is reserved. Columns: 1 to 255 characters, no
 * control characters; names that clash with system columns are reserved. Writers: 1 to 200
 * printable characters.
 */
public final class Names {
  private static final int MAX_NAME = 200;
  private static final int MAX_COLUMN = 255;
  private static final java.util.Set<String> RESERVED_COLUMNS =
      java.util.Set.of(
          "__offset",
          "__timestamp",
          "__bucket",
          "_offset",
          "_timestamp",
          "_bucket",
          "_change_type",
          "_op",
          "_log_offset",
          "_commit_timestamp");

  private Names() {}

  /** Returns the name, or throws INVALID_NAME. */
  public static String checkDatabase(String name) {
    return check("Database", name);
  }

  /** Returns the name, or throws INVALID_NAME. */
  public static String checkTable(String name) {
    return check("Table", name);
  }

  /** Returns the name, or throws INVALID_NAME. */
  public static String checkColumn(String name) {
    if (name.isBlank() || name.length() > MAX_COLUMN || hasControl(name)) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          "Column name '"
              + abbreviate(name)
              + "' must have 1 to "
              + MAX_COLUMN
              + " characters and no control characters");
    }
    if (RESERVED_COLUMNS.contains(name)) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          "Column name '" + name + "' is reserved for a system column; choose another name");
    }
    return name;
  }

  /** Returns the writer name, or throws INVALID_NAME. */
  public static String checkWriter(String name) {
    if (name.isBlank() || name.length() > MAX_NAME || hasControl(name)) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          "Writer name '"
              + abbreviate(name)
              + "' must have 1 to "
              + MAX_NAME
              + " characters and no control characters");
    }
    return name;
  }

  private static String check(String kind, String name) {
    boolean good = !name.isEmpty() && name.length() <= MAX_NAME;
    for (int i = 0; good && i < name.length(); i++) {
      char c = name.charAt(i);
      good =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '_'
              || c == '-';
    }
    if (!good) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          kind
              + " name '"
              + abbreviate(name)
              + "' must have 1 to "
              + MAX_NAME
              + " characters out of letters, digits, '_' and '-'");
    }
    if (name.startsWith("__")) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          kind + " name '" + name + "' starts with '__', which is reserved for internal use");
    }
    return name;
  }

  private static boolean hasControl(String name) {
    return name.chars().anyMatch(Character::isISOControl);
  }

  private static String abbreviate(String name) {
    return name.length() <= 64 ? name : name.substring(0, 61) + "...";
  }
}

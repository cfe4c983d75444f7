package io.sluice.lake.catalog;

import java.util.Locale;
import java.util.UUID;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.BadRequestException;

/**
 * Which names the catalog takes, and the directories made from them. The store keeps a namespace as
 * its levels joined by dots, so a level with a dot in it would become another namespace.
 */
public final class LakeNames {
  private static final int MAX_LENGTH = 255;
  private static final int READABLE_LENGTH = 48;

  private LakeNames() {}

  /** Refuses a namespace that could not be told from another one, or not be a path. */
  public static void check(Namespace namespace) {
    if (namespace.isEmpty()) {
      throw new BadRequestException("The namespace is empty; it needs at least one level");
    }
    int length = 0;
    for (String level : namespace.levels()) {
      checkPart("Namespace level", level);
      if (level.indexOf('.') >= 0) {
        throw new BadRequestException(
            "Namespace level '%s' has a dot; nest levels instead, or use another character", level);
      }
      length += level.length() + 1;
    }
    if (length > MAX_LENGTH) {
      throw new BadRequestException(
          "Namespace %s is longer than %s characters", namespace, MAX_LENGTH);
    }
  }

  /** Refuses a table name that clients could not address afterwards. */
  public static void check(TableIdentifier table) {
    check(table.namespace());
    checkPart("Table name", table.name());
  }

  private static void checkPart(String what, String name) {
    boolean good =
        !name.isBlank()
            && name.length() <= MAX_LENGTH
            && name.equals(name.strip())
            && !name.equals(".")
            && !name.equals("..");
    for (int i = 0; good && i < name.length(); i++) {
      char c = name.charAt(i);
      good = c != '/' && c != '\\' && !Character.isISOControl(c);
    }
    if (!good) {
      throw new BadRequestException(
          "%s '%s' is not allowed: 1 to %s characters, none of them a slash, a backslash or a"
              + " control character, no blank at its ends",
          what, name, MAX_LENGTH);
    }
  }

  /** A directory name of plain characters that no other table has, also none of Sluice's. */
  static String uniqueDirectory(String name) {
    return plain(name) + "-u" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** The name with everything but plain characters replaced: a path that needs no escaping. */
  public static String plain(String name) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < name.length() && plain.length() < READABLE_LENGTH; i++) {
      char c = name.charAt(i);
      boolean keep = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
      boolean upper = c >= 'A' && c <= 'Z';
      plain.append(keep || upper ? c : '_');
    }
    return plain.toString().toLowerCase(Locale.ROOT);
  }
}

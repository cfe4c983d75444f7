package io.sluice.lake.catalog;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.exceptions.BadRequestException;

/**
 * Locations of the warehouse, {@code file:///directory/...}, and the local paths they mean. A
 * location is taken literally: nothing in it is percent-decoded.
 */
public final class Locations {
  private static final String SCHEME = "file:";

  private static final Pattern MANAGED = Pattern.compile(".+-(\\d{1,18})");

  private final Path root;

  /**
   * @param warehouse its directory
   */
  public Locations(Path warehouse) {
    this.root = warehouse.toAbsolutePath().normalize();
  }

  /** The directory of the warehouse. */
  public Path root() {
    return root;
  }

  /** The location of a path. */
  public static String of(Path path) {
    return SCHEME + "//" + path.toAbsolutePath().normalize();
  }

  /**
   * The path that a location means; BadRequestException when it is not a local one or lies outside
   * of the warehouse.
   */
  public Path path(String location) {
    Path path = parse(location);
    if (!path.startsWith(root)) {
      throw new BadRequestException(
          "Location %s is outside of the warehouse %s", location, of(root));
    }
    return path;
  }

  /**
   * The id of the Sluice table in whose directory that path lies, {@code <database>/<table>-<id>}
   * below the warehouse; 0 when it lies in none.
   */
  public long managedId(Path path) {
    if (!path.startsWith(root)) {
      return 0;
    }
    Path below = root.relativize(path);
    Matcher name = below.getNameCount() < 2 ? null : MANAGED.matcher(below.getName(1).toString());
    return name != null && name.matches() ? Long.parseLong(name.group(1)) : 0;
  }

  /** Whether that is the directory itself of the Sluice table with that id. */
  boolean isManagedRoot(Path directory, long tableId) {
    return managedId(directory) == tableId && root.relativize(directory).getNameCount() == 2;
  }

  private static Path parse(String location) {
    String text = location;
    if (text.startsWith(SCHEME)) {
      text = text.substring(SCHEME.length());
      int slashes = 0;
      while (slashes < text.length() && text.charAt(slashes) == '/') {
        slashes++;
      }
      // file:/a and file:///a are local; file://a/b names a host.
      if (slashes == 2 || slashes > 3) {
        throw new BadRequestException("Location %s names a host; write file:///path", location);
      }
      text = slashes == 0 ? text : text.substring(slashes - 1);
    }
    if (!text.startsWith("/")) {
      throw new BadRequestException(
          "Location %s is not supported; this warehouse takes file:///path", location);
    }
    try {
      return Path.of(text).normalize();
    } catch (InvalidPathException e) {
      throw new BadRequestException(e, "Location %s is not a path", location);
    }
  }
}

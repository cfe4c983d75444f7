package io.sluice.systemtests.architecture;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the source tree begins, from wherever a test is started. */
public final class RepositoryRoot {
  private RepositoryRoot() {}

  /** The nearest directory upwards that holds the launcher and the parent pom. */
  public static Path find() {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isRegularFile(folder.resolve("sluice"))
          && Files.isRegularFile(folder.resolve("pom.xml"))) {
        return folder;
      }
    }
    throw new IllegalStateException("No launcher script and pom.xml above " + start);
  }
}

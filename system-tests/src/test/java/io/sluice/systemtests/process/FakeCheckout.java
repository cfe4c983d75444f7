package io.sluice.systemtests.process;

import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A copy of the launcher with services that do nothing: their Java is a script that writes down
 * what it was given, and then ends at once or stays.
 */
final class FakeCheckout {
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      if [ "$1" = -version ]; then
        printf 'openjdk version "17.0.1"\\n' >&2
        exit 0
      fi
      printf '%s\\n' "$*" >>"$STARTS"
      [ -n "${STAYS:-}" ] || exit 1
      while :; do sleep 0.1; done
      """;

  private final Path root;
  private final Path starts;

  FakeCheckout(Path root) throws IOException {
    this.root = root;
    this.starts = Files.createFile(root.resolve("starts"));
    Path real = RepositoryRoot.find();
    executable(root.resolve("sluice"), Files.readString(real.resolve("sluice")));
    executable(Files.createDirectories(root.resolve("jdk/bin")).resolve("java"), JAVA);
    Files.copy(real.resolve("pom.xml"), root.resolve("pom.xml"));
    Files.createDirectory(root.resolve("tmp"));
    Path scripts = Files.createDirectory(root.resolve("launcher"));
    try (Stream<Path> files = Files.list(real.resolve("launcher"))) {
      for (Path file : files.toList()) {
        Files.copy(file, scripts.resolve(file.getFileName().toString()));
      }
    }
    for (String module : List.of("coordinator-service", "tablet-service")) {
      Path target = root.resolve(module).resolve("target");
      Files.createFile(Files.createDirectories(target.resolve("lib")).resolve("library.jar"));
      Files.createFile(target.resolve(module + "-" + version(real) + ".jar"));
    }
  }

  /** As the launcher itself finds it: the first one behind the name of the parent. */
  private static String version(Path real) throws IOException {
    String pom = Files.readString(real.resolve("pom.xml"));
    String behind = pom.substring(pom.indexOf("<artifactId>sluice-parent</artifactId>"));
    return behind.substring(behind.indexOf("<version>") + 9, behind.indexOf("</version>"));
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    if (!file.toFile().setExecutable(true)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  /** The launcher on a home, with services that stay or end at once, and archives or none. */
  Launcher launcher(Path home, boolean stays, boolean archives) {
    return new Launcher(script(), home, environment(stays, archives));
  }

  Map<String, String> environment(boolean stays, boolean archives) {
    Map<String, String> environment = new HashMap<>();
    environment.put("JAVA_HOME", root.resolve("jdk").toString());
    environment.put("STARTS", starts.toString());
    environment.put("STAYS", stays ? "yes" : "");
    environment.put("TMPDIR", temporary().toString());
    environment.put("SLUICE_CLASS_ARCHIVE", archives ? "on" : "off");
    return environment;
  }

  Path script() {
    return root.resolve("sluice");
  }

  /** Where the launcher puts what it needs for a while. */
  Path temporary() {
    return root.resolve("tmp");
  }

  /** The words of every start of a service so far. */
  List<String> starts() throws IOException {
    return Files.readAllLines(starts);
  }
}

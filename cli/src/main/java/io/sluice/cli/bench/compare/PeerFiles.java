package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars of one product, as the launcher has Maven fetch them: {@code benchmarks/peers/NAME} has
 * its client, {@code NAME-server} its servers.
 */
final class PeerFiles {
  private final Path peers;
  private final String name;

  /**
   * @param repository root of the source tree
   */
  PeerFiles(Path repository, String name) {
    this.peers = repository.resolve("benchmarks/peers");
    this.name = name;
  }

  /** Class path of its client, with the code that drives it. */
  String clientClassPath() {
    Path target = peers.resolve(name).resolve("target");
    return jar(target, "sluice-peer-" + name + "-") + ":" + lib(target) + "/*";
  }

  /** Class path of its servers. */
  String serverClassPath() {
    return lib(peers.resolve(name + "-server").resolve("target")) + "/*";
  }

  /** Version of a jar of the client, from its name. */
  String version(String artifact) {
    String file =
        jar(lib(peers.resolve(name).resolve("target")), artifact + "-").getFileName().toString();
    return file.substring(artifact.length() + 1, file.length() - ".jar".length());
  }

  private Path lib(Path target) {
    Path lib = target.resolve("lib");
    if (!Files.isDirectory(lib)) {
      throw notBuilt(lib);
    }
    return lib;
  }

  private Path jar(Path directory, String prefix) {
    if (!Files.isDirectory(directory)) {
      throw notBuilt(directory);
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> found =
          files
              .filter(file -> file.getFileName().toString().startsWith(prefix))
              .filter(file -> file.getFileName().toString().endsWith(".jar"))
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw notBuilt(directory.resolve(prefix + "*.jar"));
      }
      return found.get(0);
    } catch (IOException e) {
      throw new CliException("Cannot list " + directory + ": " + e.getMessage(), "", e);
    }
  }

  private CliException notBuilt(Path missing) {
    return new CliException(
        "The jars of " + name + " are not there: no " + missing,
        "./sluice bench NAME --with " + name + " has Maven fetch them.");
  }
}

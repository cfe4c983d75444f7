package io.sluice.tablet.log;

import java.nio.file.Path;
import java.util.function.Supplier;

/** Where a log's directory is; it is renamed when the replica is removed. */
final class LogPath implements Supplier<Path> {
  private volatile Path path;

  LogPath(Path path) {
    this.path = path;
  }

  @Override
  public Path get() {
    return path;
  }

  void set(Path renamed) {
    path = renamed;
  }
}

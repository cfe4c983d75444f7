package io.sluice.tablet.log;

import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/**
 * A file that is opened when it is needed, by way of {@link OpenFiles}. Its directory may be
 * renamed. Readers and the writer of a segment use two, as an interrupted reader closes its channel
 * for everyone who shares it.
 */
final class SharedFile {
  private static final OpenOption[] READ = {StandardOpenOption.READ};
  private static final OpenOption[] WRITE = {StandardOpenOption.WRITE};

  private final Supplier<Path> directory;
  private final String name;
  private final OpenOption[] options;

  private SharedFile(Supplier<Path> directory, String name, OpenOption[] options) {
    this.directory = directory;
    this.name = name;
    this.options = options;
  }

  static SharedFile reading(Supplier<Path> directory, String name) {
    return new SharedFile(directory, name, READ);
  }

  static SharedFile writing(Supplier<Path> directory, String name) {
    return new SharedFile(directory, name, WRITE);
  }

  /** Where the file is now. */
  Path path() {
    return directory.get().resolve(name);
  }

  OpenOption[] options() {
    return options;
  }
}

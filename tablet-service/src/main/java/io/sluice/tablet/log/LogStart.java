package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@code log-start} file: where a log begins once its oldest segments were deleted. It is
 * forced before the first of them goes, so that a restart in between finishes the deletion; a log
 * without the file begins at 0. The offset only grows. Used by the thread that forces the log.
 */
final class LogStart {
  static final String NAME = "log-start";
  private static final String MAGIC = "SLUCSTRT";
  private static final int PAYLOAD = 16;

  private final FileOpener files;
  private final Supplier<Path> directory;

  /**
   * What the file holds.
   *
   * @param offset first offset of the log
   * @param lastTimeMs append time of the last batch below it: later ones are not earlier
   */
  record Point(long offset, long lastTimeMs) {}

  LogStart(FileOpener files, Supplier<Path> directory) {
    this.files = files;
    this.directory = directory;
  }

  /** The saved point, null when nothing was deleted yet. CORRUPT_STORAGE when it is damaged. */
  @Nullable Point load() throws IOException {
    ByteBuffer payload = file().read();
    return payload == null ? null : new Point(payload.getLong(), payload.getLong());
  }

  /** Forces the point. */
  void save(Point point) throws IOException {
    ByteBuffer payload = CheckedFile.payload(PAYLOAD);
    payload.putLong(point.offset()).putLong(point.lastTimeMs());
    file().write(payload.flip());
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

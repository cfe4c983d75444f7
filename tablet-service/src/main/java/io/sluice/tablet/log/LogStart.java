package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The {@code log-start} file: where a log begins once its oldest segments were deleted. It is
 * forced before the first of them goes, so that a restart in between finishes the deletion; a log
 * without the file begins at 0. The offset only grows, but when the log starts anew. Used by the
 * thread that forces the log.
 */
final class LogStart {
  static final String NAME = "log-start";
  private static final String MAGIC = "SLUCSTRT";
  private static final int PAYLOAD = 16;
  private static final Point NOTHING_DELETED = new Point(0, 0);

  private final FileOpener files;
  private final Supplier<Path> directory;
  private Point now = NOTHING_DELETED;

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

  /** Reads the file when there is one. CORRUPT_STORAGE when it is damaged. */
  Point load() throws IOException {
    ByteBuffer payload = file().read();
    if (payload != null) {
      now = new Point(payload.getLong(), payload.getLong());
    }
    return now;
  }

  /** The point, as loaded or saved last; zeros while nothing was deleted yet. */
  Point point() {
    return now;
  }

  /** Forces the point. */
  void save(Point point) throws IOException {
    ByteBuffer payload = CheckedFile.payload(PAYLOAD);
    payload.putLong(point.offset()).putLong(point.lastTimeMs());
    file().write(payload.flip());
    now = point;
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

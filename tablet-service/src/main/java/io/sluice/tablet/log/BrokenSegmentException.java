package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.file.Path;

/** A part of a batch was written and could not be cut off: nothing may be appended behind it. */
final class BrokenSegmentException extends IOException {
  private static final long serialVersionUID = 1L;

  BrokenSegmentException(Path file, long position, IOException cause) {
    super(
        "A write to " + file + " failed and the file could not be cut back to position " + position,
        cause);
  }
}

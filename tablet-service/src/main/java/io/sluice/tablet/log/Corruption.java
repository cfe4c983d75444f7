package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.file.Path;
import java.util.Map;

/** Makes the failures that say where stored bytes are damaged. */
final class Corruption {
  private Corruption() {}

  /** CORRUPT_STORAGE naming file, position, expected and found, in the text and as details. */
  static SluiceException at(Path file, long position, String expected, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        "Stored data is damaged: "
            + file
            + " at position "
            + position
            + ": expected "
            + expected
            + ", found "
            + found,
        Map.of(
            "file",
            file.toString(),
            "position",
            Long.toString(position),
            "expected",
            expected,
            "found",
            found),
        null);
  }

  /** The same for damage found by a check. */
  static SluiceException at(Path file, Damage damage) {
    return at(file, damage.position(), damage.expected(), damage.found());
  }

  /** A checksum as messages show it. */
  static String crc(int value) {
    return String.format("crc32c 0x%08x", value);
  }
}

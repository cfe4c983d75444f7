package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What is known of RocksDB's files without opening them. */
final class KvFiles {
  private static final String CURRENT = "CURRENT";
  private static final String TABLE_SUFFIX = ".sst";

  private KvFiles() {}

  /** RocksDB takes a directory without the file CURRENT for a new one and deletes its tables. */
  static void requireCurrent(Path directory) throws IOException {
    if (Files.exists(directory.resolve(CURRENT))) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      if (files.anyMatch(file -> file.toString().endsWith(TABLE_SUFFIX))) {
        throw new SluiceException(
            ErrorCode.CORRUPT_STORAGE,
            "Key-value store " + directory + " holds tables but not its file " + CURRENT);
      }
    }
  }
}

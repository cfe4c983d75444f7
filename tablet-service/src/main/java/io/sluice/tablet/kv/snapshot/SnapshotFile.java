package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * A file of a snapshot as it must be.
 *
 * @param name without a directory
 * @param size in bytes
 * @param crc32c of all its bytes
 */
record SnapshotFile(String name, long size, int crc32c) {
  SnapshotFile {
    if (name.isEmpty() || name.indexOf('/') >= 0 || name.startsWith(".") || size < 0) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "'" + name + "' of " + size + " bytes is no file of a snapshot");
    }
  }
}

package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks the machine. The store of each directory is kept: Java reads the table of all mounts to find
 * it, a store then asks by its path what is true now. Thread-safe.
 */
final class SystemDiskSpace implements DiskSpace {
  private final Map<Path, FileStore> stores = new ConcurrentHashMap<>();

  @Override
  public double usedPart(Path directory) throws IOException {
    FileStore store = stores.get(directory);
    if (store == null) {
      store = Files.getFileStore(directory);
      stores.put(directory, store);
    }
    long total = store.getTotalSpace();
    return total <= 0 ? 0 : 1 - (double) store.getUsableSpace() / total;
  }
}

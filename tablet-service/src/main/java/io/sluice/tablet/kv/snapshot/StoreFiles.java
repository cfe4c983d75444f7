package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories that a store has beside its log while it is not open: the store itself, what is
 * being fetched in its place, and its snapshots. What a method has removed or put in its place is
 * so after a power loss too.
 */
public final class StoreFiles {
  private static final Logger log = LoggerFactory.getLogger(StoreFiles.class);
  private static final String FETCHING_SUFFIX = ".fetching-";
  private static final String DROPPED_SUFFIX = ".dropped";

  private StoreFiles() {}

  /** A directory to take another server's copy in; removed at the next start unless installed. */
  public static Path fetching(Path store, int number) {
    return store.resolveSibling(store.getFileName() + FETCHING_SUFFIX + number);
  }

  /** Removes what an earlier process was fetching or dropping. */
  public static void removeLeftovers(Path store) {
    String fetching = store.getFileName() + FETCHING_SUFFIX;
    String dropped = store.getFileName() + DROPPED_SUFFIX;
    try {
      for (Path path : SnapshotIo.children(store.resolveSibling(""))) {
        String name = path.getFileName().toString();
        if (name.startsWith(fetching) || name.equals(dropped)) {
          log.info("Removes {}, which was left by a process that stopped", path);
          SnapshotIo.deleteTree(path);
        }
      }
    } catch (IOException e) {
      throw failed("remove what was left beside", store, e);
    }
  }

  private static SluiceException failed(String what, Path store, IOException e) {
    return new SluiceException(
        ErrorCode.STORAGE_ERROR, "Cannot " + what + " " + store + ": " + e, e);
  }

  /** Removes a store that is not open. */
  public static void drop(Path store) {
    try {
      dropFiles(store);
    } catch (IOException e) {
      throw failed("drop", store, e);
    }
  }

  private static void dropFiles(Path store) throws IOException {
    Path dropped = store.resolveSibling(store.getFileName() + DROPPED_SUFFIX);
    SnapshotIo.deleteTree(dropped);
    if (Files.exists(store)) {
      // All of it at once: half a store must not be opened.
      Files.move(store, dropped, StandardCopyOption.ATOMIC_MOVE);
      SnapshotIo.forceDirectory(store.resolveSibling(""));
      SnapshotIo.deleteTree(dropped);
    }
  }

  /** Puts files that were taken in in the place of a store that is not open. */
  public static void install(Path fetched, Path store) {
    try {
      dropFiles(store);
      Files.move(fetched, store, StandardCopyOption.ATOMIC_MOVE);
      SnapshotIo.forceDirectory(store.resolveSibling(""));
    } catch (IOException e) {
      throw failed("install " + fetched + " as", store, e);
    }
  }

  /** Removes files that were taken in and are of no use any more. */
  public static void removeFetched(Path fetched) {
    try {
      SnapshotIo.deleteTree(fetched);
    } catch (IOException e) {
      log.warn("{} is left for the next start: {}", fetched, e.toString());
    }
  }

  /**
   * Removes the snapshots of a store above an offset, and those that are not finished; none of them
   * may be being made.
   *
   * @param logDirectory the directory of the bucket's log
   */
  public static void dropSnapshotsAbove(Path logDirectory, long offset) {
    Path directory = logDirectory.resolve(BucketSnapshots.DIRECTORY);
    try {
      boolean some = false;
      for (Path path : SnapshotIo.children(directory)) {
        if (!BucketSnapshots.isNamedByOffset(path)
            || Long.parseLong(path.getFileName().toString()) > offset) {
          SnapshotIo.deleteTree(path);
          some = true;
        }
      }
      if (some) {
        SnapshotIo.forceDirectory(directory);
      }
    } catch (IOException e) {
      throw failed("remove snapshots from", directory, e);
    }
  }
}

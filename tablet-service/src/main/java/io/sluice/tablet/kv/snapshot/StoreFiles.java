package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

  // Of the process: what was dropped before may still be being removed.
  private static final AtomicLong drops = new AtomicLong();

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
        if (name.startsWith(fetching) || name.startsWith(dropped)) {
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

  /**
   * Takes a store that is not open from its place, with its snapshots above an offset and those
   * that are not finished; none of them may be being made. Renames only, however large they are.
   *
   * @return where they are now, for {@link #remove}
   */
  public static List<Path> dropAbove(Path store, long offset) {
    List<Path> dropped = new ArrayList<>();
    Path snapshots = store.resolveSibling(BucketSnapshots.DIRECTORY);
    try {
      if (Files.exists(store)) {
        dropped.add(setAside(store, store));
      }
      for (Path path : SnapshotIo.children(snapshots)) {
        if (!BucketSnapshots.isNamedByOffset(path)
            || Long.parseLong(path.getFileName().toString()) > offset) {
          dropped.add(setAside(path, store));
        }
      }
      if (!dropped.isEmpty()) {
        SnapshotIo.forceDirectory(store.resolveSibling(""));
        if (Files.exists(snapshots)) {
          SnapshotIo.forceDirectory(snapshots);
        }
      }
      return dropped;
    } catch (IOException e) {
      throw failed("drop", store, e);
    }
  }

  /** All of it at once: half a store must not be opened. */
  private static Path setAside(Path directory, Path store) throws IOException {
    Path dropped =
        store.resolveSibling(store.getFileName() + DROPPED_SUFFIX + "-" + drops.incrementAndGet());
    Files.move(directory, dropped, StandardCopyOption.ATOMIC_MOVE);
    return dropped;
  }

  /** Puts files that were taken in in the place of a store that is not open. */
  public static void install(Path fetched, Path store) {
    try {
      Path before = Files.exists(store) ? setAside(store, store) : null;
      Files.move(fetched, store, StandardCopyOption.ATOMIC_MOVE);
      SnapshotIo.forceDirectory(store.resolveSibling(""));
      if (before != null) {
        remove(before);
      }
    } catch (IOException e) {
      throw failed("install " + fetched + " as", store, e);
    }
  }

  /** Removes files that were dropped, or were taken in and are of no use any more. */
  public static void remove(Path files) {
    try {
      SnapshotIo.deleteTree(files);
    } catch (IOException e) {
      log.warn("{} is left for the next start: {}", files, e.toString());
    }
  }
}

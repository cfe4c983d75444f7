package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.KvStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of one bucket's rows, the newest two: a directory each, named by its applied
 * offset, with the tables of the store as hard links and a manifest. One is made under another
 * name, forced, and renamed last, so that a directory with the right name is whole; what a crash
 * leaves under other names is removed at the next start.
 *
 * <p>Hard links share their bytes with the store: a snapshot helps against everything but a byte
 * that goes bad in a table both have, and that its manifest tells.
 *
 * <p>Thread-safe; what takes long holds the lock, the offsets are read without it.
 */
public final class BucketSnapshots implements AutoCloseable {
  /** The directory of the snapshots beside the log. */
  public static final String DIRECTORY = "kv-snapshots";

  /** No snapshot: no offset is below this, none equal. */
  public static final long NONE = -1;

  private static final Logger log = LoggerFactory.getLogger(BucketSnapshots.class);
  private static final int KEPT = 2;
  private static final String MAKING = "making.tmp";
  private static final String SENDING = "sending-";
  private static final String OFFSET_NAME = "[0-9]{20}";
  private static final String TABLE_SUFFIX = ".sst";
  private static final String RESTORING_SUFFIX = ".restoring";
  private static final String DAMAGED_SUFFIX = ".damaged";

  // Of the process: one that is being sent keeps its name when its store is opened anew.
  private static final AtomicLong copies = new AtomicLong();

  private final Path directory;
  private final TableBucket bucket;
  private final SnapshotStats stats;
  // Oldest first.
  private List<Kept> kept = new ArrayList<>();
  private volatile Summary summary = Summary.EMPTY;
  private volatile boolean closed;

  private record Kept(long offset, Path path, SnapshotManifest manifest) {}

  /**
   * What is kept, in one read.
   *
   * @param oldest applied offset of the oldest, {@link #NONE} when there is none
   * @param newest of the newest
   * @param newestMs when the newest was made
   * @param bytes of all their files
   */
  private record Summary(long oldest, long newest, long newestMs, long bytes) {
    static final Summary EMPTY = new Summary(NONE, NONE, 0, 0);
  }

  private BucketSnapshots(Path directory, TableBucket bucket, SnapshotStats stats) {
    this.directory = directory;
    this.bucket = bucket;
    this.stats = stats;
  }

  /**
   * Looks at what is there and removes what is of no use: half-made ones, those without a manifest
   * that can be read, those of other buckets, and those beyond the end of the log, whose records
   * were lost.
   *
   * @param logDirectory the directory of the bucket's log
   * @param logEnd end of the changelog after its own recovery
   */
  public static BucketSnapshots open(
      Path logDirectory, TableBucket bucket, long logEnd, SnapshotStats stats) {
    BucketSnapshots found = new BucketSnapshots(logDirectory.resolve(DIRECTORY), bucket, stats);
    try {
      found.load(logEnd);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot list the snapshots in " + found.directory + ": " + e, e);
    }
    return found;
  }

  private synchronized void load(long logEnd) throws IOException {
    for (Path path : SnapshotIo.children(directory)) {
      String why = "it was not finished";
      if (isNamedByOffset(path)) {
        try {
          SnapshotManifest manifest = manifest(path);
          long offset = manifest.position().appliedOffset();
          if (offset <= logEnd) {
            kept.add(new Kept(offset, path, manifest));
            continue;
          }
          why = "it is at offset " + offset + " but the log ends at " + logEnd;
        } catch (SluiceException e) {
          why = String.valueOf(e.getMessage());
        }
        log.warn("Snapshot {} is not used and removed: {}", path, why);
      }
      SnapshotIo.deleteTree(path);
    }
    summarize();
  }

  static boolean isNamedByOffset(Path path) {
    return path.getFileName().toString().matches(OFFSET_NAME);
  }

  /** The manifest of a snapshot, which must be this bucket's and of the offset in the name. */
  private SnapshotManifest manifest(Path path) throws IOException {
    Path file = path.resolve(SnapshotManifest.NAME);
    if (!Files.exists(file)) {
      throw new SluiceException(ErrorCode.CORRUPT_STORAGE, file + " is not there");
    }
    SnapshotManifest manifest = SnapshotManifest.decode(Files.readAllBytes(file), file);
    if (!manifest.bucket().equals(bucket)
        || !name(manifest.position().appliedOffset()).equals(path.getFileName().toString())) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          file
              + " is of "
              + manifest.bucket()
              + " at offset "
              + manifest.position().appliedOffset()
              + ", which is not its place");
    }
    return manifest;
  }

  private static String name(long offset) {
    return String.format("%020d", offset);
  }

  private void summarize() {
    if (kept.isEmpty()) {
      summary = Summary.EMPTY;
      return;
    }
    Kept newest = kept.get(kept.size() - 1);
    long bytes = 0;
    for (Kept each : kept) {
      bytes += each.manifest().bytes();
    }
    summary =
        new Summary(kept.get(0).offset(), newest.offset(), newest.manifest().createdMs(), bytes);
  }

  /** Applied offset of the oldest snapshot kept, {@link #NONE} when there is none. */
  public long oldestOffset() {
    return summary.oldest();
  }

  /** Applied offset of the newest snapshot, {@link #NONE} when there is none. */
  public long newestOffset() {
    return summary.newest();
  }

  /** When the newest snapshot was made, epoch milliseconds; 0 when there is none. */
  public long newestMs() {
    return summary.newestMs();
  }

  /** Bytes of the files of all snapshots kept; most are the store's own files too. */
  public long bytes() {
    return summary.bytes();
  }

  /**
   * Makes a snapshot of a store when it has changed since the newest one, and removes the oldest.
   * Writers go on meanwhile.
   *
   * @return whether one was made
   * @throws SluiceException when it could not be made; those before it are still there
   */
  public synchronized boolean take(KvStore store, int schemaId, long nowMs) {
    if (closed || store.appliedOffset() == newestOffset()) {
      return false;
    }
    Path making = directory.resolve(MAKING);
    boolean made = false;
    try {
      makeDirectory();
      SnapshotIo.deleteTree(making);
      KvPosition position = store.checkpoint(making);
      made =
          position.appliedOffset() != newestOffset() && finish(making, position, schemaId, nowMs);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot make a snapshot of " + store + ": " + e, e);
    } finally {
      if (!made) {
        removeQuietly(making);
      }
    }
    if (made) {
      stats.countTaken();
      removeOld();
      removeQuietly(
          store.directory().resolveSibling(store.directory().getFileName() + DAMAGED_SUFFIX));
    }
    return made;
  }

  /** Never the directories above: those of a removed bucket must not come back. */
  private void makeDirectory() throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectory(directory);
      SnapshotIo.forceDirectory(directory.resolveSibling(""));
    }
  }

  /**
   * Makes a copy of a store to be sent to another server. Writers go on meanwhile; only tables that
   * the newest snapshot has not are read.
   *
   * @throws SluiceException UNAVAILABLE when the store closes
   */
  public synchronized SnapshotCopy copy(KvStore store, int schemaId, long nowMs) {
    if (closed) {
      throw closing(store);
    }
    // Under a name that is removed at the next start.
    Path sending = directory.resolve(SENDING + copies.incrementAndGet() + ".tmp");
    SnapshotCopy made = null;
    try {
      makeDirectory();
      SnapshotIo.deleteTree(sending);
      KvPosition position = store.checkpoint(sending);
      List<SnapshotFile> files = describe(sending);
      if (files == null) {
        throw closing(store);
      }
      made =
          new SnapshotCopy(sending, new SnapshotManifest(bucket, schemaId, position, nowMs, files));
      return made;
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot make a copy of " + store + ": " + e, e);
    } finally {
      if (made == null) {
        removeQuietly(sending);
      }
    }
  }

  private static SluiceException closing(KvStore store) {
    return new SluiceException(ErrorCode.UNAVAILABLE, store + " closes; no copy is made");
  }

  private boolean finish(Path making, KvPosition position, int schemaId, long nowMs)
      throws IOException {
    List<SnapshotFile> files = describe(making);
    if (files == null) {
      return false;
    }
    SnapshotManifest manifest = new SnapshotManifest(bucket, schemaId, position, nowMs, files);
    SnapshotIo.write(making.resolve(SnapshotManifest.NAME), manifest.encode());
    SnapshotIo.forceDirectory(making);
    Path path = directory.resolve(name(position.appliedOffset()));
    Files.move(making, path, StandardCopyOption.ATOMIC_MOVE);
    SnapshotIo.forceDirectory(directory);
    kept.add(new Kept(position.appliedOffset(), path, manifest));
    summarize();
    return true;
  }

  /** Sizes and checksums; null when closing came in between. */
  private @Nullable List<SnapshotFile> describe(Path making) throws IOException {
    List<SnapshotFile> files = new ArrayList<>();
    Map<String, SnapshotFile> known = newestFiles();
    for (Path file : SnapshotIo.children(making)) {
      String name = file.getFileName().toString();
      if (name.startsWith("LOG") || name.equals("LOCK")) {
        // Of the look at the copy.
        Files.delete(file);
        continue;
      }
      SnapshotFile before = known.get(name);
      if (before != null && isSame(file, before)) {
        files.add(before);
        continue;
      }
      if (!name.endsWith(TABLE_SUFFIX)) {
        SnapshotIo.force(file);
      }
      Integer crc = SnapshotIo.crc32c(file, () -> closed);
      if (crc == null) {
        return null;
      }
      files.add(new SnapshotFile(name, Files.size(file), crc));
    }
    return files;
  }

  private Map<String, SnapshotFile> newestFiles() {
    Map<String, SnapshotFile> files = new HashMap<>();
    if (!kept.isEmpty()) {
      for (SnapshotFile file : kept.get(kept.size() - 1).manifest().files()) {
        if (file.name().endsWith(TABLE_SUFFIX)) {
          files.put(file.name(), file);
        }
      }
    }
    return files;
  }

  /** Whether the file is a link to the one that the newest snapshot has: tables never change. */
  private boolean isSame(Path file, SnapshotFile before) throws IOException {
    Path other = kept.get(kept.size() - 1).path().resolve(before.name());
    return Files.exists(other)
        && Files.size(file) == before.size()
        && Files.isSameFile(file, other);
  }

  private void removeOld() {
    List<Kept> left = new ArrayList<>(kept);
    while (left.size() > KEPT) {
      Kept oldest = left.remove(0);
      removeQuietly(oldest.path());
    }
    kept = left;
    summarize();
  }

  private static void removeQuietly(Path path) {
    try {
      SnapshotIo.deleteTree(path);
    } catch (IOException e) {
      log.warn("{} is left for the next start: {}", path, e.toString());
    }
  }

  /**
   * Puts the newest snapshot that matches its manifest in the place of a store that is not open.
   * The damaged files are kept beside it until the next snapshot is made. Snapshots that do not
   * match are removed.
   *
   * @param store directory of the store
   * @param logStart a snapshot before it would lack changes that are not in the log any more
   * @param logEnd a snapshot behind it has changes that the log has lost
   * @return the position of the restored store, null when there is no such snapshot
   */
  public synchronized @Nullable KvPosition restore(Path store, long logStart, long logEnd) {
    try {
      while (!kept.isEmpty()) {
        Kept newest = kept.get(kept.size() - 1);
        String why =
            newest.offset() < logStart || newest.offset() > logEnd
                ? "the log has the offsets " + logStart + " to " + logEnd
                : mismatch(newest);
        if (why == null) {
          replace(store, newest);
          return newest.manifest().position();
        }
        log.warn("Snapshot {} is not used and removed: {}", newest.path(), why);
        kept.remove(kept.size() - 1);
        summarize();
        removeQuietly(newest.path());
      }
      return null;
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot restore " + store + " from a snapshot: " + e, e);
    }
  }

  /** Removes the files of a store that is to be built anew from all of the changelog. */
  public synchronized void setAside(Path store) {
    try {
      moveAside(store);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot set the damaged " + store + " aside: " + e, e);
    }
  }

  /** What does not match the manifest, null when all does. */
  private static @Nullable String mismatch(Kept snapshot) throws IOException {
    List<SnapshotFile> files = snapshot.manifest().files();
    List<String> names = new ArrayList<>();
    for (SnapshotFile file : files) {
      Path path = snapshot.path().resolve(file.name());
      names.add(file.name());
      if (!Files.exists(path)) {
        return path + " is not there";
      }
      if (Files.size(path) != file.size()) {
        return path + " has " + Files.size(path) + " bytes instead of " + file.size();
      }
      int crc = Objects.requireNonNull(SnapshotIo.crc32c(path, () -> false));
      if (crc != file.crc32c()) {
        return path + " has another checksum than its manifest";
      }
    }
    for (Path path : SnapshotIo.children(snapshot.path())) {
      String name = path.getFileName().toString();
      if (!name.equals(SnapshotManifest.NAME) && !names.contains(name)) {
        return path + " is not in its manifest";
      }
    }
    return null;
  }

  private static void replace(Path store, Kept snapshot) throws IOException {
    Path restoring = store.resolveSibling(store.getFileName() + RESTORING_SUFFIX);
    SnapshotIo.deleteTree(restoring);
    Files.createDirectory(restoring);
    for (SnapshotFile file : snapshot.manifest().files()) {
      Path from = snapshot.path().resolve(file.name());
      Path to = restoring.resolve(file.name());
      if (file.name().endsWith(TABLE_SUFFIX)) {
        SnapshotIo.link(from, to);
      } else {
        // RocksDB may write to these.
        SnapshotIo.copy(from, to);
      }
    }
    SnapshotIo.forceDirectory(restoring);
    moveAside(store);
    Files.move(restoring, store, StandardCopyOption.ATOMIC_MOVE);
    SnapshotIo.forceDirectory(store.resolveSibling(""));
  }

  private static void moveAside(Path store) throws IOException {
    Path damaged = store.resolveSibling(store.getFileName() + DAMAGED_SUFFIX);
    SnapshotIo.deleteTree(damaged);
    if (Files.exists(store)) {
      Files.move(store, damaged, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Makes no more snapshots; waits for one that is being made, which ends early. */
  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      // Whoever makes one has had the lock until now.
      summary = Summary.EMPTY;
    }
  }
}

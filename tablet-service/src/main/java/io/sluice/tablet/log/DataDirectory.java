package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tablet's data directory: which replicas it holds, the server and the cluster it belongs to, the
 * recovery points, what is committed and the mark of an orderly stop. Locked against a second
 * process. Not thread-safe but for recovery points, committed offsets, {@link #forget} and {@link
 * #delete}, which other threads may call.
 */
public final class DataDirectory implements AutoCloseable {
  /** Ends the name of a replica directory that is being deleted. */
  private static final String DELETED = ".deleted";

  private static final Pattern REPLICA_NAME =
      Pattern.compile("([0-9]{1,18})-([0-9]{1,9})(\\.[0-9]+\\.deleted)?");

  private static final Logger log = LoggerFactory.getLogger(DataDirectory.class);

  private final StoragePlatform platform;
  private final Path root;
  private final FileChannel lockFile;
  private final boolean stoppedCleanly;
  private final BucketOffsets recoveryPoints;
  private final BucketOffsets committed;
  // Logs that were cut since this was opened tell themselves what is forced: see lower.
  private final Map<TableBucket, LongSupplier> forced = new HashMap<>();
  private final AtomicLong deletions = new AtomicLong();
  private String clusterId = "";
  private long savedIndex;

  private DataDirectory(StoragePlatform platform, Path root, int serverId, FileChannel lockFile)
      throws IOException {
    this.platform = platform;
    this.root = root;
    this.lockFile = lockFile;
    // First: a start that is refused takes nothing, not even the mark of the orderly stop.
    DirectoryOwner.claim(platform.files(), root, serverId);
    loadCluster();
    this.recoveryPoints =
        new BucketOffsets(platform.files(), root.resolve("recovery-points"), "SLUCRECO");
    this.committed = new BucketOffsets(platform.files(), root.resolve("committed"), "SLUCCOMM");
    recoveryPoints.load("Logs are checked from their last index on");
    committed.load("What is committed is learnt from the leaders");
    this.stoppedCleanly = takeCleanStop();
    deletions.set(platform.time().epochMs());
  }

  /**
   * Opens or creates the directory of a server.
   *
   * @throws SluiceException UNAVAILABLE when another process has it open, INVALID_ARGUMENT when it
   *     is another server's
   */
  public static DataDirectory open(StoragePlatform platform, Path root, int serverId) {
    try {
      Files.createDirectories(root);
      FileChannel lockFile = lock(root);
      boolean opened = false;
      try {
        DataDirectory directory = new DataDirectory(platform, root, serverId, lockFile);
        opened = true;
        return directory;
      } finally {
        if (!opened) {
          lockFile.close();
        }
      }
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot open data directory " + root, e);
    }
  }

  private static FileChannel lock(Path root) throws IOException {
    FileChannel channel =
        FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock held = null;
    try {
      held = channel.tryLock();
    } catch (OverlappingFileLockException heldHere) {
      log.debug("Data directory {} is open in this process", root, heldHere);
    }
    if (held == null) {
      channel.close();
      throw new SluiceException(
          ErrorCode.UNAVAILABLE,
          "Data directory " + root + " is in use by another tablet; stop it or use another one");
    }
    return channel;
  }

  private CheckedFile clusterFile() {
    return new CheckedFile(platform.files(), root.resolve("cluster"), "SLUCCLUS");
  }

  private CheckedFile cleanFile() {
    return new CheckedFile(platform.files(), root.resolve("clean-stop"), "SLUCSTOP");
  }

  private void loadCluster() throws IOException {
    ByteBuffer payload = clusterFile().read();
    if (payload != null) {
      savedIndex = payload.getLong();
      byte[] id = new byte[payload.getInt()];
      payload.get(id);
      clusterId = new String(id, StandardCharsets.UTF_8);
    }
  }

  private boolean takeCleanStop() throws IOException {
    boolean clean;
    try {
      clean = cleanFile().read() != null || clusterId.isEmpty();
    } catch (SluiceException damaged) {
      log.warn("The last stop counts as a crash: {}", damaged.getMessage());
      clean = false;
    }
    if (Files.deleteIfExists(root.resolve("clean-stop"))) {
      DurableFiles.forceDirectory(platform.files(), root);
    }
    return clean;
  }

  /** The replicas whose directories are here. Leftovers of deletions are removed. */
  public Set<TableBucket> scan() {
    Set<TableBucket> found = new TreeSet<>();
    try {
      for (Path table : children(root)) {
        if (table.getFileName().toString().matches("[0-9]{1,18}")) {
          scanTable(table, found);
        }
      }
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot list data directory " + root, e);
    }
    return found;
  }

  private void scanTable(Path table, Set<TableBucket> found) throws IOException {
    long tableId = Long.parseLong(table.getFileName().toString());
    for (Path replica : children(table)) {
      String name = replica.getFileName().toString();
      Matcher parts = REPLICA_NAME.matcher(name);
      if (!parts.matches()) {
        log.warn("{} is not a replica's directory and is left alone", replica);
        continue;
      }
      TableBucket bucket =
          new TableBucket(
              tableId, Long.parseLong(parts.group(1)), Integer.parseInt(parts.group(2)));
      if (name.endsWith(DELETED)) {
        discard(bucket, replica);
      } else if (isWhole(replica) || recoveryPoint(bucket) > 0) {
        found.add(bucket);
      } else {
        DurableFiles.deleteTree(replica);
      }
    }
    if (children(table).isEmpty()) {
      Files.deleteIfExists(table);
    }
  }

  /**
   * Forgets first: a recovery point without a directory looks like a lost log. When there is no
   * space for that the directory goes first and makes some.
   */
  private void discard(TableBucket bucket, Path replica) throws IOException {
    boolean forgotten = forgetIfSpace(bucket);
    DurableFiles.deleteTree(replica);
    if (!forgotten) {
      forgetIfSpace(bucket);
    }
  }

  private boolean forgetIfSpace(TableBucket bucket) {
    try {
      forget(Set.of(bucket));
      return true;
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FULL) {
        throw e;
      }
      log.warn("That {} is gone is not saved yet: {}", bucket, e.getMessage());
      return false;
    }
  }

  /** False for a directory whose creation a crash cut short: it has no file of the log yet. */
  private static boolean isWhole(Path replica) throws IOException {
    if (Files.exists(replica.resolve(ReplicaMeta.NAME))) {
      return true;
    }
    return children(replica).stream()
        .anyMatch(file -> file.getFileName().toString().endsWith(LogSegment.LOG_SUFFIX));
  }

  private static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  /** Where the replica of a bucket lives. */
  public Path path(TableBucket bucket) {
    return root.resolve(Long.toString(bucket.tableId()))
        .resolve(bucket.partitionId() + "-" + bucket.bucket());
  }

  /** Opens the log of a replica that is here; recovers it after a crash. */
  public BucketLog openLog(LogContext context, TableBucket bucket) {
    Path directory = path(bucket);
    try {
      ReplicaMeta.check(platform.files(), directory, clusterId, bucket);
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot read the description of " + bucket, e);
    }
    return open(context, directory, bucket);
  }

  /**
   * Makes the directory of a new replica and its empty log, forced. CORRUPT_STORAGE when the
   * replica was here before and its directory has vanished: its data must not be replaced silently.
   * DISK_FULL when that an earlier one was forgotten cannot be saved: the new log would begin below
   * the recovery point of the old one.
   */
  public BucketLog createLog(LogContext context, TableBucket bucket, String tableName) {
    Path directory = path(bucket);
    if (recoveryPoint(bucket) > 0) {
      throw Corruption.at(
          directory, 0, "the log up to offset " + recoveryPoint(bucket), "no directory");
    }
    try {
      synchronized (this) {
        saveForgotten();
        Files.createDirectories(directory);
      }
      new ReplicaMeta(clusterId, bucket, platform.time().epochMs(), tableName)
          .save(platform.files(), directory);
      DurableFiles.forceDirectory(platform.files(), directory.resolveSibling(""));
      DurableFiles.forceDirectory(platform.files(), root);
    } catch (IOException e) {
      throw BucketLog.failure("Cannot create " + directory, e);
    }
    return open(context, directory, bucket);
  }

  private void saveForgotten() {
    try {
      recoveryPoints.saveForgotten();
    } catch (IOException e) {
      throw BucketLog.failure("Cannot save the recovery points in " + root, e);
    }
  }

  private BucketLog open(LogContext context, Path directory, TableBucket bucket) {
    synchronized (this) {
      forced.remove(bucket);
    }
    RecoveryPoints points = (offset, forcedNow) -> lower(bucket, offset, forcedNow);
    return BucketLog.open(context, directory, bucket, recoveryPoint(bucket), points);
  }

  /** A free name beside the replica's directory, for one that is being deleted. */
  public Path deletedPath(TableBucket bucket) {
    Path live = path(bucket);
    return live.resolveSibling(live.getFileName() + "." + deletions.incrementAndGet() + DELETED);
  }

  /** Renames the directory of a replica whose log is not open. */
  public Path retire(TableBucket bucket) {
    Path target = deletedPath(bucket);
    try {
      Files.move(path(bucket), target);
      DurableFiles.forceDirectory(platform.files(), target.resolveSibling(""));
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot rename the directory of " + bucket, e);
    }
    return target;
  }

  /** Removes a renamed directory and all in it, with the table's when that was its last one. */
  public void delete(Path retired) {
    try {
      DurableFiles.deleteTree(retired);
      synchronized (this) {
        Path table = retired.resolveSibling("");
        if (Files.isDirectory(table) && children(table).isEmpty()) {
          Files.deleteIfExists(table);
        }
      }
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot delete " + retired, e);
    }
  }

  /** Offset below which a replica's log was forced, 0 when that is not known. */
  public synchronized long recoveryPoint(TableBucket bucket) {
    return recoveryPoints.get(bucket);
  }

  /**
   * Forces new recovery points; those of buckets not named stay as they are, so that an offline
   * replica keeps its own.
   *
   * @param points asked while nobody can {@link #forget} a bucket: what is forgotten later goes
   *     again, and what was forgotten before is not named
   */
  public synchronized void saveRecoveryPoints(Supplier<Map<TableBucket, Long>> points) {
    saveRecoveryPoints(points.get());
  }

  /**
   * Forces that buckets are no longer here. Who removes them has told those who would save their
   * points before.
   *
   * @throws SluiceException DISK_FULL or STORAGE_ERROR when that is not saved: then they are
   *     forgotten all the same, and whatever saves recovery points next saves that too
   */
  public synchronized void forget(Set<TableBucket> gone) {
    recoveryPoints.forget(gone);
    forced.keySet().removeAll(gone);
    committed.forget(gone);
    saveRecoveryPoints(Map.of());
  }

  private void saveRecoveryPoints(Map<TableBucket, Long> points) {
    Map<TableBucket, Long> changed = recoveryPoints.copy();
    changed.putAll(points);
    // A point that was asked for before a log was cut must not be saved after that.
    forced.forEach(
        (bucket, now) ->
            changed.computeIfPresent(bucket, (any, point) -> Math.min(point, now.getAsLong())));
    savePoints(changed);
  }

  private void savePoints(Map<TableBucket, Long> changed) {
    try {
      recoveryPoints.save(changed);
    } catch (IOException e) {
      throw BucketLog.failure("Cannot save the recovery points in " + root, e);
    }
  }

  /** See {@link RecoveryPoints#lower}. */
  private synchronized void lower(TableBucket bucket, long offset, LongSupplier forcedNow) {
    forced.put(bucket, forcedNow);
    if (recoveryPoints.get(bucket) > offset) {
      Map<TableBucket, Long> changed = recoveryPoints.copy();
      changed.put(bucket, offset);
      savePoints(changed);
    }
  }

  /**
   * What was committed of a replica's log when that was saved last, 0 when it never was. The log
   * may end below it, and nothing is ever cut because of it.
   */
  public synchronized long committed(TableBucket bucket) {
    return committed.get(bucket);
  }

  /**
   * Forces what is committed; buckets not named stay as they are, but for those that are gone.
   *
   * @param offsets asked as those of {@link #saveRecoveryPoints} are
   */
  public synchronized void saveCommitted(Supplier<Map<TableBucket, Long>> offsets) {
    Map<TableBucket, Long> changed = committed.copy();
    changed.putAll(offsets.get());
    try {
      committed.save(changed);
    } catch (IOException e) {
      throw BucketLog.failure("Cannot save what is committed in " + root, e);
    }
  }

  /** Forces the cluster this directory belongs to and the metadata index it has seen. */
  public void saveCluster(String id, long index) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    ByteBuffer payload = CheckedFile.payload(12 + bytes.length);
    payload.putLong(index).putInt(bytes.length).put(bytes);
    try {
      clusterFile().write(payload.flip());
    } catch (IOException e) {
      throw BucketLog.failure("Cannot save the cluster id in " + root, e);
    }
    clusterId = id;
    savedIndex = index;
  }

  /** Says that everything is forced and closed; the last thing an orderly stop does. */
  public void markCleanStop() {
    ByteBuffer payload = CheckedFile.payload(8).putLong(platform.time().epochMs()).flip();
    try {
      cleanFile().write(payload);
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot mark the orderly stop in " + root, e);
    }
  }

  /** The directory itself. */
  public Path root() {
    return root;
  }

  /** The cluster this directory belongs to, empty before the first image. */
  public String clusterId() {
    return clusterId;
  }

  /** The metadata index saved last: no directory here is of a later one. */
  public long savedIndex() {
    return savedIndex;
  }

  /** Whether the last process stopped in order; true for a new directory. */
  public boolean stoppedCleanly() {
    return stoppedCleanly;
  }

  /** Lets another process open the directory. */
  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw BucketLog.storageError("Cannot unlock " + root, e);
    }
  }
}

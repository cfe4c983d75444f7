package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of one bucket in RocksDB, at the fold of the changelog below an applied offset. Nothing
 * is logged on writing: what is not flushed when the process dies comes again from the changelog.
 *
 * <p>Thread-safe, but one thread applies. {@link #close} waits for calls that run, ends the open
 * scans and lets nobody in any more: later calls get UNAVAILABLE, never a freed handle.
 *
 * <p>Damage of the files that is found after the opening is told to {@link KvLog#damaged} once; the
 * call that found it fails in a way that may be tried again, as the owner will put a restored store
 * in this one's place.
 */
public final class KvStore implements AutoCloseable {
  /** Says that a row may exist but is not in memory; compared by identity, never a row. */
  public static final byte[] NOT_IN_MEMORY = {};

  private static final Logger log = LoggerFactory.getLogger(KvStore.class);
  private static final String MEMTABLE_BYTES = "rocksdb.cur-size-all-mem-tables";

  private final KvResources resources;
  private final TableBucket bucket;
  private final Path directory;
  private final CallGate gate;
  private final Options options;
  private final KvLog changelog;
  private final FlushListener listener;
  private final RocksDB db;
  private final CachedRows rows;
  private final Set<KvScan> scans = ConcurrentHashMap.newKeySet();
  private final Object closing = new Object();
  private final AtomicBoolean damageTold = new AtomicBoolean();
  private volatile KvPosition position = KvPosition.START;
  // Known to be in files; the real one may be above.
  private volatile long flushedOffset;

  private KvStore(
      KvResources resources,
      TableBucket bucket,
      Path directory,
      KvLog changelog,
      Options options,
      FlushListener listener,
      RocksDB db) {
    this.resources = resources;
    this.bucket = bucket;
    this.directory = directory;
    this.changelog = changelog;
    this.options = options;
    this.listener = listener;
    this.db = db;
    this.rows = new CachedRows(resources.rows());
    this.gate = new CallGate(toString());
  }

  /**
   * Opens the store in a directory, or makes an empty one there.
   *
   * @param changelog what the rows are the fold of
   * @throws SluiceException CORRUPT_STORAGE when it is damaged or another bucket's
   */
  public static KvStore open(
      KvResources resources, TableBucket bucket, Path directory, KvLog changelog) {
    FlushListener listener = new FlushListener(changelog);
    Options options = resources.storeOptions().setListeners(List.of(listener));
    RocksDB db = null;
    try {
      Files.createDirectories(directory);
      KvFiles.requireCurrent(directory);
      db = RocksDB.open(options, directory.toString());
      KvStore store = new KvStore(resources, bucket, directory, changelog, options, listener, db);
      store.recover();
      resources.opened(store);
      return store;
    } catch (IOException e) {
      closeAll(db, options, listener);
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot create the directory " + directory + ": " + e, e);
    } catch (RocksDBException e) {
      closeAll(db, options, listener);
      throw KvErrors.openFailed("key-value store " + directory, e);
    } catch (RuntimeException | Error e) {
      closeAll(db, options, listener);
      throw e;
    }
  }

  /** Deletes the files of a store that is not open. */
  public static void delete(KvResources resources, Path directory) {
    try (Options options = resources.storeOptions()) {
      RocksDB.destroyDB(directory.toString(), options);
    } catch (RocksDBException e) {
      throw KvErrors.failed("Deletion of", "key-value store " + directory, e);
    }
  }

  private static void closeAll(@Nullable RocksDB db, Options options, FlushListener listener) {
    if (db != null) {
      db.close();
    }
    options.close();
    listener.close();
  }

  private void recover() throws RocksDBException {
    byte[] identity = db.get(KvMeta.identityKey());
    if (identity == null) {
      initialize();
    } else {
      KvMeta.checkIdentity(identity, bucket, toString());
      position = KvMeta.decodePosition(db.get(KvMeta.positionKey()), toString());
      flushedOffset = position.appliedOffset();
    }
  }

  /** Also after a crash between the creation of the files and the first flush. */
  private void initialize() throws RocksDBException {
    try (RocksIterator any = db.newIterator()) {
      any.seekToFirst();
      if (any.isValid()) {
        throw new SluiceException(
            ErrorCode.CORRUPT_STORAGE, this + " holds data but not whose it is");
      }
    }
    // Not flushed: it is in the memtable of the first change and gets to files with it.
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(KvMeta.identityKey(), KvMeta.encodeIdentity(bucket));
      batch.put(KvMeta.positionKey(), KvMeta.encodePosition(position));
      db.write(resources.writes(), batch);
    }
  }

  /** Whose rows these are. */
  public TableBucket bucket() {
    return bucket;
  }

  /** Where the files are. */
  public Path directory() {
    return directory;
  }

  /** Applied offset and number of rows; they belong together. */
  public KvPosition position() {
    return position;
  }

  /** End of the changelog records that reads see. */
  public long appliedOffset() {
    return position.appliedOffset();
  }

  /** Number of rows. */
  public long count() {
    return position.rowCount();
  }

  /** The applied offset that a kill of the process would leave; never above the real one. */
  public long flushedAppliedOffset() {
    gate.enter();
    try {
      long known = flushedOffset;
      if (known == position.appliedOffset()) {
        return known;
      }
      byte[] value = db.get(resources.persistedReads(), KvMeta.positionKey());
      // A store that was never flushed has none in files.
      long flushed =
          value == null ? known : KvMeta.decodePosition(value, toString()).appliedOffset();
      flushedOffset = flushed;
      return flushed;
    } catch (RocksDBException e) {
      throw failed("Read of the flushed position of", e);
    } finally {
      gate.exit();
    }
  }

  /** Bytes of the changelog that the store is the fold of. */
  long changelogBytes() {
    return changelog.sizeBytes();
  }

  /** The encoded value of a row, null when there is none. */
  public byte @Nullable [] get(byte[] key) {
    gate.enter();
    try {
      byte[] kept = rows.get(key);
      if (kept != null) {
        return kept;
      }
      long time = rows.now();
      byte[] value = db.get(resources.pointReads(), key);
      rows.add(time, key, value);
      return value;
    } catch (RocksDBException e) {
      throw failed("Read of a key of", e);
    } finally {
      gate.exit();
    }
  }

  /**
   * As {@link #get}, without reading a file: {@link #NOT_IN_MEMORY} itself when that would be
   * needed. Does not block.
   */
  public byte @Nullable [] getFromMemory(byte[] key) {
    gate.enter();
    try {
      byte[] kept = rows.get(key);
      if (kept != null) {
        return kept;
      }
      long time = rows.now();
      byte[] value = db.get(resources.memoryReads(), key);
      rows.add(time, key, value);
      return value;
    } catch (RocksDBException e) {
      if (KvErrors.isNotInMemory(e)) {
        return NOT_IN_MEMORY;
      }
      throw failed("Read of a key of", e);
    } finally {
      gate.exit();
    }
  }

  /** The encoded values of rows at one moment, in the order of the keys, null for no row. */
  public List<byte @Nullable []> multiGet(List<byte[]> keys) {
    if (keys.isEmpty()) {
      return List.of();
    }
    gate.enter();
    try {
      long time = rows.now();
      byte[][] values = new byte[keys.size()][];
      List<byte[]> missing = rows.get(keys, values);
      if (!missing.isEmpty()) {
        fill(time, missing, values);
      }
      // Some were read before a write and others after it, or may have been.
      return missing.size() == keys.size() || rows.isOneMoment(time)
          ? Arrays.asList(values)
          : db.multiGetAsList(resources.pointReads(), keys);
    } catch (RocksDBException e) {
      throw failed("Read of " + keys.size() + " keys of", e);
    } finally {
      gate.exit();
    }
  }

  /** The rows that were read lately. */
  CachedRows kept() {
    return rows;
  }

  /** Reads the rows whose values are not there yet. */
  private void fill(long time, List<byte[]> missing, byte[][] values) throws RocksDBException {
    List<byte[]> stored = db.multiGetAsList(resources.pointReads(), missing);
    int next = 0;
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        values[i] = stored.get(next);
        rows.add(time, missing.get(next), values[i]);
        next++;
      }
    }
  }

  /**
   * The rows whose encoded keys begin with one of the bytes, those of each prefix in the order of
   * the keys; all as of one moment.
   *
   * @param limit at most so many rows of each prefix, the first; 0 for all
   * @param maxBytes of all values together; the first row is given whatever its size
   * @param shown by the encoded value; other rows are passed over and count for nothing
   * @throws SluiceException QUERY_LIMIT_EXCEEDED when the rows have more bytes
   */
  PrefixRows prefixes(List<byte[]> prefixes, int limit, long maxBytes, Predicate<byte[]> shown) {
    gate.enter();
    try {
      return new PrefixRead(db, resources.pointReads(), rows, limit, maxBytes, shown)
          .read(prefixes);
    } catch (RocksDBException e) {
      throw failed("Read of the rows with a prefix of", e);
    } finally {
      gate.exit();
    }
  }

  /**
   * Applies changes and the new position at once. On BACKPRESSURE nothing was applied and the same
   * batch may be given again.
   */
  public void apply(KvBatch changes) {
    KvPosition next = changes.after(position);
    List<KvChange> last = changes.last();
    gate.enter();
    try (WriteBatch batch = KvBatch.toWriteBatch(last, next)) {
      write(batch, last);
      position = next;
    } catch (RocksDBException e) {
      throw writeFailed("Write of " + changes.size() + " changes to", e);
    } finally {
      gate.exit();
    }
  }

  private void write(WriteBatch batch, List<KvChange> last) throws RocksDBException {
    boolean written = false;
    try {
      rows.changing(last);
      db.write(resources.writes(), batch);
      written = true;
    } finally {
      rows.changed(written ? last : List.of());
    }
  }

  /** What a failure means to the caller; tells the owner of damage. */
  SluiceException failed(String what, RocksDBException cause) {
    SluiceException failure = KvErrors.failed(what, toString(), cause);
    return failure.code() == ErrorCode.CORRUPT_STORAGE
        ? damaged(failure, ErrorCode.UNAVAILABLE)
        : failure;
  }

  /** The same for a write, which its owner repeats: by then a restored store may be there. */
  private SluiceException writeFailed(String what, RocksDBException cause) {
    SluiceException failure = KvErrors.failed(what, toString(), cause);
    return failure.code() == ErrorCode.CORRUPT_STORAGE
        ? damaged(failure, ErrorCode.BACKPRESSURE)
        : failure;
  }

  private SluiceException damaged(SluiceException damage, ErrorCode code) {
    if (damageTold.compareAndSet(false, true)) {
      changelog.damaged(damage);
    }
    return new SluiceException(
        code, damage.getMessage() + "; the rows are damaged and are being restored", damage);
  }

  /** Opens a scan of all rows as they are now. */
  public KvScan scan() {
    gate.enter();
    KvScan scan;
    try {
      scan = openScan();
    } catch (RuntimeException | Error e) {
      gate.exit();
      throw e;
    }
    // From here on the scan holds the place behind the gate, until it is closed.
    scans.add(scan);
    resources.scanOpened();
    if (gate.closing()) {
      // The closing thread may have looked at the scans before this one was among them.
      scan.endByStore();
      throw gate.closed();
    }
    return scan;
  }

  private KvScan openScan() {
    RocksIterator iterator = db.newIterator(resources.scanReads());
    try {
      return new KvScan(this, iterator);
    } catch (RocksDBException e) {
      iterator.close();
      throw failed("Scan of", e);
    } catch (RuntimeException | Error e) {
      iterator.close();
      throw e;
    }
  }

  void scanClosed(KvScan scan) {
    scans.remove(scan);
    resources.scanClosed();
    gate.exit();
  }

  SluiceException closedFailure() {
    return gate.closed();
  }

  /** Bytes of memtables, flushing ones included. */
  public long memtableBytes() {
    gate.enter();
    try {
      return db.getLongProperty(MEMTABLE_BYTES);
    } catch (RocksDBException e) {
      throw failed("Read of a property of", e);
    } finally {
      gate.exit();
    }
  }

  /** Writes all that is applied now to files and waits for it. */
  public void flush() {
    gate.enter();
    try {
      db.flush(resources.flushes());
    } catch (RocksDBException e) {
      throw failed("Flush of", e);
    } finally {
      gate.exit();
    }
  }

  /**
   * Makes a store of its own in a directory that must not exist, with hard links where the file
   * system has them; everything applied before is in it.
   *
   * @return the position of the copy, read from the copy
   */
  public KvPosition checkpoint(Path target) {
    gate.enter();
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      checkpoint.createCheckpoint(target.toString());
      try (Options readOnly = resources.copyOptions();
          RocksDB copy = RocksDB.openReadOnly(readOnly, target.toString())) {
        return KvMeta.decodePosition(copy.get(KvMeta.positionKey()), "checkpoint " + target);
      }
    } catch (RocksDBException e) {
      throw failed("Checkpoint to " + target + " of", e);
    } finally {
      gate.exit();
    }
  }

  /** Flushes and closes. A flush that fails is logged: it costs only replay of the changelog. */
  @Override
  public void close() {
    synchronized (closing) {
      if (gate.closing()) {
        return;
      }
      try {
        if (flushedAppliedOffset() < appliedOffset()) {
          flush();
        }
      } catch (SluiceException e) {
        log.warn("{} closes at its last flush; the changelog since will be replayed", this, e);
      }
      discard();
    }
  }

  /**
   * Closes without a flush, for a bucket that is to be removed; what was not flushed is gone. Waits
   * for the calls that run and ends the scans that are open.
   */
  public void discard() {
    synchronized (closing) {
      if (!gate.shut()) {
        return;
      }
      for (KvScan scan : scans) {
        scan.endByStore();
      }
      gate.awaitDrained();
      closeAll(db, options, listener);
      resources.closed(this);
    }
  }

  @Override
  public String toString() {
    return "Key-value store " + bucket + " (" + directory + ")";
  }
}

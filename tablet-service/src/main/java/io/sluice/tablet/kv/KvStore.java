package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 */
public final class KvStore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KvStore.class);
  private static final String MEMTABLE_BYTES = "rocksdb.cur-size-all-mem-tables";

  private final KvResources resources;
  private final TableBucket bucket;
  private final Path directory;
  private final CallGate gate;
  private final Options options;
  private final FlushListener listener;
  private final RocksDB db;
  private final Set<KvScan> scans = ConcurrentHashMap.newKeySet();
  private final Object closing = new Object();
  private volatile KvPosition position = KvPosition.START;

  private KvStore(
      KvResources resources,
      TableBucket bucket,
      Path directory,
      Options options,
      FlushListener listener,
      RocksDB db) {
    this.resources = resources;
    this.bucket = bucket;
    this.directory = directory;
    this.options = options;
    this.listener = listener;
    this.db = db;
    this.gate = new CallGate(toString());
  }

  /**
   * Opens the store in a directory, or makes an empty one there.
   *
   * @param beforeFlush run on any thread before changes get to files; what was applied until then
   *     must be in the changelog on disk when it returns
   * @throws SluiceException CORRUPT_STORAGE when it is damaged or another bucket's
   */
  public static KvStore open(
      KvResources resources, TableBucket bucket, Path directory, Runnable beforeFlush) {
    FlushListener listener = new FlushListener(beforeFlush);
    Options options = resources.storeOptions().setListeners(List.of(listener));
    RocksDB db = null;
    try {
      Files.createDirectories(directory);
      db = RocksDB.open(options, directory.toString());
      KvStore store = new KvStore(resources, bucket, directory, options, listener, db);
      store.recover();
      resources.opened(store);
      return store;
    } catch (IOException e) {
      closeAll(db, options, listener);
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot create the directory " + directory + ": " + e, e);
    } catch (RocksDBException e) {
      closeAll(db, options, listener);
      throw KvErrors.failed("Open", "key-value store " + directory, e);
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
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(KvMeta.identityKey(), KvMeta.encodeIdentity(bucket));
      batch.put(KvMeta.positionKey(), KvMeta.encodePosition(position));
      db.write(resources.writes(), batch);
    }
    db.flush(resources.flushes());
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
      byte[] value = db.get(resources.persistedReads(), KvMeta.positionKey());
      return KvMeta.decodePosition(value, toString()).appliedOffset();
    } catch (RocksDBException e) {
      throw KvErrors.failed("Read of the flushed position of", toString(), e);
    } finally {
      gate.exit();
    }
  }

  /** The encoded value of a row, null when there is none. */
  public byte @Nullable [] get(byte[] key) {
    gate.enter();
    try {
      return db.get(resources.pointReads(), key);
    } catch (RocksDBException e) {
      throw KvErrors.failed("Read of a key of", toString(), e);
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
      return db.multiGetAsList(resources.pointReads(), keys);
    } catch (RocksDBException e) {
      throw KvErrors.failed("Read of " + keys.size() + " keys of", toString(), e);
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
    gate.enter();
    try (WriteBatch batch = new WriteBatch()) {
      changes.writeTo(batch);
      batch.put(KvMeta.positionKey(), KvMeta.encodePosition(next));
      db.write(resources.writes(), batch);
      position = next;
    } catch (RocksDBException e) {
      throw KvErrors.failed("Write of " + changes.size() + " changes to", toString(), e);
    } finally {
      gate.exit();
    }
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
      throw KvErrors.failed("Scan of", toString(), e);
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
      throw KvErrors.failed("Read of a property of", toString(), e);
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
      throw KvErrors.failed("Flush of", toString(), e);
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
      try (Options readOnly = new Options();
          RocksDB copy = RocksDB.openReadOnly(readOnly, target.toString())) {
        return KvMeta.decodePosition(copy.get(KvMeta.positionKey()), "checkpoint " + target);
      }
    } catch (RocksDBException e) {
      throw KvErrors.failed("Checkpoint to " + target + " of", toString(), e);
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
        flush();
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

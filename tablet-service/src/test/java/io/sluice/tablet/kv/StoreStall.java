package io.sluice.tablet.kv;

import java.lang.reflect.Field;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Keeps a store from flushing and compacting, as a disk that has stopped does: its memtables fill
 * and it takes no more writes until this is closed.
 */
public final class StoreStall implements AutoCloseable {
  private final RocksDB db;

  private StoreStall(RocksDB db) {
    this.db = db;
  }

  /** Stalls the store. */
  public static StoreStall of(KvStore store) throws ReflectiveOperationException, RocksDBException {
    Field field = KvStore.class.getDeclaredField("db");
    field.setAccessible(true);
    RocksDB db = (RocksDB) field.get(store);
    db.pauseBackgroundWork();
    return new StoreStall(db);
  }

  @Override
  public void close() throws RocksDBException {
    db.continueBackgroundWork();
  }
}

package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * All rows of a store at one moment, in key order: the position is read from the same view as the
 * rows. Call {@link #next} before each row. When the store closes, the scan ends with UNAVAILABLE.
 * Whoever opened the scan closes it, twice is harmless; the store closes it too, so every method
 * may meet that and is synchronized.
 */
public final class KvScan implements AutoCloseable {
  private enum State {
    NEW,
    ON_ROW,
    DONE
  }

  private final KvStore store;
  private final KvPosition position;
  private @Nullable RocksIterator iterator;
  private State state = State.NEW;
  private boolean endedByStore;

  /** Takes over the iterator, which shows the store's keys at the moment it was made. */
  KvScan(KvStore store, RocksIterator iterator) throws RocksDBException {
    this.store = store;
    this.position = readPosition(store, iterator);
    this.iterator = iterator;
  }

  private static KvPosition readPosition(KvStore store, RocksIterator iterator)
      throws RocksDBException {
    byte[] key = KvMeta.positionKey();
    iterator.seek(key);
    iterator.status();
    boolean found = iterator.isValid() && Arrays.equals(iterator.key(), key);
    return KvMeta.decodePosition(found ? iterator.value() : null, store.toString());
  }

  /** The rows are the fold of the changelog below {@link KvPosition#appliedOffset}. */
  public KvPosition position() {
    return position;
  }

  /** Moves to the first or the next row; false behind the last, and ever after. */
  public synchronized boolean next() {
    RocksIterator open = open();
    // The native iterator must not be touched once it stands on no row.
    switch (state) {
      case NEW -> open.seek(KvMeta.firstRowKey());
      case ON_ROW -> open.next();
      case DONE -> {
        return false;
      }
    }
    state = open.isValid() ? State.ON_ROW : State.DONE;
    if (state == State.DONE) {
      checkStatus(open);
    }
    return state == State.ON_ROW;
  }

  /** Moves to the first row whose key is not below; false when there is none. */
  public synchronized boolean seek(byte[] key) {
    RocksIterator open = open();
    open.seek(key);
    state = open.isValid() ? State.ON_ROW : State.DONE;
    if (state == State.DONE) {
      checkStatus(open);
    }
    return state == State.ON_ROW;
  }

  private void checkStatus(RocksIterator open) {
    try {
      open.status();
    } catch (RocksDBException e) {
      throw store.failed("Scan of", e);
    }
  }

  /** Key of the row shown now. */
  public synchronized byte[] key() {
    return onRow().key();
  }

  /** Encoded value of the row shown now. */
  public synchronized byte[] value() {
    return onRow().value();
  }

  private RocksIterator onRow() {
    RocksIterator open = open();
    if (state != State.ON_ROW) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "The scan of " + store + " shows no row; call next first");
    }
    return open;
  }

  private RocksIterator open() {
    RocksIterator open = iterator;
    if (open != null) {
      return open;
    }
    if (endedByStore) {
      throw store.closedFailure();
    }
    throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "The scan of " + store + " is closed");
  }

  /** Ends the scan because the store closes. */
  synchronized void endByStore() {
    if (iterator != null) {
      endedByStore = true;
      close();
    }
  }

  @Override
  public synchronized void close() {
    RocksIterator open = iterator;
    if (open != null) {
      iterator = null;
      open.close();
      store.scanClosed(this);
    }
  }
}

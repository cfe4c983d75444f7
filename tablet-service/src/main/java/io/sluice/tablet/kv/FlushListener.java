package io.sluice.tablet.kv;

import org.rocksdb.AbstractEventListener;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has something done whenever a store is about to write changes to files, whoever wanted that: the
 * changes are chosen already and later ones are not among them. Called on RocksDB's threads, which
 * wait for it. Closed after the store.
 */
final class FlushListener extends AbstractEventListener {
  private static final Logger log = LoggerFactory.getLogger(FlushListener.class);

  private final Runnable beforeFlush;

  FlushListener(Runnable beforeFlush) {
    super(EnabledEventCallback.ON_FLUSH_BEGIN);
    this.beforeFlush = beforeFlush;
  }

  @Override
  public void onFlushBegin(RocksDB store, FlushJobInfo flush) {
    try {
      beforeFlush.run();
    } catch (RuntimeException e) {
      // There is no Java above this to tell.
      log.error("What has to be done before a flush failed in a way that is not understood", e);
    }
  }
}

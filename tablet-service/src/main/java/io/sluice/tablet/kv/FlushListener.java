package io.sluice.tablet.kv;

import org.rocksdb.AbstractEventListener;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the changelog forced whenever a store is about to write changes to files, whoever wanted
 * that: the changes are chosen already and later ones are not among them. Called on RocksDB's
 * threads, which wait for it. Closed after the store.
 *
 * <p>Background errors are not listened to: the binding does not know the reason of a failed flush
 * without a write-ahead log and would throw into RocksDB's thread. Writes and flushes tell of them.
 */
final class FlushListener extends AbstractEventListener {
  private static final Logger log = LoggerFactory.getLogger(FlushListener.class);

  private final KvLog changelog;

  FlushListener(KvLog changelog) {
    super(EnabledEventCallback.ON_FLUSH_BEGIN);
    this.changelog = changelog;
  }

  @Override
  public void onFlushBegin(RocksDB store, FlushJobInfo flush) {
    try {
      changelog.force();
    } catch (RuntimeException e) {
      // There is no Java above this to tell.
      log.error("What has to be done before a flush failed in a way that is not understood", e);
    }
  }
}

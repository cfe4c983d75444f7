package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a data directory that has an offset for each bucket. It only makes a start shorter, so
 * a damaged one counts as empty. Not thread-safe.
 */
final class BucketOffsets {
  private static final Logger log = LoggerFactory.getLogger(BucketOffsets.class);
  private static final int ENTRY = 32;

  private final CheckedFile file;
  private final Map<TableBucket, Long> offsets = new HashMap<>();
  private boolean changed;

  BucketOffsets(FileOpener files, Path path, String magic) {
    this.file = new CheckedFile(files, path, magic);
  }

  /**
   * Reads the file when there is one.
   *
   * @param otherwise what is done instead when it is damaged, for the log
   */
  void load(String otherwise) throws IOException {
    try {
      ByteBuffer payload = file.read();
      if (payload == null) {
        return;
      }
      int count = payload.getInt();
      payload.getInt();
      for (int i = 0; i < count; i++) {
        TableBucket bucket =
            new TableBucket(payload.getLong(), payload.getLong(), payload.getInt());
        payload.getInt();
        offsets.put(bucket, payload.getLong());
      }
    } catch (SluiceException damaged) {
      log.warn("{}: {}", otherwise, damaged.getMessage());
    }
  }

  /** The offset of a bucket, 0 when there is none. */
  long get(TableBucket bucket) {
    return offsets.getOrDefault(bucket, 0L);
  }

  /** All offsets, to be changed and given to {@link #save}. */
  Map<TableBucket, Long> copy() {
    return new TreeMap<>(offsets);
  }

  /** Leaves out buckets when this is saved next. */
  void forget(Set<TableBucket> gone) {
    changed |= offsets.keySet().removeAll(gone);
  }

  /** Saves that buckets were forgotten, when that is still to be done. */
  void saveForgotten() throws IOException {
    if (changed) {
      save(copy());
    }
  }

  /** Forces these offsets in place of the others, when they are not the same. */
  void save(Map<TableBucket, Long> all) throws IOException {
    if (!changed && all.equals(offsets)) {
      return;
    }
    ByteBuffer payload = CheckedFile.payload(8 + ENTRY * all.size());
    payload.putInt(all.size()).putInt(0);
    all.forEach(
        (bucket, offset) -> {
          payload.putLong(bucket.tableId()).putLong(bucket.partitionId()).putInt(bucket.bucket());
          payload.putInt(0).putLong(offset);
        });
    file.write(payload.flip());
    offsets.clear();
    offsets.putAll(all);
    changed = false;
  }
}

package io.sluice.tablet.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * One read of the rows of several prefixes: of those that are kept in memory from there, of the
 * others from the store. What a limit or an expiry leaves out is not kept.
 */
final class PrefixRead {
  private final RocksDB db;
  private final ReadOptions options;
  private final CachedRows kept;
  private final int limit;
  private final long maxBytes;
  private final Predicate<byte[]> shown;

  /** See {@link KvStore#prefixes}. */
  PrefixRead(
      RocksDB db,
      ReadOptions options,
      CachedRows kept,
      int limit,
      long maxBytes,
      Predicate<byte[]> shown) {
    this.db = db;
    this.options = options;
    this.kept = kept;
    this.limit = limit;
    this.maxBytes = maxBytes;
    this.shown = shown;
  }

  /** The rows of all prefixes as of one moment. */
  PrefixRows read(List<byte[]> prefixes) throws RocksDBException {
    if (limit > 0 || shown != RowsView.ALL) {
      return readStore(prefixes);
    }
    long time = kept.now();
    List<@Nullable List<byte[]>> found = new ArrayList<>(prefixes.size());
    List<byte[]> missing = new ArrayList<>();
    long bytes = 0;
    for (byte[] prefix : prefixes) {
      List<byte[]> rows = kept.getPrefix(prefix);
      found.add(rows);
      if (rows == null) {
        missing.add(prefix);
      } else {
        bytes += bytes(rows);
      }
    }
    PrefixRows read = missing.isEmpty() ? null : readStore(missing);
    if (read != null) {
      keep(time, missing, read);
      bytes += bytes(read.values());
      if (missing.size() == prefixes.size()) {
        return read;
      }
    }
    // Some were read before a write and others after it, or may have been; or all are too many.
    return bytes > maxBytes || !kept.isOneMoment(time) ? readStore(prefixes) : merge(found, read);
  }

  private PrefixRows readStore(List<byte[]> prefixes) throws RocksDBException {
    try (RocksIterator iterator = db.newIterator(options)) {
      return new PrefixReader(iterator, limit, maxBytes, shown).read(prefixes);
    }
  }

  private static long bytes(List<? extends byte @Nullable []> rows) {
    long bytes = 0;
    for (byte[] row : rows) {
      bytes += row == null ? 0 : row.length;
    }
    return bytes;
  }

  private void keep(long time, List<byte[]> prefixes, PrefixRows read) {
    int from = 0;
    for (int i = 0; i < prefixes.size(); i++) {
      int to = from + read.counts().get(i);
      kept.addPrefix(time, prefixes.get(i), read.values().subList(from, to));
      from = to;
    }
  }

  private static PrefixRows merge(List<@Nullable List<byte[]>> found, @Nullable PrefixRows read) {
    List<byte @Nullable []> values = new ArrayList<>();
    List<Integer> counts = new ArrayList<>(found.size());
    int nextCount = 0;
    int nextValue = 0;
    for (List<byte[]> rows : found) {
      if (rows == null && read != null) {
        int count = read.counts().get(nextCount++);
        values.addAll(read.values().subList(nextValue, nextValue + count));
        nextValue += count;
        counts.add(count);
      } else if (rows != null) {
        values.addAll(rows);
        counts.add(rows.size());
      }
    }
    return new PrefixRows(values, counts);
  }
}

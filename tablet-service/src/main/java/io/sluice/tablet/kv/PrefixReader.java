package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Reads the rows of many prefixes with one iterator, whose making costs more than a few rows. One
 * owner, used once.
 */
final class PrefixReader {
  private static final int BUFFER_BYTES = 1024;

  private final RocksIterator iterator;
  private final int most;
  private final long maxBytes;
  private final Predicate<byte[]> shown;
  private final List<byte @Nullable []> values = new ArrayList<>();
  private final List<Integer> counts = new ArrayList<>();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private byte[] key = {};
  private long bytes;

  /**
   * @param iterator stays its owner's
   * @param limit at most so many rows of each prefix, 0 for all
   * @param maxBytes of all values; the first row is given whatever its size
   * @param shown by the encoded value; other rows are passed over and count for nothing
   */
  PrefixReader(RocksIterator iterator, int limit, long maxBytes, Predicate<byte[]> shown) {
    this.iterator = iterator;
    this.most = limit == 0 ? Integer.MAX_VALUE : limit;
    this.maxBytes = maxBytes;
    this.shown = shown;
  }

  /**
   * The rows of all prefixes.
   *
   * @throws SluiceException QUERY_LIMIT_EXCEEDED when they have more bytes than allowed
   */
  PrefixRows read(List<byte[]> prefixes) throws RocksDBException {
    for (byte[] prefix : prefixes) {
      if (key.length < prefix.length) {
        key = new byte[prefix.length];
      }
      int before = values.size();
      iterator.seek(prefix);
      boolean more = isAt(prefix);
      while (more) {
        add();
        more = values.size() - before < most;
        if (more) {
          iterator.next();
          more = isAt(prefix);
        }
      }
      counts.add(values.size() - before);
    }
    return new PrefixRows(values, counts);
  }

  /** Looks only at the part of the key that the prefix has. */
  private boolean isAt(byte[] prefix) throws RocksDBException {
    if (!iterator.isValid()) {
      // Behind the last row, or where one cannot be read.
      iterator.status();
      return false;
    }
    int length = iterator.key(key, 0, prefix.length);
    return length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  private void add() {
    byte[] value = value();
    if (!shown.test(value)) {
      return;
    }
    bytes += value.length;
    if (bytes > maxBytes && !values.isEmpty()) {
      throw new SluiceException(
          ErrorCode.QUERY_LIMIT_EXCEEDED,
          "The rows with one prefix have more than the "
              + maxBytes
              + " bytes that an answer may have; ask for fewer with a limit, "
              + values.size()
              + " fit");
    }
    values.add(value);
  }

  /** Through a buffer: the library makes an array more slowly than it fills one. */
  private byte[] value() {
    int length = iterator.value(buffer, 0, buffer.length);
    return length <= buffer.length ? Arrays.copyOf(buffer, length) : iterator.value();
  }
}

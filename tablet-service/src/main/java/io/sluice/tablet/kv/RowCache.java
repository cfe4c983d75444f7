package io.sluice.tablet.kv;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Rows that were read lately, of all stores of a process, in memory of a fixed size outside of the
 * heap: a row that is there costs a tenth of what RocksDB takes to find one in its block cache. It
 * knows nothing of when a row may be shown; that is {@link CachedRows}' part. Thread-safe.
 */
final class RowCache {
  /** Rows larger than this are not worth the place of a hundred others. */
  static final int MAX_ROW_BYTES = 16 * 1024;

  private static final int MAX_STRIPES = 32;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final CacheStripe[] stripes;
  // Keys come from clients: without it they could choose keys that all share a place.
  private final long seed = ThreadLocalRandom.current().nextLong();
  private final AtomicInteger stores = new AtomicInteger();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * @param bytes for rows; indexes come on top, with 8 to 16 bytes a row. Below {@value
   *     CacheStripe#MIN_BYTES} nothing is kept
   */
  RowCache(long bytes) {
    this(bytes, ByteBuffer::allocateDirect);
  }

  /**
   * @param memory gives chunks of so many bytes; an OutOfMemoryError says that there are no more
   */
  RowCache(long bytes, IntFunction<ByteBuffer> memory) {
    int count = bytes < CacheStripe.MIN_BYTES ? 0 : 1;
    while (count > 0
        && bytes / count > CacheStripe.MIN_BYTES * 2
        && (count < MAX_STRIPES || bytes / count > CacheStripe.MAX_BYTES)) {
      count *= 2;
    }
    stripes = new CacheStripe[count];
    for (int i = 0; i < count; i++) {
      stripes[i] = new CacheStripe(bytes / count, memory);
    }
  }

  /** A number for a store that is opened: rows of others, and of earlier openings, are not its. */
  int nextStore() {
    return stores.incrementAndGet();
  }

  boolean isOff() {
    return stripes.length == 0;
  }

  /** The value of a row, null when it is not here. */
  byte @Nullable [] get(int store, byte[] key) {
    long hash = hash(store, key);
    return stripe(hash).get(store, (int) hash, key);
  }

  /** Counts rows that were asked for. */
  void count(int found, int missing) {
    hits.add(found);
    misses.add(missing);
  }

  /**
   * Keeps a row that was read, unless its store has changed since.
   *
   * @param time what the clock said before the row was read
   */
  void add(CachedRows clock, long time, int store, byte[] key, byte[] value) {
    if (key.length + value.length <= MAX_ROW_BYTES) {
      long hash = hash(store, key);
      stripe(hash).add(clock, time, store, (int) hash, key, value);
    }
  }

  /** Keeps a row no more. */
  void forget(int store, byte[] key) {
    long hash = hash(store, key);
    stripe(hash).show(store, (int) hash, key, null);
  }

  /** Shows a row no more, until it is {@link #changed}. */
  void changing(int store, byte[] key) {
    long hash = hash(store, key);
    stripe(hash).hide(store, (int) hash, key);
  }

  /** Gives a row that is here its new value; null when it is gone. */
  void changed(int store, byte[] key, byte @Nullable [] value) {
    long hash = hash(store, key);
    boolean stays = value != null && key.length + value.length <= MAX_ROW_BYTES;
    stripe(hash).show(store, (int) hash, key, stays ? value : null);
  }

  /** Rows found here. */
  long hits() {
    return hits.sum();
  }

  /** Rows asked for and not found here. */
  long misses() {
    return misses.sum();
  }

  /** Memory taken for rows. */
  long bytes() {
    long bytes = 0;
    for (CacheStripe stripe : stripes) {
      bytes += stripe.bytes();
    }
    return bytes;
  }

  /** Rows kept, those included that nobody can ask for any more. */
  long rows() {
    long rows = 0;
    for (CacheStripe stripe : stripes) {
      rows += stripe.rows();
    }
    return rows;
  }

  private CacheStripe stripe(long hash) {
    return stripes[(int) (hash >>> 32) & (stripes.length - 1)];
  }

  private long hash(int store, byte[] key) {
    long hash = seed ^ store * MULTIPLIER;
    int i = 0;
    for (; i + Long.BYTES <= key.length; i += Long.BYTES) {
      hash = mix(hash ^ CacheStripe.longAt(key, i));
    }
    long rest = key.length;
    for (; i < key.length; i++) {
      rest = rest << 8 | (key[i] & 0xFF);
    }
    return mix(hash ^ rest);
  }

  private static long mix(long value) {
    long mixed = value * MULTIPLIER;
    mixed ^= mixed >>> 32;
    mixed *= MULTIPLIER;
    return mixed ^ mixed >>> 29;
  }
}

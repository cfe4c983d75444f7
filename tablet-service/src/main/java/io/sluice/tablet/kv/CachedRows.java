package io.sluice.tablet.kv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one store that are in the {@link RowCache}. A clock tells how far the store's one
 * writer is: at rest, about to write (the rows it changes are being hidden), or writing (they are
 * hidden, and get their new values after the write). So a row is never shown as it was before a
 * write that others have seen, and one that was read before a write is not kept after it.
 *
 * <p>Any thread reads, one at a time changes.
 */
final class CachedRows {
  private static final int STEPS = 3;
  private static final int AT_REST = 0;
  private static final int HIDING = 1;
  private static final int WRITING = 2;
  private static final int MAX_PREFIX_LENGTHS = 8;

  private final RowCache cache;
  private final int store;
  private final AtomicLong clock = new AtomicLong();
  // Set before the first row is kept: a store that nobody reads costs its writer nothing.
  private volatile boolean used;
  // Of all prefixes whose rows are kept: a row that changes takes those of its prefixes away. Set
  // before the first of a length is kept.
  private volatile int[] prefixLengths = {};

  CachedRows(RowCache cache) {
    this.cache = cache;
    this.store = cache.nextStore();
  }

  /** The time, to be asked for before anything is read. */
  long now() {
    return clock.get();
  }

  boolean isStill(long time) {
    return clock.get() == time;
  }

  /** Whether all that was read since a time, here and in the store, was so at one moment. */
  boolean isOneMoment(long since) {
    long passed = clock.get() - since;
    return switch ((int) (since % STEPS)) {
      // Up to the next write, or from a write on up to the next one.
      case AT_REST -> passed <= HIDING;
      case WRITING -> passed <= STEPS - WRITING + HIDING;
      default -> false;
    };
  }

  /** Whether nothing was written since a time, whatever was read meanwhile and how. */
  boolean isUnwritten(long since) {
    return since % STEPS == AT_REST && clock.get() - since <= HIDING;
  }

  /** The value of a row, null when it is not here. */
  byte @Nullable [] get(byte[] key) {
    if (!used) {
      return null;
    }
    byte[] value = cache.get(store, key);
    cache.count(value == null ? 0 : 1, value == null ? 1 : 0);
    return value;
  }

  /**
   * Fills in the values that are here.
   *
   * @return the keys of the others, in order
   */
  List<byte[]> get(List<byte[]> keys, byte[][] values) {
    if (!used) {
      return keys;
    }
    List<byte[]> missing = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      byte[] key = keys.get(i);
      values[i] = cache.get(store, key);
      if (values[i] == null) {
        missing.add(key);
      }
    }
    cache.count(values.length - missing.size(), missing.size());
    return missing;
  }

  /** The values of rows at one moment when all of them are here, else null, not counted then. */
  @Nullable List<byte @Nullable []> getAll(List<byte[]> keys) {
    if (!used) {
      return null;
    }
    long time = now();
    byte[][] values = new byte[keys.size()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = cache.get(store, keys.get(i));
      if (values[i] == null) {
        return null;
      }
    }
    if (!isOneMoment(time)) {
      return null;
    }
    cache.count(values.length, 0);
    return Arrays.asList(values);
  }

  /** Keeps a row that the store had, null for none, read after this time. */
  void add(long time, byte[] key, byte @Nullable [] value) {
    if (value != null && time % STEPS == AT_REST && !cache.isOff()) {
      used = true;
      cache.add(this, time, store, key, value);
    }
  }

  /** The rows of a prefix in key order, null when they are not here. */
  @Nullable List<byte[]> getPrefix(byte[] prefix) {
    byte[] rows = keepsPrefixes(prefix.length) ? cache.get(-store, prefix) : null;
    return rows == null ? null : PrefixCodec.decode(rows);
  }

  /** Keeps all rows of a prefix, read after this time; those of few lengths of prefixes. */
  void addPrefix(long time, byte[] prefix, List<byte @Nullable []> rows) {
    boolean small = PrefixCodec.bytes(rows) + prefix.length <= RowCache.MAX_ROW_BYTES;
    if (small && time % STEPS == AT_REST && !cache.isOff() && addLength(prefix.length)) {
      cache.add(this, time, -store, prefix, PrefixCodec.encode(rows));
    }
  }

  private boolean keepsPrefixes(int length) {
    for (int known : prefixLengths) {
      if (known == length) {
        return true;
      }
    }
    return false;
  }

  private boolean addLength(int length) {
    if (keepsPrefixes(length)) {
      return true;
    }
    synchronized (this) {
      int[] known = prefixLengths;
      if (keepsPrefixes(length) || known.length == MAX_PREFIX_LENGTHS) {
        return keepsPrefixes(length);
      }
      int[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] = length;
      prefixLengths = more;
      return true;
    }
  }

  private void forgetPrefixes(List<KvChange> changes) {
    for (int length : prefixLengths) {
      for (KvChange change : changes) {
        byte[] key = change.key().bytes();
        if (key.length >= length) {
          cache.forget(-store, Arrays.copyOf(key, length));
        }
      }
    }
  }

  /** The writer is about to write these changes, the last one of each row. */
  void changing(List<KvChange> changes) {
    tick();
    try {
      if (used) {
        for (KvChange change : changes) {
          cache.changing(store, change.key().bytes());
        }
      }
      forgetPrefixes(changes);
    } finally {
      tick();
    }
  }

  /** These changes are written; those that are not stay hidden, as nobody knows of them. */
  void changed(List<KvChange> changes) {
    try {
      if (used) {
        for (KvChange change : changes) {
          cache.changed(store, change.key().bytes(), change.value());
        }
      }
    } finally {
      tick();
    }
  }

  private void tick() {
    clock.incrementAndGet();
  }
}

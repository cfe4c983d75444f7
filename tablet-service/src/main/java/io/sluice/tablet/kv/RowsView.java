package io.sluice.tablet.kv;

import io.sluice.format.row.RowCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a bucket as readers see them at one moment of the clock: what is applied, without the
 * rows that have outlived {@code table.kv.ttl}. Made anew for each read. Thread-safe; everything
 * throws UNAVAILABLE once the store is closed.
 */
public final class RowsView {
  /** Shows all rows; compared by identity. */
  static final Predicate<byte[]> ALL = value -> true;

  /** Of tables whose rows live for ever. */
  private static final long NOTHING_EXPIRED = Long.MIN_VALUE;

  private final KvStore store;
  private final long expiredUpTo;

  private RowsView(KvStore store, long expiredUpTo) {
    this.store = store;
    this.expiredUpTo = expiredUpTo;
  }

  /**
   * The rows at a moment.
   *
   * @param ttl how long rows live after their last change, zero for ever
   * @param nowMs the moment, epoch milliseconds
   */
  public static RowsView of(KvStore store, Duration ttl, long nowMs) {
    return new RowsView(store, expiredUpTo(ttl, nowMs));
  }

  /** Rows changed at this time or before have expired now. */
  static long expiredUpTo(Duration ttl, long nowMs) {
    return ttl.isZero() ? NOTHING_EXPIRED : nowMs - ttl.toMillis();
  }

  /** Whether a stored value is of a row that has expired. */
  static boolean expired(byte[] value, long expiredUpTo) {
    return expiredUpTo != NOTHING_EXPIRED && RowCodec.modifiedMs(value) <= expiredUpTo;
  }

  /** The encoded value of a row, null when there is none. */
  public byte @Nullable [] get(byte[] key) {
    return visible(store.get(key));
  }

  /**
   * As {@link #get}, without reading a file: {@link KvStore#NOT_IN_MEMORY} itself when that would
   * be needed.
   */
  public byte @Nullable [] getFromMemory(byte[] key) {
    byte[] value = store.getFromMemory(key);
    return value == KvStore.NOT_IN_MEMORY ? value : visible(value);
  }

  /** The encoded values of rows at one moment, in the order of the keys, null for no row. */
  public List<byte @Nullable []> multiGet(List<byte[]> keys) {
    return visible(store.multiGet(keys));
  }

  /** As {@link #multiGet} when all rows are kept in memory, else null. Does not block. */
  public @Nullable List<byte @Nullable []> multiGetKept(List<byte[]> keys) {
    List<byte @Nullable []> kept = store.kept().getAll(keys);
    return kept == null ? null : visible(kept);
  }

  /**
   * As {@link #multiGet} without reading a file, for few keys: null when that would be needed, or
   * rows were written meanwhile. Does not block.
   */
  public @Nullable List<byte @Nullable []> multiGetFromMemory(List<byte[]> keys) {
    long time = store.kept().now();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      byte[] value = getFromMemory(key);
      if (value == KvStore.NOT_IN_MEMORY) {
        return null;
      }
      values.add(value);
    }
    return keys.size() == 1 || store.kept().isUnwritten(time) ? values : null;
  }

  private List<byte @Nullable []> visible(List<byte @Nullable []> values) {
    if (expiredUpTo == NOTHING_EXPIRED) {
      return values;
    }
    List<byte @Nullable []> visible = new ArrayList<>(values.size());
    for (byte[] value : values) {
      visible.add(visible(value));
    }
    return visible;
  }

  /**
   * The rows of several prefixes, those of each in key order; all as of one moment.
   *
   * @param limit at most so many rows of each prefix, the first; 0 for all
   * @param maxBytes of all values together; the first row is given whatever its size
   * @throws io.sluice.common.SluiceException QUERY_LIMIT_EXCEEDED when the rows have more bytes
   */
  public PrefixRows prefixes(List<byte[]> prefixes, int limit, long maxBytes) {
    return store.prefixes(
        prefixes,
        limit,
        maxBytes,
        expiredUpTo == NOTHING_EXPIRED ? ALL : value -> !expired(value, expiredUpTo));
  }

  private byte @Nullable [] visible(byte @Nullable [] value) {
    return value == null || expired(value, expiredUpTo) ? null : value;
  }

  /** Opens a scan of all rows as they are now, to be closed by the caller. */
  public RowScan scan() {
    return new RowScan(store.scan(), expiredUpTo);
  }

  /** Number of rows, expired ones that are still stored included; -1 when it is not known. */
  public long count() {
    return store.count();
  }

  /** What the rows lie in, expired ones too. */
  public KvStore store() {
    return store;
  }
}

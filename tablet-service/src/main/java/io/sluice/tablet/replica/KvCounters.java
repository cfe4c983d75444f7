package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What the primary-key buckets of a server have done since its start. Thread-safe. */
public final class KvCounters {
  private final Map<ErrorCode, LongAdder> refused = new EnumMap<>(ErrorCode.class);
  private final LongAdder grantedIds = new LongAdder();
  private final LongAdder expiredRows = new LongAdder();
  private final LongAdder madeRows = new LongAdder();
  private final LongAdder installedStores = new LongAdder();

  /** All zero. */
  public KvCounters() {
    for (ErrorCode code : ErrorCode.values()) {
      refused.put(code, new LongAdder());
    }
  }

  void refusedPut(ErrorCode code) {
    adder(code).increment();
  }

  void grantedIds(long count) {
    grantedIds.add(count);
  }

  void removedExpired(long rows) {
    expiredRows.add(rows);
  }

  void madeRows(long rows) {
    madeRows.add(rows);
  }

  void installedStore() {
    installedStores.increment();
  }

  private LongAdder adder(ErrorCode code) {
    return Objects.requireNonNull(refused.get(code));
  }

  /** Puts refused with that code by the bucket they were for. */
  public long refusedPuts(ErrorCode code) {
    return adder(code).sum();
  }

  /** Ids of auto-increment columns that were granted to buckets of this server. */
  public long grantedIds() {
    return grantedIds.sum();
  }

  /** Rows that outlived {@code table.kv.ttl} and were removed. */
  public long expiredRows() {
    return expiredRows.sum();
  }

  /** Rows made by lookups of keys that had none. */
  public long madeRows() {
    return madeRows.sum();
  }

  /** Stores of followers that came from their leader. */
  public long installedStores() {
    return installedStores.sum();
  }
}

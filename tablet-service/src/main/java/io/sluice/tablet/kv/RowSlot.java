package io.sluice.tablet.kv;

import org.jspecify.annotations.Nullable;

/** One row while a put is evaluated: as it is before the put, then as the put's rows leave it. */
final class RowSlot {
  private final RowKey key;
  private byte @Nullable [] value;
  private boolean expired;
  private boolean wanted;

  RowSlot(RowKey key) {
    this.key = key;
  }

  RowKey key() {
    return key;
  }

  /** Whether the row before the put is read. */
  boolean wanted() {
    return wanted;
  }

  void want() {
    wanted = true;
  }

  /** The encoded row under the current schema, null when there is none; an expired one too. */
  byte @Nullable [] value() {
    return value;
  }

  /** Whether the row is still stored but nobody sees it any more. */
  boolean expired() {
    return expired;
  }

  /** The row as it is before the put. */
  void found(byte[] stored, boolean hasExpired) {
    value = stored;
    expired = hasExpired;
  }

  /** The row as a row of the put leaves it, null when it is deleted. */
  void leave(byte @Nullable [] after) {
    value = after;
    expired = false;
  }
}

package io.sluice.tablet.replication.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Batches of one record each, all of the same size. Thread-safe. */
final class FakeLog {
  private final int batchBytes;
  private final List<Long> records = new ArrayList<>();
  private long start;

  FakeLog(int batchBytes) {
    this.batchBytes = batchBytes;
  }

  synchronized void append(long value) {
    records.add(value);
  }

  synchronized long start() {
    return start;
  }

  synchronized long end() {
    return start + records.size();
  }

  synchronized List<Long> records() {
    return List.copyOf(records);
  }

  /** Drops what lies at and behind the offset. */
  synchronized void cut(long offset) {
    records.subList((int) (offset - start), records.size()).clear();
  }

  /** Drops everything, and begins there. */
  synchronized void startAnew(long offset) {
    records.clear();
    start = offset;
  }

  /** Drops what lies below the offset. */
  synchronized void trim(long offset) {
    records.subList(0, (int) (offset - start)).clear();
    start = offset;
  }

  /** Bytes of the batches from the offset on. */
  synchronized int bytesFrom(long offset) {
    return (int) (end() - offset) * batchBytes;
  }

  int batchBytes() {
    return batchBytes;
  }

  synchronized void write(long offset, ByteBuffer target) {
    long at = offset;
    int from = target.position();
    while (target.remaining() >= batchBytes) {
      int next = target.position() + batchBytes;
      target.putLong(at).putLong(records.get((int) (at - start))).position(next);
      at++;
    }
    target.limit(target.position()).position(from);
  }

  /** Appends whole batches whose first is at the log end; false when it is not. */
  synchronized boolean store(ByteBuffer batches) {
    ByteBuffer from = batches.duplicate();
    while (from.hasRemaining()) {
      int next = from.position() + batchBytes;
      if (from.getLong() != end()) {
        return false;
      }
      records.add(from.getLong());
      from.position(next);
    }
    return true;
  }
}

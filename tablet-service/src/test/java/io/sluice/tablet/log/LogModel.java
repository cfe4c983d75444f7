package io.sluice.tablet.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What a log must hold: plain lists, and the dice that decide what comes next. */
final class LogModel {
  static final int WRITERS = 4;

  final SplittableRandom random;
  // Deleted ones too: what their writers stored stays known.
  private final List<Stored> all = new ArrayList<>();
  private final Map<Long, Long> last = new HashMap<>();
  private long start;

  /** One stored batch: who, from which sequence, how many rows, at which offset, when. */
  record Stored(long writer, long sequence, int rows, long offset, long timeMs) {
    long end() {
      return offset + rows;
    }
  }

  LogModel(SplittableRandom random) {
    this.random = random;
  }

  void store(Stored batch) {
    all.add(batch);
    if (batch.writer() >= 0) {
      last.put(batch.writer(), batch.sequence() + batch.rows() - 1);
    }
  }

  long lastSequence(long writer) {
    return last.getOrDefault(writer, -1L);
  }

  boolean holds(long writer, long sequence, long offset) {
    return all.stream()
        .anyMatch(s -> s.writer == writer && s.sequence == sequence && s.offset == offset);
  }

  long start() {
    return start;
  }

  long end() {
    return all.isEmpty() ? 0 : all.get(all.size() - 1).end();
  }

  /** The batches that can be read. */
  List<Stored> readable() {
    int first = all.size();
    while (first > 0 && all.get(first - 1).offset() >= start) {
      first--;
    }
    return all.subList(first, all.size());
  }

  void trimTo(long newStart) {
    start = newStart;
  }

  /** A crash took what lies at and above the offset. */
  void cutTo(long end) {
    all.removeIf(batch -> batch.offset() >= end);
    last.clear();
    for (Stored batch : all) {
      last.merge(batch.writer(), batch.sequence() + batch.rows() - 1, Math::max);
    }
    last.remove(-1L);
  }

  /** The first readable offset stored at or after the time, the end when there is none. */
  long offsetForTime(long timeMs) {
    for (Stored batch : readable()) {
      if (batch.timeMs() >= timeMs) {
        return batch.offset();
      }
    }
    return end();
  }
}

package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a log must hold whose replicas follow one another: a plain list, deleted batches too. */
final class FollowedModel {
  private List<Stored> all = new ArrayList<>();
  private long start;
  // Where the log began once, and the epochs that began below: one may have begun with a hole.
  private long base;
  private EpochHistory below = EpochHistory.EMPTY;

  /** One stored batch. */
  record Stored(
      long offset,
      long end,
      int epoch,
      long writer,
      long sequence,
      long lastSequence,
      long timeMs) {
    static Stored of(LogBatchHeader header) {
      return new Stored(
          header.baseOffset(),
          header.nextOffset(),
          header.leaderEpoch(),
          header.writerId(),
          header.baseSequence(),
          header.lastSequence(),
          header.appendTimeMs());
    }
  }

  /** The batches of stored bytes. */
  static List<Stored> parse(ByteBuffer batches) {
    List<Stored> found = new ArrayList<>();
    ByteBuffer rest = batches.slice();
    while (rest.hasRemaining()) {
      LogBatchHeader header = LogBatchHeader.wrap(rest);
      found.add(Stored.of(header));
      rest.position(rest.position() + header.length());
    }
    return found;
  }

  FollowedModel copy() {
    FollowedModel copy = new FollowedModel();
    copy.all = new ArrayList<>(all);
    copy.start = start;
    copy.base = base;
    copy.below = below;
    return copy;
  }

  void store(Stored batch) {
    all.add(batch);
  }

  FollowedModel with(List<Stored> batches) {
    FollowedModel longer = copy();
    longer.all.addAll(batches);
    return longer;
  }

  /** Where the log ends when it is cut there: the end of a batch, or the start. */
  long boundary(long offset) {
    long found = start;
    for (Stored batch : readable()) {
      found = batch.end() <= offset ? batch.end() : found;
    }
    return found;
  }

  void cutTo(long offset) {
    all.removeIf(batch -> batch.end() > offset);
  }

  void trimTo(long newStart) {
    below = epochs().trimmedTo(newStart).cutTo(newStart);
    base = newStart;
    start = newStart;
  }

  /** Becomes what another one is that has been trimmed, without what can be read of it. */
  void beginAs(FollowedModel other) {
    start = other.start;
    base = start;
    below = other.epochs().cutTo(start);
    all = new ArrayList<>(other.all);
    all.removeIf(batch -> batch.offset() >= start);
  }

  long start() {
    return start;
  }

  long end() {
    return all.isEmpty() ? start : Math.max(start, all.get(all.size() - 1).end());
  }

  List<Stored> readable() {
    int first = all.size();
    while (first > 0 && all.get(first - 1).offset() >= start) {
      first--;
    }
    return all.subList(first, all.size());
  }

  /** The batch that is read next from an offset on, null when there is none. */
  @Nullable Stored next(long offset) {
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).offset() < offset) {
        return i + 1 < all.size() ? all.get(i + 1) : null;
      }
    }
    return all.isEmpty() ? null : all.get(0);
  }

  int lastEpoch() {
    return all.isEmpty() ? 0 : all.get(all.size() - 1).epoch();
  }

  /** Epochs with records; each begins where the records before it end. */
  EpochHistory epochs() {
    List<EpochHistory.Start> starts = new ArrayList<>(below.starts());
    long end = base;
    int epoch = below.lastEpoch();
    for (Stored batch : all) {
      if (batch.offset() < base) {
        continue;
      }
      if (batch.epoch() != epoch) {
        starts.add(new EpochHistory.Start(batch.epoch(), end));
      }
      epoch = batch.epoch();
      end = batch.end();
    }
    return new EpochHistory(starts).trimmedTo(start);
  }

  /** The last batch of each writer. */
  Map<Long, Stored> writers() {
    Map<Long, Stored> last = new HashMap<>();
    for (Stored batch : all) {
      if (batch.writer() >= 0) {
        last.put(batch.writer(), batch);
      }
    }
    return last;
  }

  /** Offset up to which both are the same. */
  long common(FollowedModel other) {
    long end = 0;
    for (int i = 0; i < Math.min(all.size(), other.all.size()); i++) {
      if (!all.get(i).equals(other.all.get(i))) {
        return end;
      }
      end = all.get(i).end();
    }
    return end;
  }
}

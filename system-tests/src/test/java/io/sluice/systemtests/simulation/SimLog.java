package io.sluice.systemtests.simulation;

import io.sluice.tablet.log.EpochHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A log on a disk: batches in a list, with the epochs and writers that the real one keeps. */
final class SimLog {
  private final int writers;
  private List<Batch> batches = new ArrayList<>();
  private long start;
  private long end;
  private long forced;
  private EpochHistory epochs = EpochHistory.EMPTY;
  private long[] writersBelow;
  private long[] lastSequences;

  SimLog(int writers) {
    this.writers = writers;
    this.writersBelow = none();
    this.lastSequences = none();
  }

  private long[] none() {
    long[] none = new long[writers];
    Arrays.fill(none, -1);
    return none;
  }

  long start() {
    return start;
  }

  long end() {
    return end;
  }

  long forced() {
    return forced;
  }

  EpochHistory epochs() {
    return epochs;
  }

  List<Batch> batches() {
    return batches;
  }

  long lastSequence(int writer) {
    return lastSequences[writer];
  }

  /** The writers that a log needs which begins where this one does. */
  long[] writersBelow() {
    return writersBelow.clone();
  }

  void force() {
    forced = end;
  }

  /** Begins an epoch at the log end and forces all. */
  void startEpoch(int epoch) {
    epochs = epochs.started(epoch, end);
    force();
  }

  /** Leaves a hole; the epoch that leaves it begins before it. */
  void jumpTo(long offset, int epoch) {
    epochs = epochs.started(epoch, end);
    end = offset;
  }

  void append(Batch batch) {
    if (batch.base() != end) {
      throw new IllegalStateException(batch + " does not begin at the log end " + end);
    }
    epochs = epochs.started(batch.epoch(), end);
    batches.add(batch);
    end = batch.end();
    count(batch);
  }

  private void count(Batch batch) {
    if (batch.writer() != Batch.NO_WRITER) {
      lastSequences[batch.writer()] = Math.max(lastSequences[batch.writer()], batch.lastSequence());
    }
  }

  /** Cuts durably at the batch boundary at or below the offset. */
  void cutTo(long offset) {
    boolean cut = false;
    while (!batches.isEmpty() && last().end() > offset) {
      batches.remove(batches.size() - 1);
      cut = true;
    }
    if (cut || end > offset) {
      end = batches.isEmpty() ? start : last().end();
    }
    forced = Math.min(forced, end);
    epochs = epochs.cutTo(end);
    lastSequences = writersBelow.clone();
    batches.forEach(this::count);
  }

  /** What recovery makes of it after a crash: a hole with nothing behind it is not kept. */
  void recover() {
    if (!batches.isEmpty() && end > last().end()) {
      cutTo(last().end());
    } else if (batches.isEmpty() && end > start) {
      cutTo(start);
    }
  }

  void startAnew(long offset, EpochHistory known, long[] writersThere) {
    batches = new ArrayList<>();
    start = offset;
    end = offset;
    forced = offset;
    epochs = known;
    writersBelow = writersThere.clone();
    lastSequences = writersThere.clone();
  }

  /** Forgets whole batches below the offset. */
  void trimTo(long offset) {
    int count = 0;
    while (count < batches.size() && batches.get(count).end() <= offset) {
      Batch gone = batches.get(count);
      if (gone.writer() != Batch.NO_WRITER) {
        writersBelow[gone.writer()] = Math.max(writersBelow[gone.writer()], gone.lastSequence());
      }
      start = gone.end();
      count++;
    }
    if (count > 0) {
      batches = new ArrayList<>(batches.subList(count, batches.size()));
      epochs = epochs.trimmedTo(start);
    }
  }

  private Batch last() {
    return batches.get(batches.size() - 1);
  }

  /** Position of the first batch that ends above the offset. */
  int indexOf(long offset) {
    int low = 0;
    int high = batches.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (batches.get(middle).end() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The batch that begins there, or null. */
  @Nullable Batch at(long base) {
    int index = indexOf(base);
    return index < batches.size() && batches.get(index).base() == base ? batches.get(index) : null;
  }

  boolean has(Batch batch) {
    return at(batch.base()) == batch;
  }

  /** Batches from an offset on. */
  List<Batch> read(long offset, int count) {
    int from = indexOf(offset);
    return List.copyOf(batches.subList(from, Math.min(batches.size(), from + count)));
  }

  /** The newest batch below an offset that sets the key, or null. */
  @Nullable Batch newest(int key, long below) {
    for (int i = indexOf(below - 1); i >= 0; i--) {
      if (i < batches.size()) {
        Batch batch = batches.get(i);
        if (batch.end() <= below && batch.key() == key && batch.writer() != Batch.NO_WRITER) {
          return batch;
        }
      }
    }
    return null;
  }
}

package io.sluice.systemtests.replicated;

import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Reading.Copy;
import io.sluice.systemtests.replicated.Reading.Records;
import io.sluice.systemtests.replicated.Reading.Replicated;
import io.sluice.systemtests.replicated.Reading.StoredBatch;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges what is left after all faults by what the outside world was told. Adds to the violations
 * of the history; each names its invariant.
 */
final class Checker {
  /** Rows of a keyless table go to buckets in turn, so many at a time. */
  private static final int ROWS_PER_BUCKET = 1024;

  private final History history;
  private final Reading reading;
  private final Violations violations;

  private Checker(History history, Reading reading) {
    this.history = history;
    this.reading = reading;
    this.violations = history.violations();
  }

  static void check(History history, Reading reading) {
    Checker checker = new Checker(history, reading);
    checker.checkSources();
    checker.checkCells();
    checker.checkSums();
    for (Kind kind : Kind.values()) {
      checker.checkTold(kind);
    }
    reading.replicas().forEach(checker::checkReplicas);
  }

  /**
   * Each acknowledged row is there, none is twice, each source's are in order, no offset is free.
   */
  private void checkSources() {
    Map<Integer, BitSet> found = new HashMap<>();
    List<Records> buckets = reading.logs().get(Kind.LOG);
    for (int bucket = 0; bucket < buckets.size(); bucket++) {
      Map<Integer, Long> last = new HashMap<>();
      Records records = buckets.get(bucket);
      for (long offset = 0; offset < records.end(); offset++) {
        long row = records.contents().at(offset);
        if (row == 0) {
          violations.add("dense", "Bucket %d has nothing at offset %d".formatted(bucket, offset));
        } else {
          checkRow(row, bucket, offset, buckets.size(), found, last);
        }
      }
    }
    for (SourceHistory source : history.sources()) {
      BitSet missing = source.acknowledgedCopy();
      missing.andNot(found.getOrDefault(source.number(), new BitSet()));
      if (!missing.isEmpty()) {
        violations.add(
            "durable-ack",
            "%d acknowledged rows of source %d are lost: %s"
                .formatted(missing.cardinality(), source.number(), shorten(missing.toString())));
      }
    }
  }

  private void checkRow(
      long row,
      int bucket,
      long offset,
      int buckets,
      Map<Integer, BitSet> found,
      Map<Integer, Long> last) {
    int source = Contents.source(row);
    long sequence = Contents.sequence(row);
    String where =
        "%s at offset %d of bucket %d".formatted(Contents.describeRow(row), offset, bucket);
    if (source >= history.sources().size() || sequence >= history.source(source).end()) {
      violations.add("no-dup", where + " was never sent");
      return;
    }
    BitSet seen = found.computeIfAbsent(source, any -> new BitSet());
    if (seen.get((int) sequence)) {
      violations.add("no-dup", where + " is there twice");
    }
    seen.set((int) sequence);
    if (sequence / ROWS_PER_BUCKET % buckets != bucket) {
      violations.add("no-dup", where + " belongs to another bucket");
    }
    Long before = last.put(source, sequence);
    if (before != null && before >= sequence) {
      violations.add("dense", where + " comes after row " + before);
    }
  }

  /**
   * Every change that was acknowledged is in the changelog once, in order, and rows are its fold.
   */
  private void checkCells() {
    Fold fold = Fold.of(Kind.CELLS, reading.logs().get(Kind.CELLS), violations);
    compareRows(Kind.CELLS, fold, reading.cells());
    for (Cell cell : history.cells()) {
      String wrong = cell.compare(fold.states(cell.key()));
      if (wrong != null) {
        violations.add("no-dup or durable-ack", wrong);
      }
      long found = reading.cells().getOrDefault(cell.key(), CellState.ABSENT);
      if (!cell.mayBe(found)) {
        violations.add(
            "durable-ack",
            "Key %d is %s, and %s was acknowledged"
                .formatted(
                    cell.key(), CellState.describe(found), CellState.describe(cell.latest())));
      }
    }
  }

  private void checkSums() {
    Fold fold = Fold.of(Kind.SUMS, reading.logs().get(Kind.SUMS), violations);
    compareRows(Kind.SUMS, fold, reading.sums());
    SumHistory sums = history.sums();
    for (int key = 0; key < sums.keys(); key++) {
      String wrong = sums.compare(key, reading.sums().getOrDefault(key, 0L));
      if (wrong != null) {
        violations.add("no-dup or durable-ack", wrong);
      }
      long before = 0;
      for (long total : fold.states(key)) {
        if (total <= before) {
          violations.add(
              "state-is-fold", "Sum %d goes from %d to %d".formatted(key, before, total));
        }
        before = total;
      }
    }
  }

  private void compareRows(Kind kind, Fold fold, Map<Integer, Long> rows) {
    if (!fold.rows().equals(rows)) {
      for (int key = 0; key < Contents.KEYS; key++) {
        long folded = fold.rows().getOrDefault(key, CellState.ABSENT);
        long found = rows.getOrDefault(key, CellState.ABSENT);
        if (folded != found) {
          violations.add(
              "state-is-fold",
              "Row %d of %s is %s; its changelog makes it %s"
                  .formatted(key, kind, CellState.describe(found), CellState.describe(folded)));
        }
      }
    }
  }

  /** What anybody was told of an offset is there now. */
  private void checkTold(Kind kind) {
    List<Records> buckets = reading.logs().get(kind);
    for (int bucket = 0; bucket < buckets.size(); bucket++) {
      OffsetContents told = history.told(kind, bucket);
      OffsetContents now = buckets.get(bucket).contents();
      for (long offset = 0; offset < told.end(); offset++) {
        if (told.at(offset) != 0 && told.at(offset) != now.at(offset)) {
          violations.add(
              "durable-ack",
              "Offset %d of bucket %d of %s was told to be %s, and is %s"
                  .formatted(
                      offset,
                      bucket,
                      kind,
                      History.describe(kind, told.at(offset)),
                      History.describe(kind, now.at(offset))));
        }
      }
    }
  }

  /** Below what is committed all replicas are the same bytes. */
  private void checkReplicas(Replicated bucket) {
    Copy first = bucket.copies().get(0);
    for (Copy copy : bucket.copies()) {
      if (copy.end() < bucket.committed()) {
        violations.add(
            "same-log",
            "%s on server %d ends at %d, below what is committed, %d"
                .formatted(bucket.name(), copy.server(), copy.end(), bucket.committed()));
      }
      String difference = difference(first.batches(), copy.batches(), bucket.committed());
      if (difference != null) {
        violations.add(
            "same-log",
            "%s on server %d is not what it is on server %d: %s"
                .formatted(bucket.name(), copy.server(), first.server(), difference));
      }
    }
  }

  private static String difference(List<StoredBatch> one, List<StoredBatch> other, long committed) {
    int at = 0;
    for (int i = 0; ; i++, at++) {
      StoredBatch left = i < one.size() ? one.get(i) : null;
      StoredBatch right = i < other.size() ? other.get(i) : null;
      boolean over =
          (left == null || left.baseOffset() >= committed)
              && (right == null || right.baseOffset() >= committed);
      if (over) {
        return null;
      }
      if (left == null || !left.equals(right)) {
        return "batch %d is %s and %s".formatted(at, right, left);
      }
    }
  }

  private static String shorten(String text) {
    return text.length() > 300 ? text.substring(0, 300) + "..." : text;
  }
}

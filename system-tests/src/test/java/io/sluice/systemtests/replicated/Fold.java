package io.sluice.systemtests.replicated;

import io.sluice.format.batch.ChangeType;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Reading.Records;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the changelog of a table makes of its rows, and on the way there. */
final class Fold {
  private final Kind kind;
  private final Violations violations;
  private final Map<Integer, Long> rows = new HashMap<>();
  private final Map<Integer, States> states = new HashMap<>();

  /** The states of a key. */
  private static final class States {
    private long[] values = new long[8];
    private int count;

    void add(long state) {
      if (count == values.length) {
        values = Arrays.copyOf(values, count * 2);
      }
      values[count++] = state;
    }
  }

  private Fold(Kind kind, Violations violations) {
    this.kind = kind;
    this.violations = violations;
  }

  /** Folds all buckets; a record that cannot follow the one before it is a violation. */
  static Fold of(Kind kind, List<Records> buckets, Violations violations) {
    Fold fold = new Fold(kind, violations);
    for (int bucket = 0; bucket < buckets.size(); bucket++) {
      fold.add(bucket, buckets.get(bucket));
    }
    return fold;
  }

  /** Rows by key, each in a number. */
  Map<Integer, Long> rows() {
    return rows;
  }

  /** The states that a key went through, in order; a delete leads to {@link CellState#ABSENT}. */
  long[] states(int key) {
    States found = states.get(key);
    return found == null ? new long[0] : Arrays.copyOf(found.values, found.count);
  }

  private void add(int bucket, Records records) {
    // The key of a -U whose +U must be the next record.
    int updating = -1;
    for (long offset = 0; offset < records.end(); offset++) {
      long change = records.contents().at(offset);
      if (change == 0) {
        // Taken by a put that changed nothing.
        continue;
      }
      int key = Contents.key(change);
      ChangeType type = Contents.type(change);
      long before = rows.getOrDefault(key, CellState.ABSENT);
      boolean pair = type == ChangeType.UPDATE_AFTER ? updating == key : updating < 0;
      if (!pair || !fits(type, before, Contents.state(change))) {
        violations.add(
            "state-is-fold",
            "Offset %d of bucket %d of %s, %s, cannot come after %s"
                .formatted(
                    offset,
                    bucket,
                    kind,
                    Contents.describeChange(change),
                    CellState.describe(before)));
      }
      updating = type == ChangeType.UPDATE_BEFORE ? key : -1;
      apply(type, key, Contents.state(change));
    }
    if (updating >= 0) {
      violations.add(
          "state-is-fold",
          "Bucket %d of %s ends with half an update of key %d".formatted(bucket, kind, updating));
    }
  }

  private static boolean fits(ChangeType type, long before, long state) {
    return switch (type) {
      case INSERT -> before == CellState.ABSENT;
      case UPDATE_BEFORE, DELETE -> before == state;
      case UPDATE_AFTER -> before != CellState.ABSENT && before != state;
      case APPEND -> false;
    };
  }

  private void apply(ChangeType type, int key, long state) {
    switch (type) {
      case INSERT, UPDATE_AFTER -> {
        rows.put(key, state);
        states.computeIfAbsent(key, any -> new States()).add(state);
      }
      case DELETE -> {
        rows.remove(key);
        states.computeIfAbsent(key, any -> new States()).add(CellState.ABSENT);
      }
      default -> {
        // The first half of an update.
      }
    }
  }
}

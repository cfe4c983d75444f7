package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.format.merge.DeleteBehavior;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a bucket of a {@link ModelTable} must do, in maps and lists: the rows as the writers know
 * them, the changelog, and its fold to any offset. Knows nothing of the code it is compared with.
 */
final class KvModel {
  // Folds at multiples of it are kept, as the log is folded often.
  private static final int KEPT_FOLD = 500;

  private final ModelTable table;
  private final TreeMap<Integer, Stored> latest = new TreeMap<>();
  private final List<Entry> log = new ArrayList<>();
  private final Map<Integer, @Nullable Stored> pending = new HashMap<>();
  private final List<Entry> records = new ArrayList<>();
  private final TreeMap<Integer, TreeMap<Integer, Stored>> folds = new TreeMap<>();
  private long nowMs;
  private long nextId;

  /** A row and the time of its last change. */
  record Stored(@Nullable Object[] row, long modifiedMs) {}

  private record Entry(String type, @Nullable Object[] row, long timeMs) {
    int key() {
      return (Integer) row[0];
    }

    String show() {
      return type + Arrays.toString(row);
    }
  }

  /** One row of a put; columns that it does not write are ignored. */
  record Change(boolean delete, @Nullable Object[] row) {}

  /** The put is refused, and nothing of it is done. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final ErrorCode code;

    Refused(ErrorCode code) {
      super(code.name());
      this.code = code;
    }

    ErrorCode code() {
      return code;
    }
  }

  KvModel(ModelTable table) {
    this.table = table;
  }

  long end() {
    return log.size();
  }

  /** Begins a call: its time, and the id that the next new row gets. */
  void begin(long now, long id) {
    nowMs = now;
    nextId = id;
    pending.clear();
    records.clear();
  }

  /** Ends a call that was taken. */
  List<String> commit() {
    pending.forEach(
        (key, stored) -> {
          if (stored == null) {
            latest.remove(key);
          } else {
            latest.put(key, stored);
          }
        });
    log.addAll(records);
    return records.stream().map(Entry::show).toList();
  }

  /** The id after those given away since {@link #begin}. */
  long nextId() {
    return nextId;
  }

  private @Nullable Stored stored(int key) {
    return pending.containsKey(key) ? pending.get(key) : latest.get(key);
  }

  private boolean expired(Stored stored) {
    return expired(stored, nowMs);
  }

  private boolean expired(Stored stored, long now) {
    return table.expires() && stored.modifiedMs() + ModelTable.TTL_MS <= now;
  }

  private void emit(String type, @Nullable Object[] row) {
    records.add(new Entry(type, row, nowMs));
    if (type.equals("-D")) {
      pending.put((Integer) row[0], null);
    } else if (!type.equals("-U")) {
      pending.put((Integer) row[0], new Stored(row, nowMs));
    }
  }

  /**
   * Takes a put.
   *
   * @param writes by column, whether the put writes it
   * @param whole whether the put has all columns of the table and its deletes delete
   * @param partial whether deletes keep the row
   */
  void put(boolean[] writes, boolean whole, boolean partial, List<Change> changes) throws Refused {
    boolean blind =
        table.wal() && whole && !table.expires() && !table.ids() && table.takesPartialUpdates();
    for (Change change : changes) {
      if (change.delete()) {
        delete((Integer) change.row()[0], writes, partial);
      } else if (blind) {
        emit("+U", change.row());
      } else {
        upsert((Integer) change.row()[0], change.row(), writes);
      }
    }
  }

  private void delete(int key, boolean[] writes, boolean partial) throws Refused {
    if (table.deletes() == DeleteBehavior.DISABLE) {
      throw new Refused(ErrorCode.DELETE_DISABLED);
    }
    Stored old = stored(key);
    if (table.deletes() == DeleteBehavior.IGNORE || old == null) {
      return;
    }
    if (!partial || expired(old)) {
      emit("-D", old.row());
      return;
    }
    Object[] after = old.row().clone();
    for (int column = 1; column < after.length; column++) {
      after[column] = writes[column] ? null : after[column];
    }
    replace(old.row(), after);
  }

  private void upsert(int key, @Nullable Object[] given, boolean[] writes) throws Refused {
    Stored old = stored(key);
    if (old == null || expired(old)) {
      Object[] after = fresh(key);
      for (int column = 1; column < after.length; column++) {
        if (writes[column]) {
          after[column] = table.aggregates() ? first(column, given[column]) : given[column];
        }
      }
      insert(old, after);
      return;
    }
    Object[] after = old.row().clone();
    switch (table.engine()) {
      case FIRST_ROW -> {
        return;
      }
      case VERSIONED -> {
        Object version = given[ModelTable.VERSION];
        Object before = after[ModelTable.VERSION];
        if (before != null && (version == null || (Long) version < (Long) before)) {
          return;
        }
      }
      default -> {}
    }
    for (int column = 1; column < after.length; column++) {
      if (writes[column]) {
        after[column] =
            table.aggregates() ? aggregate(column, after[column], given[column]) : given[column];
      }
    }
    replace(old.row(), after);
  }

  private @Nullable Object[] fresh(int key) {
    Object[] row = new Object[ModelTable.COLUMNS];
    row[0] = key;
    row[4] = ModelTable.DEFAULT_C;
    return row;
  }

  private void insert(@Nullable Stored expired, @Nullable Object[] after) {
    if (table.ids()) {
      after[ModelTable.ID] = nextId++;
    }
    if (expired != null) {
      emit("-D", expired.row());
    }
    emit("+I", after);
  }

  private void replace(@Nullable Object[] before, @Nullable Object[] after) {
    if (!Arrays.equals(before, after)) {
      if (!table.wal()) {
        emit("-U", before);
      }
      emit("+U", after);
    }
  }

  private @Nullable Object first(int column, @Nullable Object given) throws Refused {
    checkSet(given);
    return given != null && table.function(column).equals("count") ? (Object) 1L : given;
  }

  private static void checkSet(@Nullable Object given) throws Refused {
    if (ModelTable.MALFORMED.equals(given)) {
      throw new Refused(ErrorCode.INVALID_VALUE);
    }
  }

  private @Nullable Object aggregate(int column, @Nullable Object old, @Nullable Object given)
      throws Refused {
    String function = table.function(column);
    if (function.equals("last_value") || function.equals("first_value")) {
      return function.equals("last_value") ? given : old;
    }
    if (given == null || old == null) {
      return given == null ? old : first(column, given);
    }
    checkSet(given);
    return switch (function) {
      case "count" -> (Long) old + 1;
      case "sum" -> {
        BigInteger sum = BigInteger.valueOf((Long) old).add(BigInteger.valueOf((Long) given));
        if (sum.bitLength() > 63) {
          throw new Refused(ErrorCode.AGGREGATE_OVERFLOW);
        }
        yield sum.longValue();
      }
      case "product" ->
          (int)
              Math.max(
                  Integer.MIN_VALUE,
                  Math.min(Integer.MAX_VALUE, (long) (Integer) old * (Integer) given));
      case "min" -> Math.min((Integer) old, (Integer) given);
      case "max" -> ((String) old).compareTo((String) given) >= 0 ? old : given;
      case "listagg" -> old + "," + given;
      case "last_value_ignore_nulls" -> given;
      case "first_value_ignore_nulls" -> old;
      default -> {
        TreeSet<Object> union = new TreeSet<>();
        union.addAll((TreeSet<?>) old);
        union.addAll((TreeSet<?>) given);
        yield union;
      }
    };
  }

  void insertMissing(List<Integer> keys) {
    for (Integer key : keys) {
      Stored old = stored(key);
      if (old == null || expired(old)) {
        insert(old, fresh(key));
      }
    }
  }

  void removeExpired(List<Integer> keys) {
    for (Integer key : keys) {
      Stored old = stored(key);
      if (old != null && expired(old)) {
        emit("-D", old.row());
      }
    }
  }

  /** Cuts the log, and forgets what the records behind the cut have done. */
  void truncate(long end) {
    if (end < log.size()) {
      log.subList((int) end, log.size()).clear();
      folds.tailMap((int) end, false).clear();
      latest.clear();
      latest.putAll(rowsAt(end));
    }
  }

  /** The fold of the log below an offset, and the check that the log tells no lies. */
  TreeMap<Integer, Stored> rowsAt(long offset) {
    Map.Entry<Integer, TreeMap<Integer, Stored>> known = folds.floorEntry((int) offset);
    TreeMap<Integer, Stored> rows =
        known == null ? new TreeMap<>() : new TreeMap<>(known.getValue());
    for (int i = known == null ? 0 : known.getKey(); i < offset; i++) {
      Entry entry = log.get(i);
      checkRecord(entry, i == 0 ? null : log.get(i - 1), rows.get(entry.key()));
      if (entry.type().equals("-D")) {
        rows.remove(entry.key());
      } else if (!entry.type().equals("-U")) {
        rows.put(entry.key(), new Stored(entry.row(), entry.timeMs()));
      }
      if ((i + 1) % KEPT_FOLD == 0) {
        folds.put(i + 1, new TreeMap<>(rows));
      }
    }
    return rows;
  }

  private void checkRecord(Entry entry, @Nullable Entry before, @Nullable Stored old) {
    boolean right =
        switch (entry.type()) {
          case "+I" -> old == null;
          case "+U" -> table.wal() || before != null && before.type().equals("-U");
          default -> old != null && Arrays.equals(old.row(), entry.row());
        };
    if (!right) {
      throw new AssertionError(entry.show() + " follows " + (old == null ? "none" : show(old)));
    }
  }

  /** The fold below an offset in key order, with the times of the rows. */
  List<String> fold(long offset) {
    return rowsAt(offset).values().stream().map(KvModel::show).toList();
  }

  /** The rows of that fold that readers see at a time. */
  List<String> visible(long offset, long now) {
    return rowsAt(offset).values().stream()
        .filter(stored -> !expired(stored, now))
        .map(KvModel::show)
        .toList();
  }

  /** Rows below an offset, -1 when a record before it does not tell whether its row was new. */
  long count(long offset) {
    boolean unknown =
        table.wal()
            && log.subList(0, (int) offset).stream().anyMatch(each -> each.type().equals("+U"));
    return unknown ? -1 : rowsAt(offset).size();
  }

  /** The newest row of a key as readers see it at a time, null for none. */
  @Nullable String visible(int key, long now) {
    Stored stored = latest.get(key);
    return stored == null || expired(stored, now) ? null : show(stored);
  }

  private static String show(Stored stored) {
    return Arrays.toString(stored.row()) + " at " + stored.modifiedMs();
  }
}

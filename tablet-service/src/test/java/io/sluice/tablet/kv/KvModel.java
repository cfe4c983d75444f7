package io.sluice.tablet.kv;

import io.sluice.tablet.kv.KvFixture.Change;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a bucket of {@link KvFixture#SCHEMA} must do, in maps and lists: the rows as the writers
 * know them, the changelog, and its fold to any offset.
 */
final class KvModel {
  private final TreeMap<Integer, @Nullable Object[]> latest = new TreeMap<>();
  private final List<Entry> log = new ArrayList<>();

  private record Entry(String type, @Nullable Object[] row) {
    int key() {
      return (Integer) row[0];
    }
  }

  long end() {
    return log.size();
  }

  /**
   * Takes a put.
   *
   * @param positions by column of the put's rows, its position in the table
   * @param targets by column of the table, whether the put writes it
   * @return the records it must give
   */
  List<String> put(int[] positions, boolean[] targets, boolean partial, List<Change> changes) {
    int before = log.size();
    for (Change change : changes) {
      Object[] given = new Object[4];
      for (int i = 0; i < positions.length; i++) {
        given[positions[i]] = value(change, i, positions[i]);
      }
      take((Integer) given[0], given, targets, change.delete(), partial);
    }
    return log.subList(before, log.size()).stream().map(KvModel::show).toList();
  }

  private static @Nullable Object value(Change change, int at, int column) {
    if (change.row().isNull(at)) {
      return null;
    }
    boolean number = column == 0 || column == 3;
    return number ? (Object) change.row().getInt(at) : change.row().getString(at);
  }

  private void take(
      int key, @Nullable Object[] given, boolean[] targets, boolean delete, boolean partial) {
    Object[] old = latest.get(key);
    if (delete && old == null) {
      return;
    }
    if (delete && !partial) {
      latest.remove(key);
      log.add(new Entry("-D", old));
      return;
    }
    Object[] after = old == null ? new Object[4] : old.clone();
    after[0] = key;
    for (int column = 1; column < 4; column++) {
      if (targets[column]) {
        after[column] = delete ? null : given[column];
      }
    }
    if (old == null) {
      log.add(new Entry("+I", after));
    } else if (!Arrays.equals(old, after)) {
      log.add(new Entry("-U", old));
      log.add(new Entry("+U", after));
    }
    latest.put(key, after);
  }

  /** Cuts the log, and forgets what the records behind the cut have done. */
  void truncate(long end) {
    log.subList((int) end, log.size()).clear();
    latest.clear();
    latest.putAll(rowsAt(end));
  }

  private TreeMap<Integer, @Nullable Object[]> rowsAt(long offset) {
    TreeMap<Integer, @Nullable Object[]> rows = new TreeMap<>();
    for (Entry entry : log.subList(0, (int) offset)) {
      switch (entry.type()) {
        case "-D" -> rows.remove(entry.key());
        case "-U" -> {}
        default -> rows.put(entry.key(), entry.row());
      }
    }
    return rows;
  }

  /** The fold of the log below an offset, in key order. */
  List<String> fold(long offset) {
    return rowsAt(offset).values().stream().map(Arrays::toString).toList();
  }

  /** The newest row of a key, as text. */
  @Nullable String latest(int key) {
    Object[] row = latest.get(key);
    return row == null ? null : Arrays.toString(row);
  }

  Map<Integer, @Nullable Object[]> latest() {
    return latest;
  }

  private static String show(Entry entry) {
    return entry.type() + Arrays.toString(entry.row());
  }
}

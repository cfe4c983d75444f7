package io.sluice.lake.sqlfakes;

import io.sluice.client.TableDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table of the {@link FakeCluster}: every bucket's log, and what may happen when it is read. */
public final class FakeTable {
  /** A record of a log. */
  public record Entry(List<Object> values, long timestampMs, String change) {}

  private final TableDescription description;
  private final List<List<Entry>> buckets = new ArrayList<>();

  FakeTable(TableDescription description) {
    this.description = description;
    for (int i = 0; i < description.bucketCount(); i++) {
      buckets.add(new ArrayList<>());
    }
  }

  public TableDescription description() {
    return description;
  }

  public List<Entry> bucket(int bucket) {
    return buckets.get(bucket);
  }

  /** Appends a row to a bucket. */
  public void append(int bucket, Object... values) {
    List<Entry> log = buckets.get(bucket);
    log.add(new Entry(java.util.Arrays.asList(values), 1_000_000L + log.size(), "+I"));
  }

  /** Appends a change of a primary-key table to its only bucket. */
  public void change(String change, Object... values) {
    List<Entry> log = buckets.get(0);
    log.add(new Entry(java.util.Arrays.asList(values), 1_000_000L + log.size(), change));
  }

  /** The current rows of bucket 0, keyed by the first column. */
  List<Entry> current() {
    Map<Object, Entry> rows = new LinkedHashMap<>();
    for (Entry entry : buckets.get(0)) {
      Object key = entry.values().get(0);
      if (entry.change().equals("-D")) {
        rows.remove(key);
      } else if (!entry.change().equals("-U")) {
        rows.put(key, entry);
      }
    }
    return new ArrayList<>(rows.values());
  }
}

package io.sluice.lake.sqlfakes;

import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.bitmap.Bitmap;
import io.sluice.lake.bitmap.BitmapFormat;
import io.sluice.lake.bitmap.BitmapWidth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A table of the {@link FakeCluster}: every bucket's log, and what may happen when it is read. */
public final class FakeTable {
  /** A record of a log, with its values by the ids of their columns. */
  public record Entry(Map<Integer, Object> byId, long timestampMs, String change) {
    /** The values in the order of that schema; what was not there is its initial default. */
    public List<Object> values(TableSchema schema) {
      List<Object> values = new ArrayList<>();
      for (Column column : schema.columns()) {
        String initial = column.initialDefault();
        Object absent = initial == null ? null : DefaultValues.parse(column.type(), initial);
        values.add(byId.containsKey(column.id()) ? byId.get(column.id()) : absent);
      }
      return values;
    }
  }

  private TableDescription description;
  private int lastId;
  private final List<TableSchema> history = new ArrayList<>();
  private final Map<TableBucket, List<Entry>> buckets = new TreeMap<>();

  FakeTable(TableDescription description) {
    this.description = description;
    history.add(description.schema());
    if (!description.partitioned()) {
      addBuckets(TableBucket.NO_PARTITION);
    }
  }

  public TableDescription description() {
    return description;
  }

  List<TableSchema> history() {
    return history;
  }

  /** Takes another description, with another schema or other partitions. */
  void become(TableDescription changed) {
    if (!changed.schema().equals(description.schema())) {
      history.add(changed.schema());
    }
    description = changed;
  }

  void addBuckets(long partitionId) {
    for (int i = 0; i < description.bucketCount(); i++) {
      buckets.put(new TableBucket(description.tableId(), partitionId, i), new ArrayList<>());
    }
  }

  void removeBuckets(long partitionId) {
    buckets.keySet().removeIf(bucket -> bucket.partitionId() == partitionId);
  }

  Map<TableBucket, List<Entry>> buckets() {
    return buckets;
  }

  public List<Entry> bucket(int bucket) {
    return bucket(TableBucket.of(description.tableId(), bucket));
  }

  /** The values of a bucket's records in the order of the current schema. */
  public List<List<Object>> rows(int bucket) {
    return bucket(bucket).stream().map(entry -> entry.values(description.schema())).toList();
  }

  List<Entry> bucket(TableBucket bucket) {
    return buckets.get(bucket);
  }

  /** Appends a row to a bucket. */
  public void append(int bucket, Object... values) {
    append(TableBucket.of(description.tableId(), bucket), "+I", Arrays.asList(values));
  }

  /** Appends a change of a primary-key table to its only bucket. */
  public void change(String change, Object... values) {
    append(TableBucket.of(description.tableId(), 0), change, Arrays.asList(values));
  }

  /** Appends a record with a value for each column of the current schema. */
  void append(TableBucket bucket, String change, List<Object> values) {
    Map<Integer, Object> byId = new HashMap<>();
    List<Column> columns = description.schema().columns();
    for (int i = 0; i < columns.size(); i++) {
      byId.put(columns.get(i).id(), values.get(i));
    }
    List<Entry> log = buckets.get(bucket);
    log.add(new Entry(byId, 1_000_000L + log.size(), change));
  }

  /** The row that a put leaves by the table's merge rules, as far as tests need them. */
  List<Object> merged(List<Object> put) {
    TableSchema schema = description.schema();
    if (schema.primaryKey().isEmpty()) {
      return put;
    }
    MergeRules rules = MergeRules.of(schema, description.options());
    Entry before = byKey().get(key(put));
    List<Object> old = before == null ? null : before.values(schema);
    List<Object> merged = new ArrayList<>(put);
    int numbered = rules.autoIncrementColumn();
    if (numbered >= 0) {
      merged.set(numbered, old == null ? Integer.valueOf(++lastId) : old.get(numbered));
    }
    for (int i = 0; i < merged.size(); i++) {
      boolean key = schema.primaryKey().contains(schema.columns().get(i).name());
      if (!key && rules.engine() == MergeEngine.AGGREGATION && old != null) {
        merged.set(i, aggregated(rules.aggregate(i).function(), old.get(i), put.get(i)));
      }
    }
    return merged;
  }

  private static Object aggregated(AggFunction function, Object old, Object put) {
    if (old == null || put == null) {
      return old == null ? put : old;
    }
    return switch (function) {
      case SUM -> (Long) old + (Long) put;
      case RBM32 -> {
        Bitmap bitmap = BitmapFormat.read((byte[]) old, BitmapWidth.NARROW);
        bitmap.or(BitmapFormat.read((byte[]) put, BitmapWidth.NARROW));
        yield BitmapFormat.write(bitmap, BitmapWidth.NARROW);
      }
      default -> put;
    };
  }

  private List<Object> key(List<Object> row) {
    TableSchema schema = description.schema();
    return schema.primaryKey().stream().map(name -> row.get(schema.position(name))).toList();
  }

  /** The current rows of all buckets, by the primary key. */
  List<Entry> current() {
    return new ArrayList<>(byKey().values());
  }

  /** The current rows by the values of their keys. */
  Map<List<Object>, Entry> byKey() {
    Map<List<Object>, Entry> rows = new LinkedHashMap<>();
    for (List<Entry> log : buckets.values()) {
      for (Entry entry : log) {
        List<Object> key = key(entry.values(description.schema()));
        if (entry.change().equals("-D")) {
          rows.remove(key);
        } else if (!entry.change().equals("-U")) {
          rows.put(key, entry);
        }
      }
    }
    return rows;
  }
}

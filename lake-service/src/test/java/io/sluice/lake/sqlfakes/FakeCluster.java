package io.sluice.lake.sqlfakes;

import io.sluice.client.BucketDescription;
import io.sluice.client.BucketOffsets;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.TableScan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Databases and tables in memory. */
public final class FakeCluster implements Cluster, AutoCloseable {
  private final TreeSet<String> databases = new TreeSet<>(List.of("demo"));
  private final Map<TablePath, FakeTable> tables =
      new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
  private final BufferAllocator allocator = new RootAllocator();
  private final List<String> calls = new ArrayList<>();
  private long nextId = 1;

  /** Runs before each poll of a scan. */
  public volatile Runnable beforePoll = () -> {};

  /** What the last scan was asked for. */
  public volatile TableScan lastScan;

  /** The columns of the last sink. */
  public volatile List<String> lastSinkColumns = List.of();

  /** Calls that matter for their order, in that order. */
  public List<String> calls() {
    return calls;
  }

  public FakeTable table(String path) {
    return tables.get(TablePath.parse(path));
  }

  public FakeTable create(TableSpec spec) {
    createTable(spec);
    return tables.get(spec.path());
  }

  /** Bytes of batches that nobody has freed. */
  public long allocatedBytes() {
    return allocator.getAllocatedMemory();
  }

  @Override
  public List<String> databases() {
    return List.copyOf(databases);
  }

  @Override
  public void createDatabase(String name, boolean ignoreIfExists) {
    if (!databases.add(name) && !ignoreIfExists) {
      throw new SluiceException(ErrorCode.DATABASE_EXISTS, "Database '" + name + "' exists");
    }
  }

  @Override
  public boolean dropDatabase(String name, boolean ignoreIfMissing, boolean cascade) {
    boolean used = tables.keySet().stream().anyMatch(path -> path.database().equals(name));
    if (used && !cascade) {
      throw new SluiceException(ErrorCode.DATABASE_NOT_EMPTY, "Database " + name + " has tables");
    }
    tables.keySet().removeIf(path -> path.database().equals(name));
    boolean dropped = databases.remove(name);
    if (!dropped && !ignoreIfMissing) {
      throw new SluiceException(ErrorCode.DATABASE_NOT_FOUND, "No database " + name);
    }
    return dropped;
  }

  @Override
  public List<TableDescription> tables(String database) {
    if (!databases.contains(database)) {
      throw new SluiceException(ErrorCode.DATABASE_NOT_FOUND, "No database " + database);
    }
    return tables.values().stream()
        .map(FakeTable::description)
        .filter(table -> table.path().database().equals(database))
        .toList();
  }

  @Override
  public TableDescription describe(TablePath path) {
    FakeTable table = tables.get(path);
    if (table == null) {
      throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "No table " + path);
    }
    return table.description();
  }

  @Override
  public TableDescription createTable(TableSpec spec) {
    if (!databases.contains(spec.path().database())) {
      throw new SluiceException(
          ErrorCode.DATABASE_NOT_FOUND, "No database " + spec.path().database());
    }
    if (tables.containsKey(spec.path())) {
      if (spec.ignoreIfExists()) {
        return describe(spec.path());
      }
      throw new SluiceException(ErrorCode.TABLE_EXISTS, "Table " + spec.path() + " exists");
    }
    List<Column> columns = new ArrayList<>();
    for (TableSpec.ColumnSpec column : spec.columns()) {
      columns.add(
          new Column(
              columns.size() + 1,
              column.name(),
              column.type(),
              column.nullable(),
              column.comment(),
              null,
              column.defaultValue()));
    }
    int buckets = Integer.parseInt(spec.options().getOrDefault("bucket.num", "1"));
    TableDescription description =
        new TableDescription(
            nextId++,
            spec.path(),
            new TableSchema(1, columns, spec.primaryKey()),
            buckets,
            List.of(),
            spec.options(),
            spec.comment(),
            0,
            1,
            List.<BucketDescription>of(),
            spec.partitionKeys(),
            List.of());
    tables.put(spec.path(), new FakeTable(description));
    return description;
  }

  @Override
  public boolean dropTable(TablePath path, boolean ignoreIfMissing) {
    boolean dropped = tables.remove(path) != null;
    if (!dropped && !ignoreIfMissing) {
      throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "No table " + path);
    }
    return dropped;
  }

  @Override
  public TableDescription alterTable(TablePath path, List<SchemaChange> changes) {
    FakeTable table = found(path);
    TableDescription old = table.description();
    Set<String> fixed = new HashSet<>(old.schema().primaryKey());
    fixed.addAll(old.partitionKeys());
    TableSchema schema = SchemaEvolution.apply(table.history(), changes, fixed);
    table.become(with(old, schema, old.options(), old.comment(), old.partitions()));
    return table.description();
  }

  @Override
  public TableDescription alterTable(
      TablePath path, List<SchemaChange> changes, Map<String, String> options) {
    alterTable(path, changes);
    return alterOptions(path, options, List.of());
  }

  @Override
  public TableDescription alterOptions(
      TablePath path, Map<String, String> set, List<String> reset) {
    FakeTable table = found(path);
    TableDescription old = table.description();
    Map<String, String> options = new TreeMap<>(old.options());
    options.putAll(set);
    options.keySet().removeAll(reset);
    table.become(with(old, old.schema(), options, old.comment(), old.partitions()));
    return table.description();
  }

  @Override
  public TableDescription alterComment(TablePath path, String comment) {
    FakeTable table = found(path);
    TableDescription old = table.description();
    table.become(with(old, old.schema(), old.options(), comment, old.partitions()));
    return table.description();
  }

  private FakeTable found(TablePath path) {
    describe(path);
    return tables.get(path);
  }

  private static TableDescription with(
      TableDescription old,
      TableSchema schema,
      Map<String, String> options,
      String comment,
      List<PartitionDescription> partitions) {
    return new TableDescription(
        old.tableId(),
        old.path(),
        schema,
        old.bucketCount(),
        old.bucketKey(),
        options,
        comment,
        old.createdMs(),
        old.replicationFactor(),
        old.buckets(),
        old.partitionKeys(),
        partitions);
  }

  @Override
  public PartitionDescription createPartition(
      TablePath path, List<String> values, boolean ignoreIfExists) {
    FakeTable table = found(path);
    TableDescription old = table.description();
    PartitionKeys keys = PartitionKeys.of(old.schema(), old.partitionKeys());
    List<String> canonical = keys.check(values);
    for (PartitionDescription partition : old.partitions()) {
      if (partition.values().equals(canonical)) {
        if (ignoreIfExists) {
          return partition;
        }
        throw new SluiceException(
            ErrorCode.PARTITION_EXISTS,
            "Partition " + partition.name() + " of " + path + " exists");
      }
    }
    PartitionDescription made =
        new PartitionDescription(nextId++, canonical, keys.name(canonical), 0);
    List<PartitionDescription> partitions = new ArrayList<>(old.partitions());
    partitions.add(made);
    table.become(with(old, old.schema(), old.options(), old.comment(), partitions));
    table.addBuckets(made.partitionId());
    return made;
  }

  @Override
  public boolean dropPartition(TablePath path, List<String> values, boolean ignoreIfMissing) {
    FakeTable table = found(path);
    TableDescription old = table.description();
    List<PartitionDescription> left = new ArrayList<>(old.partitions());
    for (PartitionDescription partition : old.partitions()) {
      if (partition.values().equals(values)) {
        left.remove(partition);
        table.removeBuckets(partition.partitionId());
      }
    }
    boolean dropped = left.size() < old.partitions().size();
    if (!dropped && !ignoreIfMissing) {
      throw new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND, "Partition " + values + " of " + path + " does not exist");
    }
    table.become(with(old, old.schema(), old.options(), old.comment(), left));
    return dropped;
  }

  @Override
  public Map<TableBucket, BucketOffsets> offsets(TablePath path) {
    calls.add("offsets " + path);
    Map<TableBucket, BucketOffsets> offsets = new TreeMap<>();
    tables
        .get(path)
        .buckets()
        .forEach(
            (bucket, log) -> {
              long end = log.size();
              offsets.put(bucket, new BucketOffsets(0, end, end, end, 1, 0));
            });
    return offsets;
  }

  @Override
  public LogScanner open(TableDescription table, TableScan scan) {
    lastScan = scan;
    return new FakeScanner(tables.get(table.path()), scan, allocator, beforePoll);
  }

  @Override
  public List<Optional<Row>> find(TableDescription table, List<String> columns, List<Key> keys) {
    Map<List<Object>, FakeTable.Entry> rows = tables.get(table.path()).byKey();
    List<Optional<Row>> found = new ArrayList<>();
    for (Key key : keys) {
      FakeTable.Entry entry = rows.get(values(key));
      found.add(
          entry == null
              ? Optional.empty()
              : Optional.of(
                  GenericRow.of(
                      columns.stream()
                          .map(
                              name ->
                                  entry.values(table.schema()).get(table.schema().position(name)))
                          .toArray())));
    }
    return found;
  }

  private static List<Object> values(Key key) {
    GenericRow row = (GenericRow) key.row();
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < row.columnCount(); i++) {
      values.add(row.value(i));
    }
    return values;
  }

  @Override
  public RowSink sink(TableDescription table, List<String> columns) {
    lastSinkColumns = columns;
    FakeTable target = tables.get(table.path());
    return new RowSink() {
      @Override
      public void write(Row row) {
        Object[] values = new Object[table.schema().size()];
        int numbered = MergeRules.of(table.schema(), table.options()).autoIncrementColumn();
        for (int i = 0; i < row.columnCount(); i++) {
          int whole = numbered >= 0 && i >= numbered ? i + 1 : i;
          int position = columns.isEmpty() ? whole : table.schema().position(columns.get(i));
          values[position] = ((GenericRow) row).value(i);
        }
        List<Column> schema = table.schema().columns();
        for (int i = 0; i < values.length; i++) {
          if (values[i] == null && !schema.get(i).nullable() && columns.isEmpty()) {
            throw new SluiceException(
                ErrorCode.INVALID_VALUE, "Column '" + schema.get(i).name() + "' is NOT NULL");
          }
        }
        List<Object> whole = target.merged(Arrays.asList(values));
        target.append(bucketOf(target, whole), "+I", whole);
      }

      @Override
      public void delete(Key key) {
        FakeTable.Entry found = target.byKey().get(values(key));
        if (found != null) {
          List<Object> whole = found.values(table.schema());
          target.append(bucketOf(target, whole), "-D", whole);
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  /** The first bucket, of the partition that the row belongs to, which is made when need be. */
  private TableBucket bucketOf(FakeTable table, List<Object> row) {
    TableDescription description = table.description();
    if (!description.partitioned()) {
      return TableBucket.of(description.tableId(), 0);
    }
    PartitionKeys keys = PartitionKeys.of(description.schema(), description.partitionKeys());
    List<String> values = keys.values(GenericRow.of(row.toArray()));
    return new TableBucket(
        description.tableId(), createPartition(description.path(), values, true).partitionId(), 0);
  }

  @Override
  public void close() {
    allocator.close();
  }
}

package io.sluice.lake.sqlfakes;

import io.sluice.client.BucketDescription;
import io.sluice.client.BucketOffsets;
import io.sluice.client.LogScanner;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.TableScan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
              column.comment()));
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
            List.<BucketDescription>of());
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
  public Map<Integer, BucketOffsets> offsets(TablePath path) {
    calls.add("offsets " + path);
    FakeTable table = tables.get(path);
    Map<Integer, BucketOffsets> offsets = new TreeMap<>();
    for (int i = 0; i < table.description().bucketCount(); i++) {
      long end = table.bucket(i).size();
      offsets.put(i, new BucketOffsets(0, end, end, end, 1, 0));
    }
    return offsets;
  }

  @Override
  public LogScanner open(TableDescription table, TableScan scan) {
    lastScan = scan;
    return new FakeScanner(tables.get(table.path()), scan, allocator, beforePoll);
  }

  @Override
  public RowSink sink(TableDescription table, List<String> columns) {
    lastSinkColumns = columns;
    FakeTable target = tables.get(table.path());
    return new RowSink() {
      @Override
      public void write(Row row) {
        Object[] values = new Object[table.schema().size()];
        for (int i = 0; i < row.columnCount(); i++) {
          int position = columns.isEmpty() ? i : table.schema().position(columns.get(i));
          values[position] = ((GenericRow) row).value(i);
        }
        List<Column> schema = table.schema().columns();
        for (int i = 0; i < values.length; i++) {
          if (values[i] == null && !schema.get(i).nullable() && columns.isEmpty()) {
            throw new SluiceException(
                ErrorCode.INVALID_VALUE, "Column '" + schema.get(i).name() + "' is NOT NULL");
          }
        }
        target.bucket(0).add(new FakeTable.Entry(Arrays.asList(values), 5, "+I"));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {
    allocator.close();
  }
}

package io.sluice.lake.sqlfakes;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Filter;
import io.sluice.format.filter.Selection;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.union.TableScan;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Gives the rows of a scan in small batches, some of them empty. A scan with a condition to skip by
 * gets only rows that fulfil it, as if statistics told everything and every batch had one row.
 */
final class FakeScanner implements LogScanner {
  private static final int BATCH_ROWS = 3;

  private final FakeTable table;
  private final TableScan scan;
  private final BufferAllocator allocator;
  private final Runnable beforePoll;
  private final Deque<Slice> slices = new ArrayDeque<>();
  private boolean closed;

  private record Slice(TableBucket bucket, long base, List<FakeTable.Entry> entries) {}

  FakeScanner(FakeTable table, TableScan scan, BufferAllocator allocator, Runnable beforePoll) {
    this.table = table;
    this.scan = scan;
    this.allocator = allocator;
    this.beforePoll = beforePoll;
    if (scan.current()) {
      cut(TableBucket.of(table.description().tableId(), 0), 0, table.current());
      return;
    }
    new TreeMap<>(scan.start())
        .forEach(
            (bucket, start) -> {
              long end = scan.end().get(bucket);
              cut(bucket, start, table.bucket(bucket).subList((int) (long) start, (int) end));
            });
  }

  private void cut(TableBucket bucket, long base, List<FakeTable.Entry> entries) {
    slices.add(new Slice(bucket, base, List.of()));
    int rows = scan.skip().isEmpty() ? BATCH_ROWS : 1;
    for (int i = 0; i < entries.size(); i += rows) {
      List<FakeTable.Entry> batch = entries.subList(i, Math.min(entries.size(), i + rows));
      if (scan.skip().isEmpty() || fulfils(batch.get(0))) {
        slices.add(new Slice(bucket, base + i, List.copyOf(batch)));
      }
    }
  }

  private boolean fulfils(FakeTable.Entry entry) {
    TableSchema schema = table.description().schema();
    BoundFilter filter = Filter.parse(scan.skip()).bind(schema);
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 1);
      writers.write(GenericRow.of(entry.values(schema).toArray()));
      writers.finish();
      List<FieldVector> vectors = new ArrayList<>();
      for (int id : filter.columnIds()) {
        for (int i = 0; i < schema.size(); i++) {
          if (schema.columns().get(i).id() == id) {
            vectors.add(root.getVector(i));
          }
        }
      }
      Selection selection = new Selection();
      filter.select(vectors, 1, selection);
      return selection.contains(0);
    }
  }

  @Override
  public List<ScanBatch> poll(Duration timeout) {
    beforePoll.run();
    Slice slice = slices.poll();
    return slice == null ? List.of() : List.of(new Batch(slice, vectors(slice)));
  }

  private VectorSchemaRoot vectors(Slice slice) {
    TableSchema schema = table.description().schema();
    List<Column> columns = scan.columns().stream().map(schema::column).toList();
    List<FieldVector> vectors = new ArrayList<>();
    if (!columns.isEmpty()) {
      TableSchema projected = new TableSchema(1, columns, List.of());
      VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(projected), allocator);
      ColumnWriters writers = ColumnWriters.of(projected, root, Math.max(1, slice.entries.size()));
      for (FakeTable.Entry entry : slice.entries) {
        writers.write(
            GenericRow.of(
                columns.stream()
                    .map(column -> entry.values(schema).get(schema.position(column.name())))
                    .toArray()));
      }
      vectors.addAll(writers.finish().getFieldVectors());
    }
    addMetadata(slice, vectors);
    VectorSchemaRoot root = new VectorSchemaRoot(vectors);
    root.setRowCount(slice.entries.size());
    return root;
  }

  private void addMetadata(Slice slice, List<FieldVector> vectors) {
    int rows = slice.entries.size();
    if (scan.withOffset()) {
      BigIntVector offsets = new BigIntVector("_offset", allocator);
      for (int i = 0; i < rows; i++) {
        offsets.setSafe(i, slice.base + i);
      }
      offsets.setValueCount(rows);
      vectors.add(offsets);
    }
    if (scan.withTimestamp()) {
      TimeStampMilliTZVector times = new TimeStampMilliTZVector("_timestamp", allocator, "UTC");
      for (int i = 0; i < rows; i++) {
        times.setSafe(i, slice.entries.get(i).timestampMs());
      }
      times.setValueCount(rows);
      vectors.add(times);
    }
    if (scan.withChangeType()) {
      VarCharVector changes = new VarCharVector("_change_type", allocator);
      for (int i = 0; i < rows; i++) {
        changes.setSafe(i, slice.entries.get(i).change().getBytes());
      }
      changes.setValueCount(rows);
      vectors.add(changes);
    }
  }

  @Override
  public boolean finished() {
    return closed || slices.isEmpty();
  }

  @Override
  public long bytesReceived() {
    return 0;
  }

  @Override
  public Map<Integer, Long> positions() {
    return Map.of();
  }

  @Override
  public Map<TableBucket, Long> bucketPositions() {
    return Map.of();
  }

  @Override
  public void close() {
    closed = true;
  }

  private static final class Batch implements ScanBatch {
    private final Slice slice;
    private final VectorSchemaRoot root;

    Batch(Slice slice, VectorSchemaRoot root) {
      this.slice = slice;
      this.root = root;
    }

    @Override
    public int bucket() {
      return slice.bucket.bucket();
    }

    @Override
    public TableBucket tableBucket() {
      return slice.bucket;
    }

    @Override
    public long baseOffset() {
      return slice.base;
    }

    @Override
    public long nextOffset() {
      return slice.base + slice.entries.size();
    }

    @Override
    public int rowCount() {
      return slice.entries.size();
    }

    @Override
    public VectorSchemaRoot vectors() {
      return root;
    }

    @Override
    public Iterable<Row> rows() {
      throw new UnsupportedOperationException("The engine reads vectors");
    }

    @Override
    public List<ChangeType> changeTypes() {
      throw new UnsupportedOperationException("The engine reads vectors");
    }

    @Override
    public long appendTimeMs() {
      return 0;
    }

    @Override
    public void close() {
      root.close();
    }
  }
}

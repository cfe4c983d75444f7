package io.sluice.bench.micro;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowTarget;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A batch of the wide rows of the other benchmarks, as it is written, in memory and encoded. Its
 * rows are those of the ring from the first one on.
 */
final class WideBatch implements AutoCloseable {
  /** Rows of a batch of about 1 MiB. */
  static final int ROWS = 1_000;

  private final RowRing ring = RowRing.of(BenchSchema.of("wide"));
  private final TableSchema schema = schema(ring.schema());
  private final BufferAllocator allocator = new RootAllocator();
  private final VectorSchemaRoot root =
      VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
  private final ColumnWriters writers = ColumnWriters.of(schema, root, ROWS);
  private final RowTarget target = new WritersTarget(writers);
  private final LogBatchEncoder encoder;

  WideBatch(String codec) {
    this.encoder =
        new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.valueOf(codec)));
    fill();
  }

  /** Sets the columns of the row that the writers are at. */
  private record WritersTarget(ColumnWriters writers) implements RowTarget {
    @Override
    public void setInt(int position, int value) {
      writers.setInt(position, value);
    }

    @Override
    public void setLong(int position, long value) {
      writers.setLong(position, value);
    }

    @Override
    public void setString(int position, String value) {
      writers.setString(position, value);
    }

    @Override
    public void setBytes(int position, byte[] value) {
      writers.setBytes(position, value);
    }
  }

  private static TableSchema schema(BenchSchema columns) {
    List<Column> list = new ArrayList<>();
    for (BenchColumn column : columns.columns()) {
      list.add(
          Column.of(
              list.size() + 1,
              column.name(),
              DataTypeParser.parse(column.kind().name()),
              !column.name().equals("id")));
    }
    return new TableSchema(1, list, List.of("id"));
  }

  TableSchema schema() {
    return schema;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  VectorSchemaRoot root() {
    return root;
  }

  /** Writes all rows by the typed setters. */
  VectorSchemaRoot fill() {
    writers.reset();
    for (int i = 0; i < ROWS; i++) {
      ring.show(i, target);
      writers.endRow();
    }
    return writers.finish();
  }

  /** Encodes what was filled in; the caller closes it. */
  EncodedBatch encode() {
    return encoder.encode(root, schema, BatchWriter.NONE);
  }

  /** The rows as objects. */
  Row[] rows() {
    Row[] rows = new Row[ROWS];
    for (int i = 0; i < ROWS; i++) {
      rows[i] = GenericRow.of(ring.row(i).clone());
    }
    return rows;
  }

  @Override
  public void close() {
    encoder.close();
    root.close();
    allocator.close();
  }
}

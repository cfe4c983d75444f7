package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.WriterOptions;
import io.sluice.format.schema.ArrowSchemas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Passes Arrow batches of {@value #BATCH_ROWS} rows on, as a source would that has them already:
 * the batches of the whole ring are made before anything is measured, and written in turn. The
 * first column is the number within the ring.
 */
final class SluiceBatchWriter implements RowWriter {
  static final int BATCH_ROWS = 1_000;

  private final Connection connection;
  private final AppendWriter writer;
  private final BufferAllocator allocator = new RootAllocator();
  private final List<VectorSchemaRoot> batches = new ArrayList<>();

  /**
   * @param connection closed with this writer
   */
  SluiceBatchWriter(Connection connection, String table, WriterOptions options, RowRing ring) {
    this.connection = connection;
    this.writer = connection.table(table).appendWriter(options);
    var schema = ArrowSchemas.toArrow(connection.table(table).description().schema());
    for (int first = 0; first < RowRing.ROWS; first += BATCH_ROWS) {
      VectorSchemaRoot batch = VectorSchemaRoot.create(schema, allocator);
      fill(batch, ring, first);
      batches.add(batch);
    }
  }

  private static void fill(VectorSchemaRoot batch, RowRing ring, int first) {
    List<BenchColumn> columns = ring.schema().columns();
    for (int column = 0; column < columns.size(); column++) {
      Kind kind = columns.get(column).kind();
      var vector = batch.getVector(column);
      for (int i = 0; i < BATCH_ROWS; i++) {
        Object value = ring.row(first + i)[column];
        switch (kind) {
          case INT -> ((IntVector) vector).setSafe(i, (Integer) value);
          case BIGINT -> ((BigIntVector) vector).setSafe(i, (Long) value);
          case STRING ->
              ((VarCharVector) vector)
                  .setSafe(i, ((String) value).getBytes(StandardCharsets.UTF_8));
          case BYTES -> ((VarBinaryVector) vector).setSafe(i, (byte[]) value);
        }
      }
    }
    batch.setRowCount(BATCH_ROWS);
  }

  @Override
  public int write(long number) {
    writer.share(batches.get((int) (number / BATCH_ROWS % batches.size())));
    return BATCH_ROWS;
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public void close() {
    writer.close();
    batches.forEach(VectorSchemaRoot::close);
    allocator.close();
    connection.close();
  }
}

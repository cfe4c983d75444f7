package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** Collects the records of one put and what they do to the rows. Not thread-safe. */
final class ChangelogBuilder implements AutoCloseable {
  /** Bytes of the changelog of one put in Arrow; more are refused. */
  static final long MAX_BYTES = 32L * 1024 * 1024;

  private final TableSchema schema;
  private final VectorSchemaRoot root;
  private final ColumnWriters writers;
  private final List<PlannedChange> changes = new ArrayList<>();
  private byte[] changeTypes;
  private int inputRows;
  private boolean given;

  ChangelogBuilder(TableSchema schema, BufferAllocator allocator, int expectedRecords) {
    this.schema = schema;
    this.changeTypes = new byte[Math.max(16, expectedRecords)];
    this.root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    try {
      this.writers = ColumnWriters.of(schema, root, expectedRecords);
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  /** The records that follow come from the next row of the put. */
  void nextRow() {
    inputRows++;
  }

  void insert(RowKey key, Row row, byte[] value) {
    record(ChangeType.INSERT, row);
    change(key, value, 1);
  }

  void update(RowKey key, Row before, Row after, byte[] value) {
    record(ChangeType.UPDATE_BEFORE, before);
    record(ChangeType.UPDATE_AFTER, after);
    change(key, value, 0);
  }

  void delete(RowKey key, Row before) {
    record(ChangeType.DELETE, before);
    change(key, null, -1);
  }

  private void record(ChangeType type, Row row) {
    int record = writers.rowCount();
    writers.write(row);
    if (record == changeTypes.length) {
      changeTypes = Arrays.copyOf(changeTypes, 2 * record);
    }
    changeTypes[record] = type.code();
    if (writers.bytes() > MAX_BYTES) {
      throw new SluiceException(
          ErrorCode.PUT_TOO_LARGE,
          "The changes of the put take more than "
              + MAX_BYTES
              + " bytes after "
              + (record + 1)
              + " changelog records; put fewer rows at once");
    }
  }

  private void change(RowKey key, byte @Nullable [] value, int rowDelta) {
    changes.add(new PlannedChange(writers.rowCount() - 1, key, value, rowDelta));
  }

  /** Arrow bytes so far, about. */
  long bytes() {
    return writers.bytes();
  }

  /** Gives everything to a plan, which closes the root from now on. */
  ChangelogPlan finish(PreWriteBuffer buffer) {
    long bytes = writers.bytes();
    writers.finish();
    ChangelogRecords records =
        new ChangelogRecords(
            schema, root, Arrays.copyOf(changeTypes, root.getRowCount()), inputRows, bytes);
    ChangelogPlan plan = new ChangelogPlan(buffer, records, changes);
    given = true;
    return plan;
  }

  @Override
  public void close() {
    if (!given) {
      root.close();
    }
  }
}

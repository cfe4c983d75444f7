package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.EncodedRowWriter;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Collects the records of one put and what they do to the rows. Not thread-safe. */
final class ChangelogBuilder implements AutoCloseable {
  /** Bytes of the rows in the changelog of one put; more are refused. */
  static final long MAX_BYTES = 32L * 1024 * 1024;

  private final TableSchema schema;
  private final VectorSchemaRoot root;
  private final EncodedRowWriter writer;
  private final List<KvChange> changes;
  private byte[] changeTypes;
  private long bytes;
  private int inputRows;
  private boolean given;

  /**
   * @param codec of the values that are given here
   * @param arrow the Arrow schema of their schema
   * @param expectedRecords records to make room for at first
   */
  ChangelogBuilder(
      TableSchema schema,
      RowCodec codec,
      Schema arrow,
      BufferAllocator allocator,
      int expectedRecords) {
    this.schema = schema;
    this.changes = new ArrayList<>(expectedRecords);
    this.changeTypes = new byte[Math.max(16, expectedRecords)];
    this.root = VectorSchemaRoot.create(arrow, allocator);
    try {
      this.writer = new EncodedRowWriter(codec, root, expectedRecords);
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  /** The records that follow come from the next row of the put. */
  void nextRow() {
    inputRows++;
  }

  void insert(RowKey key, byte[] after) {
    record(ChangeType.INSERT, after);
    change(key, after, 1);
  }

  void update(RowKey key, byte[] before, byte[] after) {
    record(ChangeType.UPDATE_BEFORE, before);
    record(ChangeType.UPDATE_AFTER, after);
    change(key, after, 0);
  }

  /** An update whose row before is not told, perhaps of a row that was not there. */
  void update(RowKey key, byte[] after) {
    record(ChangeType.UPDATE_AFTER, after);
    change(key, after, KvChange.UNKNOWN);
  }

  void delete(RowKey key, byte[] before) {
    record(ChangeType.DELETE, before);
    change(key, null, -1);
  }

  private void record(ChangeType type, byte[] value) {
    int record = writer.rowCount();
    writer.write(value);
    if (record == changeTypes.length) {
      changeTypes = Arrays.copyOf(changeTypes, 2 * record);
    }
    changeTypes[record] = type.code();
    bytes += value.length;
    if (bytes > MAX_BYTES) {
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
    changes.add(new KvChange(key, value, writer.rowCount() - 1L, rowDelta));
  }

  /** Bytes of the rows so far. */
  long bytes() {
    return bytes;
  }

  /** Gives everything to a plan, which closes the root from now on. */
  ChangelogPlan finish(PreWriteBuffer buffer) {
    long arrowBytes = writer.bytes();
    writer.finish();
    ChangelogRecords records =
        new ChangelogRecords(
            schema, root, Arrays.copyOf(changeTypes, root.getRowCount()), inputRows, arrowBytes);
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

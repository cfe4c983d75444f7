package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * The whole changelog of one put, evaluated but not yet appended. Its owner appends the records, in
 * the one batch that a {@link ChangelogEncoder} makes, and reports it with {@link #applied}; only
 * then do later puts see the changes. A plan that is dropped leaves no trace.
 *
 * <p>Between the evaluation and {@link #applied} no other put of the bucket may be evaluated or
 * applied. Owned by the thread that writes the bucket.
 */
public final class ChangelogPlan implements AutoCloseable {
  private final PreWriteBuffer buffer;
  private final ChangelogRecords records;
  private final List<KvChange> changes;
  private final long revision;

  /** Owns what it is given from now on. */
  ChangelogPlan(PreWriteBuffer buffer, ChangelogRecords records, List<KvChange> changes) {
    this.buffer = buffer;
    this.records = records;
    this.changes = changes;
    this.revision = buffer.revision();
  }

  /** Number of changelog records; with 0 the put changes nothing and nothing is to be appended. */
  public int recordCount() {
    return records.count();
  }

  /** Whether the put changes nothing. */
  public boolean isEmpty() {
    return records.count() == 0;
  }

  /** The records, all columns of {@link #schema}; closed with the plan. */
  public VectorSchemaRoot root() {
    return records.root();
  }

  /** One {@link ChangeType} code a record. */
  public ByteBuffer changeTypes() {
    return ByteBuffer.wrap(records.changeTypes()).asReadOnlyBuffer();
  }

  /** The schema of the records. */
  public TableSchema schema() {
    return records.schema();
  }

  /** Rows of the put, those that change nothing included. */
  public int inputRows() {
    return records.inputRowCount();
  }

  ChangelogRecords records() {
    return records;
  }

  /**
   * The changelog is in the log.
   *
   * @param baseOffset offset of the first record
   * @param appendTimeMs append time of the batch
   */
  public void applied(long baseOffset, long appendTimeMs) {
    if (buffer.revision() != revision) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "The bucket's rows changed between evaluation and append of a put");
    }
    if (baseOffset != buffer.endOffset() && !isEmpty()) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Records were appended at offset "
              + baseOffset
              + ", but the changes known end at "
              + buffer.endOffset());
    }
    for (KvChange change : changes) {
      byte[] value = change.value();
      if (value != null) {
        RowCodec.setModifiedMs(value, appendTimeMs);
      }
      change.appendedAt(baseOffset);
      buffer.add(change);
    }
    buffer.extendTo(baseOffset + recordCount());
  }

  /** Gives the records' memory back. */
  @Override
  public void close() {
    records.root().close();
  }
}

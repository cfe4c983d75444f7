package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Turns an evaluated changelog into log batches within the size limits, cut between rows of the put
 * and never between a -U and its +U. The batches account for the put's sequences, one a row, each
 * for those of its own rows and of the rows without a change before them; the last also for those
 * behind, and for sequences without a row (rows of an upload that went to other buckets). One
 * owner, not thread-safe.
 */
public final class ChangelogEncoder implements AutoCloseable {
  private final LogBatchEncoder encoder;
  private final int maxBatchBytes;

  /**
   * One batch.
   *
   * @param batch leader's fields zero; closed with the part
   * @param endRecord the batch ends before this record of the plan
   */
  public record Part(EncodedBatch batch, int endRecord) implements AutoCloseable {
    @Override
    public void close() {
      batch.close();
    }
  }

  /** With the limit of {@link BatchLimits#MAX_BATCH_BYTES}. */
  public ChangelogEncoder(BufferAllocator allocator, CompressionSettings settings) {
    this(allocator, settings, BatchLimits.MAX_BATCH_BYTES);
  }

  ChangelogEncoder(BufferAllocator allocator, CompressionSettings settings, int maxBatchBytes) {
    this.encoder = new LogBatchEncoder(allocator, settings);
    this.maxBatchBytes = maxBatchBytes;
  }

  /**
   * The batches of a plan, in order; none when it is empty.
   *
   * @param writer who puts, with the sequences of the rows that were evaluated
   * @return to be closed by the caller, each
   * @throws SluiceException ROW_TOO_LARGE when what one row changes does not fit a batch
   */
  public List<Part> encode(ChangelogPlan plan, BatchWriter writer) {
    ChangelogRecords records = plan.records();
    if (writer.id() >= 0 && writer.sequenceCount() < records.inputRowCount()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A put of "
              + records.inputRowCount()
              + " rows has "
              + writer.sequenceCount()
              + " sequences; a put into a primary-key table has at least one for each row");
    }
    List<Part> parts = new ArrayList<>();
    try {
      int step = step(records);
      for (int from = 0; from < records.count(); ) {
        int to = endFrom(records, from, Math.min(records.count(), from + step));
        encode(records, from, to, writer, parts);
        from = to;
      }
      return parts;
    } catch (RuntimeException | Error e) {
      parts.forEach(Part::close);
      throw e;
    }
  }

  /** Records that fit a batch by their size without compression. */
  private int step(ChangelogRecords records) {
    long recordBytes = Math.max(1, records.bytes() / Math.max(1, records.count()));
    return (int) Math.max(1, Math.min(BatchLimits.MAX_ROWS, maxBatchBytes / recordBytes));
  }

  /** The cut nearest to {@code wanted} that leaves at least one row behind {@code from}. */
  private static int endFrom(ChangelogRecords records, int from, int wanted) {
    int end = records.cutAt(wanted);
    for (int later = from + 1; end <= from; later++) {
      end = records.cutAt(later);
    }
    return end;
  }

  private void encode(
      ChangelogRecords records, int from, int to, BatchWriter writer, List<Part> parts) {
    int middle = endFrom(records, from, (from + to) >>> 1);
    boolean oneRow = middle == to;
    EncodedBatch batch = tryEncode(records, from, to, writer, oneRow);
    if (batch != null) {
      parts.add(new Part(batch, to));
      return;
    }
    encode(records, from, middle, writer, parts);
    encode(records, middle, to, writer, parts);
  }

  /** Null when the batch is too large and can be cut. */
  private @Nullable EncodedBatch tryEncode(
      ChangelogRecords records, int from, int to, BatchWriter writer, boolean oneRow) {
    EncodedBatch batch;
    try (VectorSchemaRoot part = records.root().slice(from, to - from)) {
      ByteBuffer types = ByteBuffer.wrap(records.changeTypes(), from, to - from);
      batch = encoder.encode(part, records.schema(), types, writer(records, from, to, writer));
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.BATCH_TOO_LARGE && !oneRow) {
        return null;
      }
      throw e;
    }
    int bytes = batch.wireBytes();
    if (bytes <= (oneRow ? BatchLimits.MAX_SINGLE_ROW_BYTES : maxBatchBytes)) {
      return batch;
    }
    batch.close();
    if (oneRow) {
      throw new SluiceException(
          ErrorCode.ROW_TOO_LARGE,
          "Row "
              + records.inputRows()[from]
              + " of the put changes "
              + bytes
              + " bytes; the limit for one row is "
              + BatchLimits.MAX_SINGLE_ROW_BYTES);
    }
    return null;
  }

  private static BatchWriter writer(ChangelogRecords records, int from, int to, BatchWriter put) {
    if (put.id() < 0) {
      return BatchWriter.NONE;
    }
    int firstRow = from == 0 ? 0 : records.rowsThrough(from);
    int end = to == records.count() ? put.sequenceCount() : records.rowsThrough(to);
    return new BatchWriter(put.id(), put.epoch(), put.baseSequence() + firstRow, end - firstRow);
  }

  /** Gives back scratch memory and codec contexts. */
  @Override
  public void close() {
    encoder.close();
  }
}

package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.format.batch.BatchFormat;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Cuts the rows that an uploaded message has for one bucket into batches of at most {@link
 * BatchLimits#MAX_BATCH_BYTES} and encodes them. Holds no memory in between. Thread-safe.
 */
final class BatchCutter {
  private final BufferAllocator allocator;
  private final BatchEncoders encoders;
  private final TableSchema schema;
  private final BatchFormat format;

  /**
   * @param allocator memory of rows that are copied and of batches that are cut in two
   * @param encoders those of all uploads
   * @param written the table, with the columns that the rows have; its options say how batches are
   *     compressed and which columns have statistics
   */
  BatchCutter(BufferAllocator allocator, BatchEncoders encoders, Located written) {
    this.allocator = allocator;
    this.encoders = encoders;
    this.schema = written.schema();
    this.format = BatchFormat.ofTable(written.options());
  }

  /** The same rows in two parts, see {@link PutPart#halves}. */
  List<PutPart> halves(PutPart part) {
    return part.halves(
        allocator,
        schema,
        (rows, changeTypes, writer) -> encoders.encode(format, rows, schema, changeTypes, writer));
  }

  /**
   * An uploaded message.
   *
   * @param root its rows
   * @param changeTypes what each row does, empty when all are put
   */
  record Message(VectorSchemaRoot root, byte[] changeTypes) {
    private ByteBuffer changeTypes(int[] rows, int from, int to) {
      ByteBuffer types = ByteBuffer.allocate(changeTypes.length == 0 ? 0 : to - from);
      for (int i = from; i < to && types.hasRemaining(); i++) {
        types.put(changeTypes[rows[i]]);
      }
      return types.flip();
    }
  }

  /**
   * Who writes, and the sequences that the rows of a message have.
   *
   * @param id writer, -1 for none
   * @param epoch its epoch
   * @param base sequence of the message's first row
   * @param end sequence after its last row
   */
  record Sequences(long id, int epoch, long base, long end) {
    static final Sequences NONE = new Sequences(-1, 0, -1, -1);
  }

  /**
   * The batches of these rows, in order; together they account for every sequence from {@code
   * firstSequence} to the end of the message, each cut lies at a row.
   *
   * @param message its rows are left as they are
   * @param rows which of them, ascending, at least one
   * @param firstSequence first sequence that the bucket has not stored, ignored without a writer
   * @return parts, to be closed by the caller
   */
  List<PutPart> cut(Message message, int[] rows, Sequences sequences, long firstSequence) {
    VectorSchemaRoot root = message.root();
    long rowBytes = Math.max(1, bytes(root) / Math.max(1, root.getRowCount()));
    // By uncompressed size: what does not shrink fits, and a batch that is too large is halved.
    int step = (int) Math.max(1, Math.min(rows.length, BatchLimits.MAX_BATCH_BYTES / rowBytes));
    List<PutPart> batches = new ArrayList<>();
    try {
      for (int from = 0; from < rows.length; from += step) {
        int to = Math.min(rows.length, from + step);
        encode(message, rows, from, to, sequences, firstSequence, batches);
      }
      return batches;
    } catch (RuntimeException | Error e) {
      batches.forEach(PutPart::close);
      throw e;
    }
  }

  private void encode(
      Message message,
      int[] rows,
      int from,
      int to,
      Sequences sequences,
      long firstSequence,
      List<PutPart> batches) {
    BatchWriter writer = writer(rows, from, to, sequences, firstSequence);
    EncodedBatch batch = null;
    try (VectorSchemaRoot part = part(message.root(), rows, from, to)) {
      ByteBuffer changeTypes = message.changeTypes(rows, from, to);
      batch = encoders.encode(format, part, schema, changeTypes, writer);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.BATCH_TOO_LARGE) {
        throw e;
      }
      if (to - from == 1) {
        throw PutLimits.rowTooLarge(bytes(message.root()));
      }
    }
    if (batch != null && (to - from == 1 || batch.wireBytes() <= BatchLimits.MAX_BATCH_BYTES)) {
      batches.add(new PutPart(batch, sequences(rows, from, to, sequences)));
      PutLimits.check(to - from, countedBytes(batch, to - from));
      return;
    }
    if (batch != null) {
      batch.close();
    }
    int middle = (from + to) >>> 1;
    encode(message, rows, from, middle, sequences, firstSequence, batches);
    encode(message, rows, middle, to, sequences, firstSequence, batches);
  }

  /** A row counts without compression too, so that it is not accepted or refused by chance. */
  private static long countedBytes(EncodedBatch batch, int rows) {
    return rows == 1
        ? Math.max(batch.wireBytes(), batch.header().uncompressedBodyLength())
        : batch.wireBytes();
  }

  /** Sequences of a batch: from its first row, or the start, up to the next batch's first row. */
  private static BatchWriter writer(
      int[] rows, int from, int to, Sequences sequences, long firstSequence) {
    if (sequences.id() < 0) {
      return BatchWriter.NONE;
    }
    long base = from == 0 ? firstSequence : sequences.base() + rows[from];
    long end = to == rows.length ? sequences.end() : sequences.base() + rows[to];
    return new BatchWriter(sequences.id(), sequences.epoch(), base, Math.toIntExact(end - base));
  }

  private static long[] sequences(int[] rows, int from, int to, Sequences sequences) {
    long[] own = new long[sequences.id() < 0 ? 0 : to - from];
    for (int i = 0; i < own.length; i++) {
      own[i] = sequences.base() + rows[from + i];
    }
    return own;
  }

  private VectorSchemaRoot part(VectorSchemaRoot root, int[] rows, int from, int to) {
    int count = to - from;
    if (rows[to - 1] - rows[from] == count - 1) {
      return root.slice(rows[from], count);
    }
    VectorSchemaRoot part = VectorSchemaRoot.create(root.getSchema(), allocator);
    try {
      for (int column = 0; column < root.getFieldVectors().size(); column++) {
        FieldVector source = root.getVector(column);
        FieldVector target = part.getVector(column);
        target.setInitialCapacity(count);
        for (int i = 0; i < count; i++) {
          target.copyFromSafe(rows[from + i], i, source);
        }
        target.setValueCount(count);
      }
      part.setRowCount(count);
      return part;
    } catch (RuntimeException | Error e) {
      part.close();
      throw e;
    }
  }

  private static long bytes(VectorSchemaRoot root) {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    return bytes;
  }
}

package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows into batches that servers accept: rows that do not fit into one batch are halved
 * until they do; a single row above the limit is refused alone. Not thread-safe.
 */
final class BatchCutter implements AutoCloseable {
  private final LogBatchEncoder encoder;
  private final LogBatchDecoder decoder;
  private final TableSchema schema;

  /**
   * @param encoder frames the batches; closed with this
   */
  BatchCutter(LogBatchEncoder encoder, BufferAllocator allocator, TableSchema schema) {
    this.encoder = encoder;
    this.decoder = new LogBatchDecoder(allocator);
    this.schema = schema;
  }

  /**
   * Consecutive rows: a batch without a writer yet, or why they cannot be one.
   *
   * @param fromRow first row in what was cut
   * @param rows number of rows
   */
  record Cut(int fromRow, int rows, @Nullable EncodedBatch batch, @Nullable SluiceException refusal)
      implements AutoCloseable {
    int wireBytes() {
      return batch == null ? 0 : batch.wireBytes();
    }

    @Override
    public void close() {
      if (batch != null) {
        batch.close();
      }
    }
  }

  /**
   * All rows of the root, in order. The caller closes the cuts; when there is only one, its batch
   * may share the memory of the root's vectors.
   */
  List<Cut> cut(VectorSchemaRoot root, ByteBuffer changeTypes) {
    return cut(new Source(root, 0, changeTypes, Sharing.WHOLE), 0, root.getRowCount());
  }

  /** The rows {@code [from, from + rows)}, all appends; positions in the result count from 0. */
  List<Cut> cut(VectorSchemaRoot root, int from, int rows) {
    return cut(new Source(root, from, ByteBuffer.allocate(0), Sharing.NONE), from, rows);
  }

  /** As {@link #cut(VectorSchemaRoot, int, int)}; the batches may share the vectors' memory. */
  List<Cut> cutShared(VectorSchemaRoot root, int from, int rows) {
    return cut(new Source(root, from, ByteBuffer.allocate(0), Sharing.ANY), from, rows);
  }

  private List<Cut> cut(Source source, int from, int rows) {
    List<Cut> cuts = new ArrayList<>(1);
    try {
      cut(source, from, rows, cuts);
      return cuts;
    } catch (RuntimeException | Error e) {
      cuts.forEach(Cut::close);
      throw e;
    }
  }

  /** The rows of a batch of at least two as two batches or more, which the caller closes. */
  List<Cut> halve(EncodedBatch batch) {
    List<Cut> cuts = new ArrayList<>(2);
    try (VectorSchemaRoot rows =
        decoder.decode(ArrowSchemas.toArrow(schema), batch.metadata(), batch.body())) {
      Source source = new Source(rows, 0, batch.changeTypes(), Sharing.NONE);
      int half = rows.getRowCount() / 2;
      cut(source, 0, half, cuts);
      cut(source, half, rows.getRowCount() - half, cuts);
      return cuts;
    } catch (RuntimeException | Error e) {
      cuts.forEach(Cut::close);
      throw e;
    }
  }

  /** Which batches may share the memory of the rows that they are made from. */
  private enum Sharing {
    NONE,
    /** The one that has all rows. */
    WHOLE,
    ANY
  }

  /**
   * What is cut.
   *
   * @param origin the row from which positions count
   * @param changeTypes one for each row of the root, empty when all are appends
   */
  private record Source(
      VectorSchemaRoot root, int origin, ByteBuffer changeTypes, Sharing sharing) {
    boolean shares(int rows) {
      return sharing == Sharing.ANY || (sharing == Sharing.WHOLE && rows == root.getRowCount());
    }

    ByteBuffer changes(int from, int rows) {
      return changeTypes.hasRemaining()
          ? changeTypes.slice(changeTypes.position() + from, rows)
          : changeTypes;
    }
  }

  private void cut(Source source, int from, int rows, List<Cut> cuts) {
    SluiceException refusal = tryWhole(source, from, rows, cuts);
    if (refusal == null) {
      return;
    }
    if (rows == 1) {
      cuts.add(new Cut(from - source.origin(), 1, null, refusal));
      return;
    }
    int half = rows / 2;
    cut(source, from, half, cuts);
    cut(source, from + half, rows - half, cuts);
  }

  /** Adds the rows as one batch, or says why not. */
  private @Nullable SluiceException tryWhole(Source source, int from, int rows, List<Cut> cuts) {
    VectorSchemaRoot root = source.root();
    boolean all = from == 0 && rows == root.getRowCount();
    VectorSchemaRoot part = all ? root : root.slice(from, rows);
    try {
      ByteBuffer changes = source.changes(from, rows);
      EncodedBatch batch =
          source.shares(rows)
              ? encoder.encodeShared(part, schema, changes, BatchWriter.NONE)
              : encoder.encode(part, schema, changes, BatchWriter.NONE);
      if (fits(batch, rows)) {
        cuts.add(new Cut(from - source.origin(), rows, batch, null));
        return null;
      }
      long bytes = Math.max(batch.wireBytes(), batch.header().uncompressedBodyLength());
      batch.close();
      return rowTooLarge(bytes);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.BATCH_TOO_LARGE) {
        throw e;
      }
      return new SluiceException(ErrorCode.ROW_TOO_LARGE, rowLimit(e.getMessage()), e);
    } finally {
      if (!all) {
        part.close();
      }
    }
  }

  private static boolean fits(EncodedBatch batch, int rows) {
    int most = rows > 1 ? BatchLimits.MAX_BATCH_BYTES : BatchLimits.MAX_SINGLE_ROW_BYTES;
    // Counted without compression too, so that a row is not accepted or refused by chance.
    return batch.wireBytes() <= most
        && batch.header().uncompressedBodyLength() <= BatchLimits.MAX_SINGLE_ROW_BYTES;
  }

  private static SluiceException rowTooLarge(long bytes) {
    return new SluiceException(ErrorCode.ROW_TOO_LARGE, rowLimit("It has " + bytes + " bytes"));
  }

  private static String rowLimit(@Nullable String found) {
    return "A row is larger than "
        + BatchLimits.MAX_SINGLE_ROW_BYTES
        + " bytes, the most that a row may have. "
        + found;
  }

  @Override
  public void close() {
    encoder.close();
    decoder.close();
  }
}

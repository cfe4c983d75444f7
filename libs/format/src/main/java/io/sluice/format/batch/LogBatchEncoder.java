package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.StatisticsColumns;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Turns Arrow vectors into log batches. Reused from batch to batch, it keeps its codec contexts and
 * scratch memory. One owner, not thread-safe; {@link #close} twice is harmless.
 */
public final class LogBatchEncoder implements AutoCloseable {
  private static final ByteBuffer NO_CHANGE_TYPES = ByteBuffer.allocate(0);

  private final RootBuffers buffers = new RootBuffers();
  private final RecordBatchMessageWriter message = new RecordBatchMessageWriter();
  private final StatisticsCollector statistics;
  private final BodyWriter bodies;

  private @Nullable Schema checkedArrow;
  private @Nullable TableSchema checkedSchema;
  private BatchLayout layout = BatchLayout.of(List.of());

  /** With the statistics of a table that does not choose. */
  public LogBatchEncoder(BufferAllocator allocator, CompressionSettings settings) {
    this(allocator, settings, StatisticsColumns.UNSET);
  }

  /**
   * @param allocator pays for bodies and scratch memory; it must outlive this encoder
   * @param columns which columns have statistics
   */
  public LogBatchEncoder(
      BufferAllocator allocator, CompressionSettings settings, StatisticsColumns columns) {
    this.bodies = new BodyWriter(allocator, settings);
    this.statistics = new StatisticsCollector(columns);
  }

  /**
   * Encodes the rows as appends. See {@link #encode(VectorSchemaRoot, TableSchema, ByteBuffer,
   * BatchWriter)}.
   */
  public EncodedBatch encode(VectorSchemaRoot root, TableSchema schema, BatchWriter writer) {
    return encode(root, schema, NO_CHANGE_TYPES, writer);
  }

  /**
   * Encodes all rows of the root, which is left as it is. INVALID_SCHEMA when the columns are not
   * those of the schema, INVALID_VALUE for NULL in a column that is NOT NULL, BATCH_TOO_LARGE above
   * {@link BatchLimits#MAX_UNCOMPRESSED_BYTES} or {@link BatchLimits#MAX_ROWS}.
   *
   * @param changeTypes one {@link ChangeType} code a row, or empty when all are appends; copied
   * @return the batch, to be closed by the caller
   */
  public EncodedBatch encode(
      VectorSchemaRoot root, TableSchema schema, ByteBuffer changeTypes, BatchWriter writer) {
    return encode(root, schema, changeTypes, writer, false);
  }

  /**
   * As {@link #encode(VectorSchemaRoot, TableSchema, ByteBuffer, BatchWriter)}, with large buffers
   * of the vectors used where they are when nothing compresses them. The batch holds references to
   * them: the root may be closed at any time, but what its buffers hold must not change before the
   * batch is closed.
   */
  public EncodedBatch encodeShared(
      VectorSchemaRoot root, TableSchema schema, ByteBuffer changeTypes, BatchWriter writer) {
    return encode(root, schema, changeTypes, writer, true);
  }

  private EncodedBatch encode(
      VectorSchemaRoot root,
      TableSchema schema,
      ByteBuffer changeTypes,
      BatchWriter writer,
      boolean share) {
    int rows = root.getRowCount();
    if (rows == 0) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "A batch needs at least one row");
    }
    if (rows > BatchLimits.MAX_ROWS) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Batch has " + rows + " rows; the limit is " + BatchLimits.MAX_ROWS);
    }
    if (changeTypes.hasRemaining() && changeTypes.remaining() != rows) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Batch of " + rows + " rows has " + changeTypes.remaining() + " change types");
    }
    checkSchema(root.getSchema(), schema);
    message.reset();
    try {
      buffers.collect(root.getFieldVectors(), layout, rows, message);
      ByteBuffer checksums =
          ByteBuffer.allocate(4 * buffers.count()).order(ByteOrder.LITTLE_ENDIAN);
      BodyWriter.Body body = bodies.write(buffers, message, checksums, share);
      // After the body: reading all bytes in order has brought them near, in which bounds are found
      // by leaps.
      ByteBuffer statisticsBytes = statistics.collect(root.getFieldVectors(), schema);
      ByteBuffer metadata = message.write(rows, bodies.codec(), body.length());
      return frame(
          schema,
          rows,
          copy(changeTypes),
          statisticsBytes,
          metadata,
          checksums.flip(),
          body,
          writer);
    } finally {
      buffers.clear();
    }
  }

  private EncodedBatch frame(
      TableSchema schema,
      int rows,
      ByteBuffer changeTypes,
      ByteBuffer statisticsBytes,
      ByteBuffer metadata,
      ByteBuffer checksums,
      BodyWriter.Body body,
      BatchWriter writer) {
    LogBatchHeader header =
        LogBatchHeader.allocate()
            .setWriter(writer.id(), writer.epoch(), writer.baseSequence(), writer.sequenceCount())
            .setContent(schema.schemaId(), rows, rows)
            .setSections(
                bodies.codec().id(),
                changeTypes.remaining(),
                statisticsBytes.remaining(),
                metadata.remaining(),
                checksums.remaining(),
                (int) body.length(),
                (int) buffers.totalBytes());
    header.setContentCrc(
        header.computeContentCrc(changeTypes, statisticsBytes, metadata, checksums));
    return new EncodedBatch(header, changeTypes, statisticsBytes, metadata, checksums, body);
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      return NO_CHANGE_TYPES;
    }
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  /** Compares types once for each pair of schemas: roots are reused, their schema with them. */
  private void checkSchema(Schema arrow, TableSchema schema) {
    if (arrow == checkedArrow && schema == checkedSchema) {
      return;
    }
    if (checkedSchema != null
        && checkedArrow != null
        && schema.equals(checkedSchema)
        && arrow.equals(checkedArrow)) {
      checkedArrow = arrow;
      checkedSchema = schema;
      return;
    }
    Schema expected = ArrowSchemas.toArrow(schema);
    List<Field> found = arrow.getFields();
    if (found.size() != schema.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Batch has "
              + found.size()
              + " columns, schema "
              + schema.schemaId()
              + " has "
              + schema.size());
    }
    for (int i = 0; i < found.size(); i++) {
      Field column = expected.getFields().get(i);
      if (!sameType(found.get(i), column)) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "Column '"
                + column.getName()
                + "' of the batch is "
                + found.get(i)
                + "; schema "
                + schema.schemaId()
                + " has "
                + column);
      }
    }
    layout = BatchLayout.of(expected);
    checkedArrow = arrow;
    checkedSchema = schema;
  }

  private static boolean sameType(Field found, Field expected) {
    if (!found.getType().equals(expected.getType())
        || found.getDictionary() != null
        || found.getChildren().size() != expected.getChildren().size()) {
      return false;
    }
    for (int i = 0; i < expected.getChildren().size(); i++) {
      if (!sameType(found.getChildren().get(i), expected.getChildren().get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Scratch memory that is kept for the next batch. */
  long scratchBytes() {
    return bodies.scratchBytes();
  }

  /** Gives back scratch memory and codec contexts. */
  @Override
  public void close() {
    buffers.clear();
    bodies.close();
  }
}

package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checks a server makes before it stores a batch that a client framed: one pass over the bytes,
 * no column decoded. What passes has the canonical layout of {@code docs/formats/log-batch.md} and
 * fits its schema in every size and count; values are not looked at.
 *
 * <p>The fields that the leader stamps are not checked. Keeps what it knows of the last schema: use
 * one per stream, it is not thread-safe.
 */
public final class BatchValidator {
  private final RecordBatchMessage message = new RecordBatchMessage();
  private final BatchStatistics statisticsReader = new BatchStatistics();
  private final CRC32C crc = new CRC32C();

  private @Nullable TableSchema knownSchema;
  private List<Integer> knownColumns = List.of();
  private List<Column> columns = List.of();
  private BatchLayout layout = BatchLayout.of(List.of());

  /** Checks a batch of all columns. See the other {@code validate}. */
  public void validate(
      TableSchema schema,
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer statistics,
      ByteBuffer metadata,
      ByteBuffer checksums,
      ByteBuffer body) {
    validate(schema, List.of(), header, changeTypes, statistics, metadata, checksums, body);
  }

  /**
   * Checks a batch. CORRUPT_BATCH naming the field, checksum or column at fault, INVALID_VALUE for
   * NULL where the schema says NOT NULL, COLUMN_NOT_FOUND for an unknown column id.
   *
   * @param columnIds the columns the batch holds, in its order; empty = all
   * @param changeTypes the sections, exactly; positions are kept
   */
  public void validate(
      TableSchema schema,
      List<Integer> columnIds,
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer statistics,
      ByteBuffer metadata,
      ByteBuffer checksums,
      ByteBuffer body) {
    validate(
        schema, columnIds, header, changeTypes, statistics, metadata, checksums, List.of(body));
  }

  /**
   * Checks a batch whose body came in pieces. See the other {@code validate}.
   *
   * @param body the pieces of the body, one after the other; their positions are kept
   */
  public void validate(
      TableSchema schema,
      List<Integer> columnIds,
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer statistics,
      ByteBuffer metadata,
      ByteBuffer checksums,
      List<ByteBuffer> body) {
    BodyBytes bodyBytes = BodyBytes.of(body);
    useSchema(schema, columnIds);
    checkHeader(schema, header);
    checkLength("change types", header.changeTypesLength(), changeTypes);
    checkLength("statistics", header.statisticsLength(), statistics);
    checkLength("metadata", header.metadataLength(), metadata);
    checkLength("checksums", header.checksumsLength(), checksums);
    checkLength("body", header.bodyLength(), bodyBytes.length());
    header.checkContentCrc(changeTypes, statistics, metadata, checksums);
    checkMessage(header, metadata);
    checkBody(header, checksums, bodyBytes);
    checkChangeTypes(schema, changeTypes);
    checkStatistics(statistics);
  }

  private void useSchema(TableSchema schema, List<Integer> columnIds) {
    if (schema == knownSchema && columnIds.equals(knownColumns)) {
      return;
    }
    if (columnIds.isEmpty()) {
      columns = schema.columns();
      layout = BatchLayout.of(ArrowSchemas.toArrow(schema));
    } else {
      layout = BatchLayout.of(ArrowSchemas.toArrow(schema, columnIds));
      columns = new ArrayList<>(columnIds.size());
      for (int id : columnIds) {
        schema.columns().stream().filter(column -> column.id() == id).forEach(columns::add);
      }
    }
    knownSchema = schema;
    knownColumns = List.copyOf(columnIds);
  }

  private static void checkHeader(TableSchema schema, LogBatchHeader header) {
    header.checkShape();
    if (header.isControl()) {
      throw corrupt("attributes mark a control batch, which clients do not write");
    }
    if (header.schemaId() != schema.schemaId()) {
      throw corrupt("schema_id is " + header.schemaId() + ", not " + schema.schemaId());
    }
    if (header.recordCount() > BatchLimits.MAX_ROWS) {
      throw corrupt(
          "record_count is " + header.recordCount() + ", the limit is " + BatchLimits.MAX_ROWS);
    }
    if (header.offsetCount() != header.recordCount()) {
      throw corrupt(
          "offset_count is " + header.offsetCount() + ", record_count " + header.recordCount());
    }
  }

  private static void checkLength(String section, int expected, ByteBuffer bytes) {
    checkLength(section, expected, bytes.remaining());
  }

  private static void checkLength(String section, int expected, int found) {
    if (found != expected) {
      throw corrupt(section + " length is " + expected + ", the section has " + found);
    }
  }

  private void checkMessage(LogBatchHeader header, ByteBuffer metadata) {
    message.read(metadata);
    if (message.hasCustomMetadata()) {
      throw RecordBatchMessage.corrupt("it has custom metadata, which a log batch does not");
    }
    BatchCodec codec = BatchCodec.of(header.codecId());
    if (message.codec() != codec) {
      throw corrupt("codec is " + codec + ", its metadata says " + message.codec());
    }
    if (message.bodyLength() != header.bodyLength()) {
      throw corrupt(
          "body length is " + header.bodyLength() + ", its metadata says " + message.bodyLength());
    }
    if (message.rows() != header.recordCount()) {
      throw corrupt(
          "record_count is " + header.recordCount() + ", its metadata says " + message.rows());
    }
    BatchStructure.check(layout, message, header.bodyLength());
  }

  /** Buffers lie one after the other, each padded with zeros to 8, and nothing else is there. */
  private void checkBody(LogBatchHeader header, ByteBuffer checksums, BodyBytes body) {
    if (checksums.remaining() != 4 * layout.bufferCount()) {
      throw corrupt(
          "checksums length is "
              + checksums.remaining()
              + " for "
              + layout.bufferCount()
              + " buffers");
    }
    ByteBuffer expected = checksums.slice().order(ByteOrder.LITTLE_ENDIAN);
    long uncompressed = 0;
    int at = 0;
    for (int node = 0; node < layout.nodeCount(); node++) {
      int end = layout.firstNodeBuffer(node + 1);
      for (int buffer = layout.firstNodeBuffer(node); buffer < end; buffer++) {
        if (message.bufferOffset(buffer) != at) {
          throw RecordBatchMessage.corrupt(
              "buffer " + buffer + " begins at " + message.bufferOffset(buffer) + ", not at " + at);
        }
        int length = (int) message.bufferLength(buffer);
        crc.reset();
        body.update(crc, at, length);
        BodyChecksums.check(crc, length, expected.getInt(4 * buffer), buffer);
        long prefix = BatchStructure.hasPrefix(message, buffer) ? body.getLong(at) : 0;
        uncompressed +=
            LogBatchHeader.align(
                BatchStructure.uncompressedLength(layout, message, node, buffer, prefix));
        at = checkPadding(body, at + length, buffer);
      }
    }
    if (at != header.bodyLength()) {
      throw corrupt("body length is " + header.bodyLength() + ", its buffers end at " + at);
    }
    if (uncompressed != header.uncompressedBodyLength()
        || uncompressed > BatchLimits.MAX_UNCOMPRESSED_BYTES) {
      throw corrupt(
          "uncompressed_body_length is "
              + header.uncompressedBodyLength()
              + ", its buffers need "
              + uncompressed
              + " and may need "
              + BatchLimits.MAX_UNCOMPRESSED_BYTES);
    }
  }

  private static int checkPadding(BodyBytes body, int from, int buffer) {
    int end = LogBatchHeader.align(from);
    for (int i = from; i < end; i++) {
      if (i >= body.length() || body.get(i) != 0) {
        throw corrupt("the padding after body buffer " + buffer + " is not zero");
      }
    }
    return end;
  }

  private static void checkChangeTypes(TableSchema schema, ByteBuffer changeTypes) {
    if (changeTypes.hasRemaining() && schema.primaryKey().isEmpty()) {
      throw corrupt("it has change types, which a table without primary key does not");
    }
    for (int i = changeTypes.position(); i < changeTypes.limit(); i++) {
      byte code = changeTypes.get(i);
      if (!ChangeType.isKnown(code)) {
        throw corrupt("change type " + (i - changeTypes.position()) + " is " + code);
      }
    }
  }

  private void checkStatistics(ByteBuffer section) {
    statisticsReader.read(section);
    int position = 0;
    while (statisticsReader.next()) {
      int id = statisticsReader.columnId();
      while (position < columns.size() && columns.get(position).id() != id) {
        position++;
      }
      if (position == columns.size()) {
        throw BatchStatistics.corrupt("column " + id + " is unknown or out of order");
      }
      if (StatisticsKind.of(columns.get(position).type()) != statisticsReader.kind()) {
        throw BatchStatistics.corrupt("kind of column " + id + " is " + statisticsReader.kind());
      }
      long nulls = message.nodeNullCount(layout.firstNode(position));
      if (statisticsReader.nullCount() != nulls) {
        throw BatchStatistics.corrupt(
            "null count of column "
                + id
                + " is "
                + statisticsReader.nullCount()
                + ", not "
                + nulls);
      }
      position++;
    }
  }

  private static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_BATCH, "Batch is damaged: " + what);
  }
}

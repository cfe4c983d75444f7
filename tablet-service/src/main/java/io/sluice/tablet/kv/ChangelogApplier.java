package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchValidator;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Takes stored changelog batches into the waiting changes: after a restart, on becoming leader, on
 * a standby. +I and +U put a row, -D deletes it, -U says nothing new. The values are byte for byte
 * those that the leader's evaluation gave. Every checksum of a batch is verified first.
 *
 * <p>Owned by the thread that writes the bucket.
 */
public final class ChangelogApplier implements AutoCloseable {
  private static final int SECTIONS = 5;

  private final PreWriteBuffer buffer;
  private final KvSchemas schemas;
  private final RowValues values;
  private final BufferAllocator allocator;
  private final LogBatchDecoder decoder;
  private final BatchValidator validator = new BatchValidator();
  private @Nullable Reading reading;

  /** What reading the batches of one schema needs. */
  private record Reading(TableSchema schema, Schema arrow, KeyEncoder keys, RowCodec codec) {}

  /**
   * @param allocator pays for the batch being read
   */
  public ChangelogApplier(PreWriteBuffer buffer, KvSchemas schemas, BufferAllocator allocator) {
    this.buffer = buffer;
    this.schemas = schemas;
    this.values = new RowValues(schemas);
    this.allocator = allocator;
    this.decoder = new LogBatchDecoder(allocator);
  }

  /**
   * The sections of a batch, from the bytes after its header.
   *
   * @param bytes all of the batch after its header, padding allowed; position is kept
   */
  public static List<ByteBuffer> sections(LogBatchHeader header, ByteBuffer bytes) {
    int[] lengths = {
      header.changeTypesLength(),
      header.statisticsLength(),
      header.metadataLength(),
      header.checksumsLength(),
      header.bodyLength()
    };
    List<ByteBuffer> sections = new ArrayList<>(SECTIONS);
    int at = bytes.position();
    for (int length : lengths) {
      sections.add(bytes.slice(at, length).order(bytes.order()));
      at += length;
    }
    return sections;
  }

  /**
   * Takes one batch; the records below {@link PreWriteBuffer#endOffset} are known already and left
   * out.
   *
   * @param header as stored, stamped by the leader
   * @param sections change types, statistics, metadata, checksums, body
   * @throws SluiceException CORRUPT_STORAGE when the batch is damaged or no changelog,
   *     SCHEMA_NOT_FOUND when its schema is not known here yet; nothing was taken then
   */
  public void load(LogBatchHeader header, List<ByteBuffer> sections) {
    if (header.nextOffset() <= buffer.endOffset()) {
      return;
    }
    if (header.baseOffset() > buffer.endOffset()) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "A changelog batch begins at offset "
              + header.baseOffset()
              + ", but the changes known end at "
              + buffer.endOffset());
    }
    if (header.recordCount() > 0) {
      loadRecords(header, sections, reading(header.schemaId()));
    }
    buffer.extendTo(header.nextOffset());
  }

  private Reading reading(int schemaId) {
    Reading known = reading;
    if (known == null || known.schema().schemaId() != schemaId) {
      TableSchema schema = schemas.schema(schemaId);
      known =
          new Reading(
              schema, ArrowSchemas.toArrow(schema), KeyEncoder.of(schema), values.codec(schema));
      reading = known;
    }
    return known;
  }

  private void loadRecords(LogBatchHeader header, List<ByteBuffer> sections, Reading reading) {
    ByteBuffer changeTypes = sections.get(0);
    ByteBuffer bodyBytes = sections.get(4);
    int bodyLength = bodyBytes.remaining();
    try {
      validator.validate(
          reading.schema(),
          header,
          changeTypes,
          sections.get(1),
          sections.get(2),
          sections.get(3),
          bodyBytes);
      try (ArrowBuf body = allocator.buffer(Math.max(1, bodyLength))) {
        body.setBytes(0, bodyBytes.duplicate());
        body.writerIndex(bodyLength);
        try (VectorSchemaRoot root = decoder.decode(reading.arrow(), sections.get(2), body)) {
          take(changes(header, changeTypes, root, reading));
        }
      }
    } catch (SluiceException e) {
      throw damaged(header, e);
    }
  }

  /** All of the batch, so that a bad record keeps every other from being taken. */
  private List<KvChange> changes(
      LogBatchHeader header, ByteBuffer changeTypes, VectorSchemaRoot root, Reading reading) {
    VectorRow row = new VectorRow(root);
    List<KvChange> changes = new ArrayList<>(root.getRowCount());
    int first = (int) Math.max(0, buffer.endOffset() - header.baseOffset());
    for (int i = first; i < root.getRowCount(); i++) {
      ChangeType type = typeOf(changeTypes, i);
      if (type == ChangeType.UPDATE_BEFORE) {
        continue;
      }
      row.at(i);
      RowKey key = new RowKey(reading.keys().encode(row));
      byte[] value =
          type == ChangeType.DELETE ? null : reading.codec().encode(row, header.appendTimeMs());
      changes.add(
          new KvChange(key, value, header.baseOffset() + i, rowDelta(type, changeTypes, i)));
    }
    return changes;
  }

  private static ChangeType typeOf(ByteBuffer changeTypes, int record) {
    ChangeType type =
        changeTypes.hasRemaining()
            ? ChangeType.of(changeTypes.get(changeTypes.position() + record))
            : ChangeType.APPEND;
    if (type == ChangeType.APPEND) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE, "record " + record + " is an append, not a change of a row");
    }
    return type;
  }

  /** An update without the row before does not tell whether there was one. */
  private static int rowDelta(ChangeType type, ByteBuffer changeTypes, int record) {
    return switch (type) {
      case INSERT -> 1;
      case DELETE -> -1;
      default ->
          record > 0 && typeOf(changeTypes, record - 1) == ChangeType.UPDATE_BEFORE
              ? 0
              : KvChange.UNKNOWN;
    };
  }

  private void take(List<KvChange> changes) {
    for (KvChange change : changes) {
      buffer.add(change);
    }
  }

  private static SluiceException damaged(LogBatchHeader header, SluiceException cause) {
    ErrorCode code =
        cause.code() == ErrorCode.CORRUPT_BATCH || cause.code() == ErrorCode.INVALID_VALUE
            ? ErrorCode.CORRUPT_STORAGE
            : cause.code();
    return new SluiceException(
        code,
        "The changelog batch at offset "
            + header.baseOffset()
            + " cannot be applied: "
            + cause.getMessage(),
        cause);
  }

  /** Gives back codec contexts. */
  @Override
  public void close() {
    decoder.close();
  }
}

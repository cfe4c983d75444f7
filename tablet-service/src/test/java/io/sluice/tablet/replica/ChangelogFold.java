package io.sluice.tablet.replica;

import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.ChangelogApplier;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** What the records of a changelog make of rows, told in maps: encoded key to encoded value. */
final class ChangelogFold implements AutoCloseable {
  private final TableSchema schema;
  private final BufferAllocator allocator;
  private final KeyEncoder keys;
  private final RowCodec codec;
  private final LogBatchDecoder decoder;

  ChangelogFold(TableSchema schema, BufferAllocator allocator) {
    this.schema = schema;
    this.allocator = allocator;
    this.keys = KeyEncoder.of(schema);
    this.codec = RowCodec.of(schema);
    this.decoder = new LogBatchDecoder(allocator);
  }

  /** Adds the records of a batch that lie below an offset. */
  void add(LogBatchHeader header, ByteBuffer bytes, long end, Map<String, String> rows) {
    if (header.recordCount() == 0) {
      return;
    }
    List<ByteBuffer> sections = ChangelogApplier.sections(header, bytes);
    try (ArrowBuf body = allocator.buffer(Math.max(1, header.bodyLength()))) {
      body.setBytes(0, sections.get(4).duplicate());
      body.writerIndex(header.bodyLength());
      try (VectorSchemaRoot root =
          decoder.decode(ArrowSchemas.toArrow(schema), sections.get(2), body)) {
        VectorRow row = new VectorRow(root);
        for (int i = 0; i < root.getRowCount() && header.baseOffset() + i < end; i++) {
          row.at(i);
          String key = StandbyNode.hex(keys.encode(row));
          switch (ChangeType.of(sections.get(0).get(sections.get(0).position() + i))) {
            case INSERT, UPDATE_AFTER ->
                rows.put(key, StandbyNode.hex(codec.encode(row, header.appendTimeMs())));
            case DELETE -> rows.remove(key);
            default -> {
              // -U says what there was.
            }
          }
        }
      }
    }
  }

  @Override
  public void close() {
    decoder.close();
  }
}

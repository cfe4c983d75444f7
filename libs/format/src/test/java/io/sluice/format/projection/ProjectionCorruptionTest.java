package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damaged stored batches as scans read them: everything is found by the checks on the way, or does
 * not matter; a reader never gets another value, another failure or bytes from elsewhere.
 */
class ProjectionCorruptionTest {
  private static final int ROWS = 120;

  private static final TableSchema STORED =
      schema(1, "INT", "STRING", "FLOAT", "BINARY(3)", "ARRAY<ROW<a INT, b STRING>>");

  /** Widens three columns of {@link #STORED}, so that their buffers are decompressed. */
  private static final TableSchema WIDER =
      schema(2, "BIGINT", "STRING", "DOUBLE", "BYTES", "ARRAY<ROW<a BIGINT, b STRING>>");

  private final BufferAllocator allocator = new RootAllocator();
  private LogBatchDecoder decoder;

  private static TableSchema schema(int id, String... types) {
    List<Column> columns = new ArrayList<>();
    for (String type : types) {
      int next = columns.size() + 1;
      columns.add(Column.of(next, "c" + next, DataTypeParser.parse(type), true));
    }
    return new TableSchema(id, columns, List.of());
  }

  @BeforeEach
  void open() {
    decoder = new LogBatchDecoder(allocator);
  }

  @AfterEach
  void nothingLeaks() {
    decoder.close();
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private static List<GenericRow> rows() {
    List<GenericRow> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      List<Row> nested = List.of(Row.of(i % 3, "text"), Row.of(null, "more text"));
      byte[] bytes = {1, 2, (byte) (i % 2)};
      rows.add(GenericRow.of(i % 5 == 0 ? null : i % 7, "row " + i % 4, 1.5f, bytes, nested));
    }
    return rows;
  }

  private EncodedBatch encode(BatchCodec codec) {
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(STORED), allocator)) {
      ColumnWriters writers = ColumnWriters.of(STORED, root, ROWS);
      rows().forEach(writers::write);
      EncodedBatch batch = encoder.encode(writers.finish(), STORED, BatchWriter.NONE);
      batch.header().stamp(77, 3, 1_700_000_000_000L);
      return batch;
    }
  }

  private static byte[] wire(EncodedBatch batch) {
    ByteBuffer wire = ByteBuffer.allocate(batch.wireBytes());
    wire.put(batch.header().bytes());
    batch.sections().forEach(wire::put);
    return wire.array();
  }

  /** Reads as a server does: every check of a scan, nothing else. */
  private List<GenericRow> scan(byte[] wire, TableSchema wanted) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(wire.length);
    bytes.put(0, wire);
    LogBatchHeader header = LogBatchHeader.wrap(bytes.slice(0, LogBatchHeader.SIZE));
    header.checkHeaderCrc();
    header.checkShape();
    int bodyAt = LogBatchHeader.SIZE + header.sectionsLength();
    ByteBuffer sections = bytes.slice(LogBatchHeader.SIZE, header.sectionsLength());
    header.checkContentCrc(sections);
    int metadataAt = header.changeTypesLength() + header.statisticsLength();
    ByteBuffer metadata = sections.slice(metadataAt, header.metadataLength());
    ByteBuffer checksums =
        sections.slice(metadataAt + header.metadataLength(), header.checksumsLength());
    ProjectionPlan plan = ProjectionPlan.of(STORED, wanted, MetadataColumns.NONE);
    ProjectedBatch projected =
        plan.project(header, sections.slice(0, header.changeTypesLength()), metadata, checksums);
    ByteBuffer stored = bytes.slice(bodyAt, header.bodyLength());
    try (ArrowBuf body = Bodies.fill(allocator, projected, stored);
        VectorSchemaRoot root = decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
      List<GenericRow> found = new ArrayList<>();
      VectorRow row = new VectorRow(root);
      for (int i = 0; i < root.getRowCount(); i++) {
        found.add(row.at(i).copy());
      }
      return found;
    }
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void everyFlippedByteIsFoundOrDoesNotMatter(BatchCodec codec) {
    try (EncodedBatch batch = encode(codec)) {
      byte[] good = wire(batch);
      List<GenericRow> expected = scan(good, WIDER);
      int harmless = 0;
      for (int i = 0; i < good.length; i++) {
        byte[] bad = good.clone();
        bad[i] ^= (byte) (i % 2 == 0 ? 0x10 : 0xFF);
        try {
          assertThat(scan(bad, WIDER)).as("byte %s", i).isEqualTo(expected);
          harmless++;
        } catch (SluiceException e) {
          assertThat(e.code()).as("byte %s", i).isEqualTo(ErrorCode.CORRUPT_BATCH);
          assertThat(e.getMessage())
              .as("byte %s", i)
              .matches(".*(hecksum|crc|magic|length|header_size).*");
        }
      }
      // Only padding: behind the buffers and at the end.
      assertThat(harmless).isLessThan(8 * (batch.checksums().remaining() / 4 + 1));
    }
  }

  /** A length prefix that lies, with every checksum made to agree with it. */
  @ParameterizedTest
  @EnumSource(
      value = BatchCodec.class,
      names = {"LZ4", "ZSTD"})
  void aTamperedLengthPrefixIsRefusedAndNothingIsReadBeyondTheEnd(BatchCodec codec) {
    try (EncodedBatch batch = encode(codec)) {
      List<GenericRow> expected = scan(wire(batch), WIDER);
      RecordBatchMessage message = new RecordBatchMessage().read(batch.metadata());
      int compressed = 0;
      for (int buffer = 0; buffer < message.bufferCount(); buffer++) {
        int at = (int) message.bufferOffset(buffer);
        if (message.bufferLength(buffer) == 0) {
          continue;
        }
        long prefix = batch.bodyBytes().order(ByteOrder.LITTLE_ENDIAN).getLong(at);
        if (prefix == -1) {
          continue;
        }
        compressed++;
        long[] lies = {
          0, 1, -1, -2, prefix - 1, prefix + 1, 2 * prefix, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE
        };
        for (long lie : lies) {
          for (TableSchema wanted : List.of(STORED, WIDER)) {
            byte[] bad = tampered(batch, message, buffer, lie);
            assertThatThrownBy(() -> assertThat(scan(bad, wanted)).isEqualTo(expected))
                .as("buffer %s, %s instead of %s", buffer, lie, prefix)
                .isInstanceOfSatisfying(
                    SluiceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH));
          }
        }
      }
      assertThat(compressed).isGreaterThan(3);
    }
  }

  private static byte[] tampered(
      EncodedBatch batch, RecordBatchMessage message, int buffer, long prefix) {
    byte[] bad = wire(batch);
    ByteBuffer bytes = ByteBuffer.wrap(bad).order(ByteOrder.LITTLE_ENDIAN);
    LogBatchHeader header = LogBatchHeader.wrap(ByteBuffer.wrap(bad, 0, LogBatchHeader.SIZE));
    int bodyAt = LogBatchHeader.SIZE + header.sectionsLength();
    int at = bodyAt + (int) message.bufferOffset(buffer);
    bytes.putLong(at, prefix);
    CRC32C crc = new CRC32C();
    crc.update(bad, at, (int) message.bufferLength(buffer));
    int checksumsAt = bodyAt - header.checksumsLength();
    bytes.putInt(checksumsAt + 4 * buffer, (int) crc.getValue());
    LogBatchHeader changed =
        LogBatchHeader.wrap(ByteBuffer.wrap(bad).slice(0, LogBatchHeader.SIZE));
    ByteBuffer sections = ByteBuffer.wrap(bad).slice(LogBatchHeader.SIZE, header.sectionsLength());
    int metadataAt = header.changeTypesLength() + header.statisticsLength();
    changed.setContentCrc(
        changed.computeContentCrc(
            sections.slice(0, header.changeTypesLength()),
            sections.slice(header.changeTypesLength(), header.statisticsLength()),
            sections.slice(metadataAt, header.metadataLength()),
            sections.slice(metadataAt + header.metadataLength(), header.checksumsLength())));
    changed.stamp(77, 3, 1_700_000_000_000L);
    return bad;
  }

  @Test
  void aBatchCutAnywhereIsRefused() {
    try (EncodedBatch batch = encode(BatchCodec.ZSTD)) {
      byte[] good = wire(batch);
      for (int length = 0; length < LogBatchHeader.SIZE; length++) {
        ByteBuffer cut = ByteBuffer.wrap(good, 0, length);
        assertThatThrownBy(() -> LogBatchHeader.wrap(cut)).isInstanceOf(SluiceException.class);
      }
    }
  }
}

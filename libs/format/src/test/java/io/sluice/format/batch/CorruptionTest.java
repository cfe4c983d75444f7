package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CorruptionTest {
  private final BufferAllocator allocator = new RootAllocator();
  private final TableSchema schema = RandomBatches.allScalars();

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  @Test
  void everyFlippedHeaderByteBreaksTheHeaderChecksum() {
    try (EncodedBatch batch = encode(BatchCodec.ZSTD, 10)) {
      batch.header().stamp(1234, 5, 1_700_000_000_000L);
      byte[] good = RandomBatches.bytes(batch.header().bytes());
      LogBatchHeader.wrap(ByteBuffer.wrap(good)).checkHeaderCrc();
      for (int i = 0; i < good.length; i++) {
        for (int mask : new int[] {0x01, 0x80, 0xFF}) {
          byte[] bad = good.clone();
          bad[i] ^= (byte) mask;
          assertThatThrownBy(() -> LogBatchHeader.wrap(ByteBuffer.wrap(bad)).checkHeaderCrc())
              .isInstanceOf(SluiceException.class)
              .hasMessageContaining("header_crc");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void everyFlippedByteOfHeaderAndSectionsFailsValidation(BatchCodec codec) {
    BatchValidator validator = new BatchValidator();
    try (EncodedBatch batch = encode(codec, codec == BatchCodec.NONE ? 10 : 80)) {
      byte[] good = Batches.wire(batch);
      LogBatchHeader header = batch.header();
      int used = LogBatchHeader.SIZE + header.sectionsLength() + header.bodyLength();
      for (int i = 0; i < used; i++) {
        boolean leaders =
            i < LogBatchHeader.CONTENT_CRC_AT
                && !(i >= LogBatchHeader.LENGTH_AT && i < LogBatchHeader.LEADER_EPOCH_AT);
        if (leaders) {
          continue;
        }
        byte[] bad = good.clone();
        bad[i] ^= 0x41;
        SluiceException failure = validate(validator, bad, header);
        assertThat(failure).as("byte %s", i).isNotNull();
        assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_BATCH);
        assertThat(failure.getMessage())
            .as("byte %s", i)
            .matches(
                ".*(length|magic|reserved|header_size|crc|record_count|offset_count|"
                    + "attributes|sequence|writer_id|schema_id|hecksum|padding|codec).*");
      }
      assertThat(validate(validator, good, header)).isNull();
    }
  }

  /** Sections cut by the good header's lengths: what came in keeps its place. */
  private SluiceException validate(BatchValidator validator, byte[] wire, LogBatchHeader good) {
    ByteBuffer bytes = ByteBuffer.wrap(wire);
    int at = LogBatchHeader.SIZE;
    ByteBuffer changeTypes = bytes.slice(at, good.changeTypesLength());
    at += good.changeTypesLength();
    ByteBuffer statistics = bytes.slice(at, good.statisticsLength());
    at += good.statisticsLength();
    ByteBuffer metadata = bytes.slice(at, good.metadataLength());
    at += good.metadataLength();
    ByteBuffer checksums = bytes.slice(at, good.checksumsLength());
    at += good.checksumsLength();
    ByteBuffer body = bytes.slice(at, good.bodyLength());
    try {
      validator.validate(
          schema, LogBatchHeader.wrap(bytes), changeTypes, statistics, metadata, checksums, body);
      return null;
    } catch (SluiceException e) {
      return e;
    }
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void decoderRefusesMutatedBatchesWithoutLeakOrOtherFailure(BatchCodec codec) {
    BatchValidator validator = new BatchValidator();
    try (LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      int[] outcomes = new int[2];
      Seeds.run(
          8,
          (seed, random) -> {
            TableSchema mixed = RandomBatches.schema(random, 6);
            int rows = 1 + random.nextInt(200);
            try (LogBatchEncoder encoder =
                    new LogBatchEncoder(allocator, CompressionSettings.of(codec));
                VectorSchemaRoot root = RandomBatches.rows(allocator, mixed, random, rows);
                EncodedBatch batch = encoder.encode(root, mixed, BatchWriter.NONE)) {
              for (int i = 0; i < 500; i++) {
                boolean read = mutateAndRead(decoder, validator, mixed, batch, random);
                outcomes[read ? 1 : 0]++;
              }
            }
          });
      assertThat(outcomes[0]).as("refused").isGreaterThan(1000);
    }
  }

  /** Changes bytes, makes every checksum right again, and reads. */
  private boolean mutateAndRead(
      LogBatchDecoder decoder,
      BatchValidator validator,
      TableSchema mixed,
      EncodedBatch batch,
      SplittableRandom random) {
    byte[] metadata = RandomBatches.bytes(batch.metadata());
    byte[] statistics = RandomBatches.bytes(batch.statistics());
    byte[] bodyBytes = RandomBatches.bytes(batch.bodyBytes());
    switch (random.nextInt(4)) {
      case 0 -> mutate(metadata, random);
      case 1 -> mutate(statistics, random);
      default -> mutate(bodyBytes, random);
    }
    ByteBuffer checksums = checksums(batch, metadata, bodyBytes);
    LogBatchHeader header =
        LogBatchHeader.wrap(ByteBuffer.wrap(RandomBatches.bytes(batch.header().bytes())));
    ByteBuffer none = ByteBuffer.allocate(0);
    header.setContentCrc(
        header.computeContentCrc(
            none, ByteBuffer.wrap(statistics), ByteBuffer.wrap(metadata), checksums));
    try (ArrowBuf body = allocator.buffer(Math.max(8, bodyBytes.length))) {
      body.writeBytes(bodyBytes);
      boolean good = true;
      try {
        validator.validate(
            mixed,
            header,
            none,
            ByteBuffer.wrap(statistics),
            ByteBuffer.wrap(metadata),
            checksums,
            ByteBuffer.wrap(bodyBytes));
      } catch (SluiceException e) {
        good = false;
      }
      try (VectorSchemaRoot decoded =
          decoder.decode(ArrowSchemas.toArrow(mixed), ByteBuffer.wrap(metadata), body)) {
        readAll(decoded);
      } catch (SluiceException e) {
        good = false;
      }
      return good;
    }
  }

  private static void mutate(byte[] bytes, SplittableRandom random) {
    if (bytes.length == 0) {
      return;
    }
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(3)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt(256);
        default -> {
          int start = at & -4;
          if (start + 4 <= bytes.length) {
            ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(start, random.nextBoolean() ? random.nextInt() : random.nextInt(64));
          }
        }
      }
    }
  }

  /** Checksums of the buffers the message now names, or the old ones when it names none. */
  private static ByteBuffer checksums(EncodedBatch batch, byte[] metadata, byte[] body) {
    ByteBuffer checksums =
        ByteBuffer.wrap(RandomBatches.bytes(batch.checksums())).order(ByteOrder.LITTLE_ENDIAN);
    try {
      RecordBatchMessage message = new RecordBatchMessage().read(ByteBuffer.wrap(metadata));
      for (int i = 0; i < message.bufferCount() && 4 * i < checksums.limit(); i++) {
        long offset = message.bufferOffset(i);
        long length = message.bufferLength(i);
        if (offset >= 0 && length >= 0 && offset <= body.length - length) {
          CRC32C crc = new CRC32C();
          crc.update(body, (int) offset, (int) length);
          checksums.putInt(4 * i, (int) crc.getValue());
        }
      }
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH);
    }
    return checksums;
  }

  /** Touches every value: a vector that passed must be readable to its end. */
  private static void readAll(VectorSchemaRoot root) {
    root.getFieldVectors()
        .forEach(
            vector -> {
              for (int row = 0; row < root.getRowCount(); row++) {
                vector.hashCode(row);
              }
            });
  }

  @Test
  void decoderRefusesTruncatedMetadataAtEveryLength() {
    try (EncodedBatch batch = encode(BatchCodec.ZSTD, 10);
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      int length = batch.metadata().remaining();
      for (int i = 0; i < length; i++) {
        ByteBuffer cut = batch.metadata().limit(i);
        assertThatThrownBy(() -> decoder.decode(ArrowSchemas.toArrow(schema), cut, batch.body()))
            .isInstanceOf(SluiceException.class)
            .hasMessageContaining("metadata is damaged");
      }
    }
  }

  @Test
  void truncatedHeaderIsRefused() {
    assertThatThrownBy(() -> LogBatchHeader.wrap(ByteBuffer.allocate(95)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("95 bytes");
  }

  private EncodedBatch encode(BatchCodec codec, int rows) {
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        VectorSchemaRoot root =
            RandomBatches.rows(allocator, schema, new SplittableRandom(42), rows)) {
      return encoder.encode(root, schema, new BatchWriter(9, 1, 77, rows));
    }
  }
}

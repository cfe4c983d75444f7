package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogBatchHeaderTest {
  private static LogBatchHeader header() {
    return LogBatchHeader.allocate()
        .setWriter(1L << 40, 0xFFFE, 1L << 33, 12)
        .setContent(0xFFFD, 10, 11)
        .setSections(2, 10, 20, 30, 8, 40, 400)
        .setContentCrc(0xCAFEBABE);
  }

  @Test
  void readsBackEveryField() {
    LogBatchHeader header = header();
    header.stamp(1L << 50, 7, 1_700_000_000_123L);
    assertThat(header.baseOffset()).isEqualTo(1L << 50);
    assertThat(header.nextOffset()).isEqualTo((1L << 50) + 11);
    assertThat(header.length()).isEqualTo(96 + 10 + 20 + 30 + 8 + 40 + 4);
    assertThat(header.magic()).isEqualTo(1);
    assertThat(header.headerSize()).isEqualTo(96);
    assertThat(header.leaderEpoch()).isEqualTo(7);
    assertThat(header.appendTimeMs()).isEqualTo(1_700_000_000_123L);
    assertThat(header.contentCrc()).isEqualTo(0xCAFEBABE);
    assertThat(header.codecId()).isEqualTo(2);
    assertThat(header.hasChangeTypes()).isTrue();
    assertThat(header.hasStatistics()).isTrue();
    assertThat(header.isControl()).isFalse();
    assertThat(header.schemaId()).isEqualTo(0xFFFD);
    assertThat(header.recordCount()).isEqualTo(10);
    assertThat(header.offsetCount()).isEqualTo(11);
    assertThat(header.writerId()).isEqualTo(1L << 40);
    assertThat(header.baseSequence()).isEqualTo(1L << 33);
    assertThat(header.sequenceCount()).isEqualTo(12);
    assertThat(header.lastSequence()).isEqualTo((1L << 33) + 11);
    assertThat(header.writerEpoch()).isEqualTo(0xFFFE);
    assertThat(header.sectionsLength()).isEqualTo(68);
    assertThat(header.bodyLength()).isEqualTo(40);
    assertThat(header.uncompressedBodyLength()).isEqualTo(400);
    assertThatCode(header::checkShape).doesNotThrowAnyException();
    assertThatCode(header::checkHeaderCrc).doesNotThrowAnyException();
  }

  @Test
  void aControlBatchKeepsSequencesAndTakesAnOffset() {
    LogBatchHeader header = LogBatchHeader.control(new BatchWriter(7, 3, 100, 20));
    header.stamp(50, 2, 1_700_000_000_123L);
    assertThat(header.isControl()).isTrue();
    assertThat(header.length()).isEqualTo(LogBatchHeader.SIZE);
    assertThat(header.recordCount()).isZero();
    assertThat(header.nextOffset()).isEqualTo(51);
    assertThat(header.writerId()).isEqualTo(7);
    assertThat(header.writerEpoch()).isEqualTo(3);
    assertThat(header.lastSequence()).isEqualTo(119);
    assertThatCode(header::checkShape).doesNotThrowAnyException();
    assertThatCode(header::checkContentCrc).doesNotThrowAnyException();
  }

  @Test
  void stampChangesNothingThatTheContentChecksumCovers() {
    LogBatchHeader header = header();
    int before = header.computeContentCrc();
    header.stamp(99, 3, 12345);
    assertThat(header.computeContentCrc()).isEqualTo(before);
  }

  @Test
  void wrapsBytesInsideALargerBuffer() {
    ByteBuffer bytes = ByteBuffer.allocate(200).position(17);
    bytes.duplicate().put(header().bytes());
    assertThat(LogBatchHeader.wrap(bytes).recordCount()).isEqualTo(10);
    assertThat(bytes.position()).isEqualTo(17);
  }

  /** Position, bytes, value that no batch has there, and the field that the message must name. */
  @ParameterizedTest
  @CsvSource({
    "8, 4, 205, length",
    "12, 1, 2, magic",
    "13, 1, 1, reserved byte 13",
    "14, 2, 95, header_size",
    "36, 2, 64, attributes",
    "36, 2, 3, change types length",
    "38, 2, 0, schema_id",
    "40, 4, 0, record_count",
    "40, 4, -1, record_count",
    "44, 4, 9, offset_count",
    "48, 8, -2, writer_id",
    "56, 8, -1, base_sequence",
    "56, 8, 9223372036854775800, base_sequence",
    "64, 4, 0, sequence_count",
    "70, 2, 1, reserved field at 70",
    "72, 4, 9, change types length",
    "76, 4, 0, statistics length",
    "80, 4, 0, metadata length",
    "84, 4, 7, checksums length",
    "88, 4, 41, body length",
    "88, 4, -8, body length",
    "92, 4, -1, uncompressed body length"
  })
  void impossibleFieldIsNamed(int at, int size, long value, String field) {
    ByteBuffer bytes = header().bytes().order(ByteOrder.LITTLE_ENDIAN);
    switch (size) {
      case 1 -> bytes.put(at, (byte) value);
      case 2 -> bytes.putShort(at, (short) value);
      case 4 -> bytes.putInt(at, (int) value);
      default -> bytes.putLong(at, value);
    }
    assertThatThrownBy(() -> LogBatchHeader.wrap(bytes).checkShape())
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH))
        .hasMessageContaining(field + " is ");
  }

  @Test
  void lengthsThatOverflowTogetherAreRefused() {
    ByteBuffer bytes = header().bytes().order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(76, Integer.MAX_VALUE).putInt(80, Integer.MAX_VALUE);
    assertThatThrownBy(() -> LogBatchHeader.wrap(bytes).checkShape())
        .hasMessageContaining("length is");
  }
}

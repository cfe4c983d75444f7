package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The 96-byte header of a log batch, a view over bytes in little-endian order.
 *
 * <p>The view reads and writes absolute positions of its buffer, never the buffer's own position.
 * It is mutable and not thread-safe: one owner wraps, stamps and passes on.
 */
public final class LogBatchHeader {
  /** Size of the header in version 1. */
  public static final int SIZE = 96;

  /** The format version in {@link #MAGIC_AT}. */
  public static final int MAGIC_V1 = 1;

  /** The batch is padded so that its length is a multiple of this. */
  public static final int ALIGNMENT = 8;

  /** First byte of the part that the writer owns and {@link #contentCrc()} covers. */
  public static final int CONTENT_AT = 36;

  static final int BASE_OFFSET_AT = 0;
  static final int LENGTH_AT = 8;
  static final int MAGIC_AT = 12;
  static final int HEADER_SIZE_AT = 14;
  static final int LEADER_EPOCH_AT = 16;
  static final int HEADER_CRC_AT = 20;
  static final int APPEND_TIME_AT = 24;
  static final int CONTENT_CRC_AT = 32;
  static final int ATTRIBUTES_AT = 36;
  static final int SCHEMA_ID_AT = 38;
  static final int RECORD_COUNT_AT = 40;
  static final int OFFSET_COUNT_AT = 44;
  static final int WRITER_ID_AT = 48;
  static final int BASE_SEQUENCE_AT = 56;
  static final int SEQUENCE_COUNT_AT = 64;
  static final int WRITER_EPOCH_AT = 68;
  static final int CHANGE_TYPES_LENGTH_AT = 72;
  static final int STATISTICS_LENGTH_AT = 76;
  static final int METADATA_LENGTH_AT = 80;
  static final int CHECKSUMS_LENGTH_AT = 84;
  static final int BODY_LENGTH_AT = 88;
  static final int UNCOMPRESSED_LENGTH_AT = 92;

  private static final int CODEC_MASK = 0b111;
  private static final int CHANGE_TYPES_BIT = 1 << 3;
  private static final int STATISTICS_BIT = 1 << 4;
  private static final int CONTROL_BIT = 1 << 5;

  private final ByteBuffer bytes;

  private LogBatchHeader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** A zeroed header with magic, size and no writer, on the heap. */
  public static LogBatchHeader allocate() {
    LogBatchHeader header = wrap(ByteBuffer.allocate(SIZE));
    header.bytes.put(MAGIC_AT, (byte) MAGIC_V1);
    header.bytes.putShort(HEADER_SIZE_AT, (short) SIZE);
    header.bytes.putLong(WRITER_ID_AT, -1);
    header.bytes.putLong(BASE_SEQUENCE_AT, -1);
    return header;
  }

  /**
   * A view of the next {@link #SIZE} bytes of {@code source}, which keeps its position. Nothing is
   * checked: see {@link #checkShape()} and {@link #checkHeaderCrc()}.
   */
  public static LogBatchHeader wrap(ByteBuffer source) {
    if (source.remaining() < SIZE) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch header has " + source.remaining() + " bytes; it must have " + SIZE);
    }
    return new LogBatchHeader(source.slice(source.position(), SIZE).order(ByteOrder.LITTLE_ENDIAN));
  }

  /**
   * The header of a control batch without records, which is all of the batch: it keeps a writer's
   * sequences whose rows changed nothing. It takes one offset, as every batch does.
   */
  public static LogBatchHeader control(BatchWriter writer) {
    LogBatchHeader header = allocate().setContent(0, 0, 1).setSections(0, 0, 0, 0, 0, 0, 0);
    header.bytes.putShort(ATTRIBUTES_AT, (short) CONTROL_BIT);
    header.setWriter(writer.id(), writer.epoch(), writer.baseSequence(), writer.sequenceCount());
    return header.setContentCrc(header.computeContentCrc());
  }

  /** The header's own bytes, position 0, limit {@link #SIZE}, shared with this view. */
  public ByteBuffer bytes() {
    return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(0).limit(SIZE);
  }

  /** Offset of the first record; stamped by the leader. */
  public long baseOffset() {
    return bytes.getLong(BASE_OFFSET_AT);
  }

  /** Offset after the last record. */
  public long nextOffset() {
    return baseOffset() + offsetCount();
  }

  /** Bytes of the whole batch with header and padding, a multiple of {@link #ALIGNMENT}. */
  public int length() {
    return bytes.getInt(LENGTH_AT);
  }

  /** Format version. */
  public int magic() {
    return bytes.get(MAGIC_AT) & 0xFF;
  }

  /** Size of the header in bytes; later versions may append fields. */
  public int headerSize() {
    return bytes.getShort(HEADER_SIZE_AT) & 0xFFFF;
  }

  /** Epoch of the leader that stored the batch; stamped by the leader. */
  public int leaderEpoch() {
    return bytes.getInt(LEADER_EPOCH_AT);
  }

  /** crc32c of bytes 0 to 19 and 24 to 95; stamped by the leader. */
  public int headerCrc() {
    return bytes.getInt(HEADER_CRC_AT);
  }

  /** When the leader stored the batch, epoch milliseconds, never falling inside a log. */
  public long appendTimeMs() {
    return bytes.getLong(APPEND_TIME_AT);
  }

  /** crc32c of bytes 36 to 95 and of every section but the body. */
  public int contentCrc() {
    return bytes.getInt(CONTENT_CRC_AT);
  }

  /** Wire number of the codec, see {@code BatchCodec}. */
  public int codecId() {
    return bytes.getShort(ATTRIBUTES_AT) & CODEC_MASK;
  }

  /** Whether a change type section is present. */
  public boolean hasChangeTypes() {
    return (bytes.getShort(ATTRIBUTES_AT) & CHANGE_TYPES_BIT) != 0;
  }

  /** Whether a statistics section is present. */
  public boolean hasStatistics() {
    return (bytes.getShort(ATTRIBUTES_AT) & STATISTICS_BIT) != 0;
  }

  /** Whether this is a control batch, which holds no rows. */
  public boolean isControl() {
    return (bytes.getShort(ATTRIBUTES_AT) & CONTROL_BIT) != 0;
  }

  /** All attribute bits, see {@code docs/formats/log-batch.md}. */
  public int attributes() {
    return bytes.getShort(ATTRIBUTES_AT) & 0xFFFF;
  }

  /** Schema the columns follow. */
  public int schemaId() {
    return bytes.getShort(SCHEMA_ID_AT) & 0xFFFF;
  }

  /** Rows in the batch. */
  public int recordCount() {
    return bytes.getInt(RECORD_COUNT_AT);
  }

  /** Offsets the batch takes. */
  public int offsetCount() {
    return bytes.getInt(OFFSET_COUNT_AT);
  }

  /** Writer, or -1 when the put was not idempotent. */
  public long writerId() {
    return bytes.getLong(WRITER_ID_AT);
  }

  /** Sequence of the first input row, -1 without a writer. */
  public long baseSequence() {
    return bytes.getLong(BASE_SEQUENCE_AT);
  }

  /** Input rows that the batch accounts for. */
  public int sequenceCount() {
    return bytes.getInt(SEQUENCE_COUNT_AT);
  }

  /** Last sequence that the batch accounts for. */
  public long lastSequence() {
    return baseSequence() + sequenceCount() - 1;
  }

  /** Epoch of the writer. */
  public int writerEpoch() {
    return bytes.getShort(WRITER_EPOCH_AT) & 0xFFFF;
  }

  /** Bytes of the change type section. */
  public int changeTypesLength() {
    return bytes.getInt(CHANGE_TYPES_LENGTH_AT);
  }

  /** Bytes of the statistics section. */
  public int statisticsLength() {
    return bytes.getInt(STATISTICS_LENGTH_AT);
  }

  /** Bytes of the Arrow message section. */
  public int metadataLength() {
    return bytes.getInt(METADATA_LENGTH_AT);
  }

  /** Bytes of the checksum section, 4 for each body buffer. */
  public int checksumsLength() {
    return bytes.getInt(CHECKSUMS_LENGTH_AT);
  }

  /** Bytes of the Arrow body. */
  public int bodyLength() {
    return bytes.getInt(BODY_LENGTH_AT);
  }

  /** Bytes the body would have without compression. */
  public int uncompressedBodyLength() {
    return bytes.getInt(UNCOMPRESSED_LENGTH_AT);
  }

  /** Bytes between the end of the header and the start of the body. */
  public int sectionsLength() {
    return changeTypesLength() + statisticsLength() + metadataLength() + checksumsLength();
  }

  /** Sets what the leader decides and the header checksum that covers it. */
  public void stamp(long baseOffset, int leaderEpoch, long appendTimeMs) {
    bytes.putLong(BASE_OFFSET_AT, baseOffset);
    bytes.putInt(LEADER_EPOCH_AT, leaderEpoch);
    bytes.putLong(APPEND_TIME_AT, appendTimeMs);
    bytes.putInt(HEADER_CRC_AT, computeHeaderCrc());
  }

  /** Sets who wrote the batch; before {@link #setContentCrc}. */
  public LogBatchHeader setWriter(
      long writerId, int writerEpoch, long baseSequence, int sequenceCount) {
    bytes.putLong(WRITER_ID_AT, writerId);
    bytes.putShort(WRITER_EPOCH_AT, (short) writerEpoch);
    bytes.putLong(BASE_SEQUENCE_AT, baseSequence);
    bytes.putInt(SEQUENCE_COUNT_AT, sequenceCount);
    return this;
  }

  /** Sets schema, counts and attribute bits. */
  public LogBatchHeader setContent(int schemaId, int recordCount, int offsetCount) {
    bytes.putShort(SCHEMA_ID_AT, (short) schemaId);
    bytes.putInt(RECORD_COUNT_AT, recordCount);
    bytes.putInt(OFFSET_COUNT_AT, offsetCount);
    return this;
  }

  /** Sets codec, the bits that follow from the section lengths, the lengths and the total. */
  public LogBatchHeader setSections(
      int codecId,
      int changeTypes,
      int statistics,
      int metadata,
      int checksums,
      int body,
      int uncompressedBody) {
    int attributes = codecId & CODEC_MASK;
    attributes |= changeTypes > 0 ? CHANGE_TYPES_BIT : 0;
    attributes |= statistics > 0 ? STATISTICS_BIT : 0;
    bytes.putShort(ATTRIBUTES_AT, (short) attributes);
    bytes.putInt(CHANGE_TYPES_LENGTH_AT, changeTypes);
    bytes.putInt(STATISTICS_LENGTH_AT, statistics);
    bytes.putInt(METADATA_LENGTH_AT, metadata);
    bytes.putInt(CHECKSUMS_LENGTH_AT, checksums);
    bytes.putInt(BODY_LENGTH_AT, body);
    bytes.putInt(UNCOMPRESSED_LENGTH_AT, uncompressedBody);
    bytes.putInt(LENGTH_AT, align(SIZE + changeTypes + statistics + metadata + checksums + body));
    return this;
  }

  /** Sets the checksum over the writer's part; call it last on the writer's side. */
  public LogBatchHeader setContentCrc(int crc) {
    bytes.putInt(CONTENT_CRC_AT, crc);
    return this;
  }

  /** crc32c over bytes 0 to 19 and 24 to 95 as they are now. */
  public int computeHeaderCrc() {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, HEADER_CRC_AT));
    crc.update(bytes.slice(APPEND_TIME_AT, SIZE - APPEND_TIME_AT));
    return (int) crc.getValue();
  }

  /**
   * crc32c over bytes 36 to 95 and then the sections before the body, in their order.
   *
   * @param sections change types, statistics, metadata, checksums; positions are kept
   */
  public int computeContentCrc(ByteBuffer... sections) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(CONTENT_AT, SIZE - CONTENT_AT));
    for (ByteBuffer section : sections) {
      crc.update(section.duplicate());
    }
    return (int) crc.getValue();
  }

  /** Throws CORRUPT_BATCH when the stored header checksum is not that of the bytes. */
  public void checkHeaderCrc() {
    int found = computeHeaderCrc();
    if (found != headerCrc()) {
      throw corrupt("header_crc is " + hex(headerCrc()) + ", the bytes give " + hex(found));
    }
  }

  /**
   * Throws CORRUPT_BATCH when the content checksum is not that of the writer's part of the header
   * and these sections.
   *
   * @param sections change types, statistics, metadata, checksums, as one buffer or several;
   *     positions are kept
   */
  public void checkContentCrc(ByteBuffer... sections) {
    int found = computeContentCrc(sections);
    if (found != contentCrc()) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch is damaged: content_crc is "
              + hex(contentCrc())
              + ", the bytes give "
              + hex(found));
    }
  }

  /**
   * Throws CORRUPT_BATCH, naming the field, when a field has a value that no version 1 batch has,
   * or the lengths do not add up. Bounds nothing by the size of a buffer: the caller knows that.
   */
  public void checkShape() {
    require(magic() == MAGIC_V1, "magic", magic());
    require(bytes.get(13) == 0, "reserved byte 13", bytes.get(13));
    require(bytes.getShort(70) == 0, "reserved field at 70", bytes.getShort(70));
    require(headerSize() == SIZE, "header_size", headerSize());
    require((attributes() >>> 6) == 0, "attributes", attributes());
    require(recordCount() >= 0, "record_count", recordCount());
    require(isControl() || recordCount() > 0, "record_count", recordCount());
    require(offsetCount() >= recordCount(), "offset_count", offsetCount());
    require(sequenceCount() >= 0, "sequence_count", sequenceCount());
    require(writerId() >= -1, "writer_id", writerId());
    require(
        writerId() < 0
            || (baseSequence() >= 0 && baseSequence() <= Long.MAX_VALUE - sequenceCount()),
        "base_sequence",
        baseSequence());
    require(writerId() < 0 || sequenceCount() > 0, "sequence_count", sequenceCount());
    require(schemaId() > 0 || isControl(), "schema_id", schemaId());
    require(changeTypesLength() >= 0, "change types length", changeTypesLength());
    require(
        changeTypesLength() == (hasChangeTypes() ? recordCount() : 0),
        "change types length",
        changeTypesLength());
    require(statisticsLength() >= 0, "statistics length", statisticsLength());
    require(hasStatistics() == statisticsLength() > 0, "statistics length", statisticsLength());
    require(metadataLength() >= 0, "metadata length", metadataLength());
    require(isControl() || metadataLength() > 0, "metadata length", metadataLength());
    require(
        checksumsLength() >= 0 && checksumsLength() % 4 == 0,
        "checksums length",
        checksumsLength());
    require(bodyLength() >= 0 && bodyLength() % 8 == 0, "body length", bodyLength());
    require(uncompressedBodyLength() >= 0, "uncompressed body length", uncompressedBodyLength());
    long total =
        (long) SIZE
            + changeTypesLength()
            + statisticsLength()
            + metadataLength()
            + checksumsLength()
            + bodyLength();
    require(length() == ((total + 7) & ~7L), "length", length());
  }

  /** Rounds up to the batch alignment. */
  public static int align(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  private static void require(boolean good, String field, long value) {
    if (!good) {
      throw corrupt(field + " is " + value);
    }
  }

  private static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_BATCH, "Batch header is damaged: " + what);
  }

  private static String hex(int value) {
    return String.format("0x%08x", value);
  }
}

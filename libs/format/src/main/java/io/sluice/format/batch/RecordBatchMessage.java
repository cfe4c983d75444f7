package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;

/**
 * The contents of an Arrow {@code Message} that holds a {@code RecordBatch}, read from its
 * flatbuffer with every position checked before it is used (the generated classes check nothing).
 * Reusable: {@link #read} replaces the contents. Not thread-safe.
 */
public final class RecordBatchMessage {
  private static final int MESSAGE_VERSION = 0;
  private static final int MESSAGE_HEADER_TYPE = 1;
  private static final int MESSAGE_HEADER = 2;
  private static final int MESSAGE_BODY_LENGTH = 3;
  private static final int MESSAGE_CUSTOM_METADATA = 4;
  private static final int BATCH_LENGTH = 0;
  private static final int BATCH_NODES = 1;
  private static final int BATCH_BUFFERS = 2;
  private static final int BATCH_COMPRESSION = 3;
  private static final int BATCH_VARIADIC = 4;
  private static final int COMPRESSION_CODEC = 0;
  private static final int COMPRESSION_METHOD = 1;

  private static final int PAIR_BYTES = 16;

  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private int end;
  private long bodyLength;
  private long rows;
  private BatchCodec codec = BatchCodec.NONE;
  private boolean customMetadata;
  private int nodeCount;
  private int bufferCount;
  private int nodesAt;
  private int buffersAt;

  /**
   * Reads the message in the remaining bytes, which must stay unchanged while this is used; the
   * buffer's position is kept. CORRUPT_BATCH when it is no record batch of metadata version 5 or a
   * position in it points outside.
   *
   * @return this
   */
  public RecordBatchMessage read(ByteBuffer metadata) {
    bytes = metadata.slice().order(ByteOrder.LITTLE_ENDIAN);
    end = bytes.limit();
    if (end < 8) {
      throw corrupt("it has " + end + " bytes");
    }
    int message = reference(0);
    checkTable(message);
    short version = shortField(message, MESSAGE_VERSION);
    if (version != MetadataVersion.V5) {
      throw corrupt("its version is " + version + ", not V5");
    }
    byte type = byteField(message, MESSAGE_HEADER_TYPE);
    if (type != MessageHeader.RecordBatch) {
      throw corrupt("its header type is " + type + ", not RecordBatch");
    }
    bodyLength = longField(message, MESSAGE_BODY_LENGTH);
    customMetadata = field(message, MESSAGE_CUSTOM_METADATA, 4) != 0;
    int header = field(message, MESSAGE_HEADER, 4);
    check(header != 0, "it has no header");
    int batch = reference(header);
    checkTable(batch);
    rows = longField(batch, BATCH_LENGTH);
    if (rows < 0 || rows > Integer.MAX_VALUE) {
      throw corrupt("its length is " + rows);
    }
    int nodes = field(batch, BATCH_NODES, 4);
    nodesAt = nodes == 0 ? 0 : vector(nodes);
    nodeCount = nodes == 0 ? 0 : bytes.getInt(nodesAt - 4);
    int buffers = field(batch, BATCH_BUFFERS, 4);
    buffersAt = buffers == 0 ? 0 : vector(buffers);
    bufferCount = buffers == 0 ? 0 : bytes.getInt(buffersAt - 4);
    check(field(batch, BATCH_VARIADIC, 4) == 0, "it has variadic buffers");
    codec = readCodec(batch);
    return this;
  }

  /**
   * Checks that the message fits a layout: counts, lengths and null counts of nodes, buffers inside
   * the body. Until then only the message's own bytes are known to be sound. CORRUPT_BATCH naming
   * the column, or INVALID_VALUE for NULL where the schema says NOT NULL.
   */
  public void check(BatchLayout layout, long bodyBytes) {
    BatchStructure.check(layout, this, bodyBytes);
  }

  /** Bytes of the body as the message says. */
  public long bodyLength() {
    return bodyLength;
  }

  /** Rows of the batch. */
  public int rows() {
    return (int) rows;
  }

  /** How the buffers are compressed. */
  public BatchCodec codec() {
    return codec;
  }

  /** Whether the message carries key-value pairs, which are not read here. */
  boolean hasCustomMetadata() {
    return customMetadata;
  }

  /** Number of field nodes. */
  public int nodeCount() {
    return nodeCount;
  }

  /** Number of buffers. */
  public int bufferCount() {
    return bufferCount;
  }

  /** Rows of a node, as written: not checked against anything. */
  public long nodeLength(int node) {
    return bytes.getLong(nodesAt + node * PAIR_BYTES);
  }

  /** NULLs of a node, as written. */
  public long nodeNullCount(int node) {
    return bytes.getLong(nodesAt + node * PAIR_BYTES + 8);
  }

  /** Where a buffer begins in the body, as written. */
  public long bufferOffset(int buffer) {
    return bytes.getLong(buffersAt + buffer * PAIR_BYTES);
  }

  /** Bytes of a buffer in the body, as written. */
  public long bufferLength(int buffer) {
    return bytes.getLong(buffersAt + buffer * PAIR_BYTES + 8);
  }

  private BatchCodec readCodec(int batch) {
    int compression = field(batch, BATCH_COMPRESSION, 4);
    if (compression == 0) {
      return BatchCodec.NONE;
    }
    int table = reference(compression);
    checkTable(table);
    byte method = byteField(table, COMPRESSION_METHOD);
    if (method != 0) {
      throw corrupt("its compression method is " + method + ", not BUFFER");
    }
    byte id = byteField(table, COMPRESSION_CODEC);
    if (id != 0 && id != 1) {
      throw corrupt("its codec is " + id + ", not 0 (lz4) or 1 (zstd)");
    }
    return id == 0 ? BatchCodec.LZ4 : BatchCodec.ZSTD;
  }

  /** The position that the unsigned relative offset at {@code at} points to. */
  private int reference(int at) {
    int distance = bytes.getInt(at);
    if (distance < 4 || distance > end - 4 - at || ((at + distance) & 3) != 0) {
      throw corrupt("the reference at byte " + at + " leads outside");
    }
    return at + distance;
  }

  /** Checks that a table's vtable and inline part lie inside the bytes. */
  private void checkTable(int table) {
    long vtable = (long) table - bytes.getInt(table);
    check(vtable >= 0 && vtable <= end - 4 && (vtable & 1) == 0, "a vtable lies outside");
    int vtableBytes = bytes.getShort((int) vtable) & 0xFFFF;
    int tableBytes = bytes.getShort((int) vtable + 2) & 0xFFFF;
    if (vtableBytes < 4 || (vtableBytes & 1) != 0) {
      throw corrupt("a vtable has " + vtableBytes + " bytes");
    }
    check(vtableBytes <= end - vtable, "a vtable ends outside");
    check(tableBytes >= 4 && tableBytes <= end - table, "a table ends outside");
  }

  /** Position of a field of a checked table, 0 when it is absent. */
  private int field(int table, int index, int size) {
    int vtable = table - bytes.getInt(table);
    int slot = 4 + 2 * index;
    if (slot + 2 > (bytes.getShort(vtable) & 0xFFFF)) {
      return 0;
    }
    int offset = bytes.getShort(vtable + slot) & 0xFFFF;
    if (offset == 0) {
      return 0;
    }
    int tableBytes = bytes.getShort(vtable + 2) & 0xFFFF;
    if (offset < 4 || offset + size > tableBytes) {
      throw corrupt("field " + index + " lies outside its table");
    }
    if (((table + offset) & (size - 1)) != 0) {
      throw corrupt("field " + index + " is not aligned");
    }
    return table + offset;
  }

  /** First element of a vector of 16-byte structs whose count lies just before. */
  private int vector(int at) {
    int vector = reference(at);
    int count = bytes.getInt(vector);
    check(count == 0 || (vector & 7) == 4, "a list is not aligned");
    if (count < 0 || count > (end - vector - 4) / PAIR_BYTES) {
      throw corrupt("a list of " + count + " entries ends outside");
    }
    return vector + 4;
  }

  private byte byteField(int table, int index) {
    int at = field(table, index, 1);
    return at == 0 ? 0 : bytes.get(at);
  }

  private short shortField(int table, int index) {
    int at = field(table, index, 2);
    return at == 0 ? 0 : bytes.getShort(at);
  }

  private long longField(int table, int index) {
    int at = field(table, index, 8);
    return at == 0 ? 0 : bytes.getLong(at);
  }

  /** Only for texts that are there already: one that is put together costs every good batch. */
  private static void check(boolean good, String what) {
    if (!good) {
      throw corrupt(what);
    }
  }

  static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_BATCH, "Batch metadata is damaged: " + what);
  }
}

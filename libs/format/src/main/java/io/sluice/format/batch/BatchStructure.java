package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLayout.BufferKind;
import java.nio.ByteBuffer;
import org.apache.arrow.vector.types.pojo.ArrowType.ArrowTypeID;

/**
 * The rules that tie a record batch's message and the sizes in its body to the layout of its
 * schema. Whoever reads a body checks these first; nothing here looks at values.
 */
final class BatchStructure {
  /** Prefix of a buffer that is stored raw in a body with a codec. */
  static final long RAW_PREFIX = -1;

  /** Bytes of the uncompressed length before each buffer of a body with a codec. */
  static final int PREFIX_BYTES = 8;

  private BatchStructure() {}

  /**
   * Checks counts, node lengths and null counts, and that every buffer lies inside the body.
   * CORRUPT_BATCH naming the column, or INVALID_VALUE for NULL where the schema says NOT NULL.
   */
  static void check(BatchLayout layout, RecordBatchMessage message, long bodyLength) {
    if (message.nodeCount() != layout.nodeCount()) {
      throw RecordBatchMessage.corrupt(
          "it has " + message.nodeCount() + " field nodes, the schema has " + layout.nodeCount());
    }
    if (message.bufferCount() != layout.bufferCount()) {
      throw RecordBatchMessage.corrupt(
          "it has " + message.bufferCount() + " buffers, the schema has " + layout.bufferCount());
    }
    boolean[] absentParent = new boolean[layout.nodeCount()];
    for (int node = 0; node < layout.nodeCount(); node++) {
      checkNode(layout, message, node, absentParent);
    }
    for (int buffer = 0; buffer < layout.bufferCount(); buffer++) {
      long offset = message.bufferOffset(buffer);
      long length = message.bufferLength(buffer);
      if (offset < 0 || length < 0 || offset > bodyLength || length > bodyLength - offset) {
        throw RecordBatchMessage.corrupt(
            "buffer "
                + buffer
                + " has offset "
                + offset
                + " and length "
                + length
                + ", the body has "
                + bodyLength
                + " bytes");
      }
    }
  }

  private static void checkNode(
      BatchLayout layout, RecordBatchMessage message, int node, boolean[] absentParent) {
    long length = message.nodeLength(node);
    long nulls = message.nodeNullCount(node);
    int parent = layout.parent(node);
    long expected =
        parent < 0 ? message.rows() : layout.lengthFromParent(node, message.nodeLength(parent));
    if (length < 0 || length > Integer.MAX_VALUE - 8 || (expected >= 0 && length != expected)) {
      throw RecordBatchMessage.corrupt(
          "column '"
              + layout.name(node)
              + "' has "
              + length
              + " rows"
              + (expected >= 0 ? ", not " + expected : ""));
    }
    if (nulls < 0 || nulls > length) {
      throw RecordBatchMessage.corrupt(
          "column '" + layout.name(node) + "' has " + nulls + " NULLs in " + length + " rows");
    }
    if (parent >= 0 && layout.type(parent) == ArrowTypeID.Struct) {
      absentParent[node] = absentParent[parent] || message.nodeNullCount(parent) > 0;
    }
    if (nulls > 0 && !layout.nullable(node) && !absentParent[node]) {
      throw nullInNotNull(layout, node, nulls);
    }
  }

  /** The failure of NULLs in a column, or a nested field, that is NOT NULL. */
  static SluiceException nullInNotNull(BatchLayout layout, int node, long nulls) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '" + layout.name(node) + "' is NOT NULL, but " + nulls + " of its values are NULL");
  }

  /**
   * The bytes a buffer has without compression, checked against what its rows need and may need.
   *
   * @param prefix of a body with a codec the first 8 bytes of the buffer, little endian; any number
   *     when the buffer has fewer
   */
  static int uncompressedLength(
      BatchLayout layout, RecordBatchMessage message, int node, int buffer, long prefix) {
    int stored = (int) message.bufferLength(buffer);
    long length = stored;
    if (message.codec() != BatchCodec.NONE && stored > 0) {
      if (stored < PREFIX_BYTES) {
        throw RecordBatchMessage.corrupt(
            "buffer " + buffer + " has " + stored + " bytes, too few for its length prefix");
      }
      length = prefix == RAW_PREFIX ? stored - PREFIX_BYTES : prefix;
    }
    long rows = message.nodeLength(node);
    boolean bits = layout.kind(buffer) == BufferKind.VALIDITY && length > 0;
    long nulls = message.nodeNullCount(node);
    long least = layout.minimalBytes(buffer, rows, bits ? Math.max(1, nulls) : nulls);
    long most = layout.maximalBytes(buffer, rows);
    if (length < least || length > most) {
      throw RecordBatchMessage.corrupt(
          "buffer "
              + buffer
              + " of column '"
              + layout.name(node)
              + "' has "
              + length
              + " bytes; "
              + rows
              + " rows need "
              + least
              + " and at most "
              + most);
    }
    return (int) length;
  }

  /** Whether the buffer begins with the length that it has without compression. */
  static boolean hasPrefix(RecordBatchMessage message, int buffer) {
    return message.codec() != BatchCodec.NONE && message.bufferLength(buffer) >= PREFIX_BYTES;
  }

  /** Whether a buffer of a body with a codec, not empty, is stored raw behind its prefix. */
  static boolean isRaw(RecordBatchMessage message, int buffer, ByteBuffer body) {
    return body.getLong((int) message.bufferOffset(buffer)) == RAW_PREFIX;
  }
}

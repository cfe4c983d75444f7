package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.ArrowType.ArrowTypeID;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and buffers of vectors in Arrow's order, each buffer with the bytes that its rows need
 * and no more. Borrowed from the vectors until the next {@link #collect} or {@link #clear}.
 */
final class RootBuffers {
  private @Nullable ArrowBuf[] buffers = new @Nullable ArrowBuf[64];
  private int[] lengths = new int[64];
  private int count;
  private int node;
  private long totalBytes;

  /** Number of buffers. */
  int count() {
    return count;
  }

  /** Bytes of a buffer that belong to the batch, from its start; 0 for one that is left out. */
  int length(int index) {
    return lengths[index];
  }

  /** A buffer with a length above 0. */
  ArrowBuf buffer(int index) {
    ArrowBuf buffer = buffers[index];
    if (buffer == null) {
      throw new IllegalStateException("Buffer " + index + " is empty");
    }
    return buffer;
  }

  /** Bytes of all buffers, each padded to the alignment of the body. */
  long totalBytes() {
    return totalBytes;
  }

  /**
   * Collects the vectors' buffers and adds their nodes to the message. INVALID_VALUE when a column
   * that is NOT NULL holds NULLs or the vectors do not have the same number of rows.
   */
  void collect(
      List<FieldVector> vectors, BatchLayout layout, int rows, RecordBatchMessageWriter message) {
    clear();
    for (FieldVector vector : vectors) {
      if (vector.getValueCount() != rows) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Column '"
                + vector.getName()
                + "' has "
                + vector.getValueCount()
                + " values in a batch of "
                + rows
                + " rows");
      }
      collect(vector, layout, message, false);
    }
  }

  /** Lets go of the vectors. */
  void clear() {
    Arrays.fill(buffers, 0, count, null);
    count = 0;
    node = 0;
    totalBytes = 0;
  }

  private void collect(
      FieldVector vector,
      BatchLayout layout,
      RecordBatchMessageWriter message,
      boolean absentParent) {
    int self = node++;
    int rows = vector.getValueCount();
    int nulls = vector.getNullCount();
    if (nulls > 0 && !layout.nullable(self) && !absentParent) {
      throw BatchStructure.nullInNotNull(layout, self, nulls);
    }
    message.addNode(rows, nulls);
    int end = layout.firstNodeBuffer(self + 1);
    for (int buffer = layout.firstNodeBuffer(self); buffer < end; buffer++) {
      switch (layout.kind(buffer)) {
        case VALIDITY -> add(nulls == 0 ? null : vector.getValidityBuffer(), (rows + 7L) / 8);
        case OFFSETS, LARGE_OFFSETS, FIXED -> {
          long bytes = layout.minimalBytes(buffer, rows, nulls);
          if (bytes == 0) {
            add(null, 0);
          } else {
            boolean fixed = layout.kind(buffer) == BatchLayout.BufferKind.FIXED;
            add(fixed ? vector.getDataBuffer() : vector.getOffsetBuffer(), bytes);
          }
        }
        case VARIABLE -> {
          boolean large = layout.kind(buffer - 1) == BatchLayout.BufferKind.LARGE_OFFSETS;
          long bytes = rows == 0 ? 0 : lastOffset(vector.getOffsetBuffer(), rows, large);
          add(bytes == 0 ? null : vector.getDataBuffer(), bytes);
        }
      }
    }
    boolean struct = layout.type(self) == ArrowTypeID.Struct;
    for (FieldVector child : vector.getChildrenFromFields()) {
      long expected = layout.lengthFromParent(node, rows);
      if (expected >= 0 && child.getValueCount() != expected) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Column '"
                + layout.name(node)
                + "' has "
                + child.getValueCount()
                + " values, its parent needs "
                + expected);
      }
      collect(child, layout, message, struct && (absentParent || nulls > 0));
    }
  }

  private static long lastOffset(ArrowBuf offsets, int rows, boolean large) {
    return large ? offsets.getLong(8L * rows) : offsets.getInt(4L * rows);
  }

  private void add(@Nullable ArrowBuf buffer, long bytes) {
    if (count == lengths.length) {
      buffers = Arrays.copyOf(buffers, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    int length = buffer == null ? 0 : Math.toIntExact(bytes);
    if (buffer != null && buffer.capacity() < length) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "Buffer " + count + " has " + buffer.capacity() + " bytes, its rows need " + length);
    }
    buffers[count] = buffer;
    lengths[count++] = length;
    totalBytes += (length + 7L) & ~7L;
  }
}

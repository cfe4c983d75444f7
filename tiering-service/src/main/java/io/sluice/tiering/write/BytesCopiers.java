package io.sluice.tiering.write;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/**
 * Copiers of text and bytes. The bytes of a run are copied to the heap at once; the values are
 * views of that array, which Parquet copies when it keeps them.
 */
final class BytesCopiers {
  private BytesCopiers() {}

  /** Text and bytes of any length. */
  static final class Variable extends ColumnCopier {
    private byte[] bytes = new byte[0];

    Variable(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf offsets = vector.getOffsetBuffer();
      int first = offsets.getInt((long) from << 2);
      int length = offsets.getInt((long) to << 2) - first;
      bytes = loaded(vector, first, length, bytes);
      int start = 0;
      for (int row = from; row < to; row++) {
        int end = offsets.getInt((row + 1L) << 2) - first;
        out.write(Binary.fromReusedByteArray(bytes, start, end - start), 0, present);
        start = end;
      }
    }
  }

  /** Bytes of one length. */
  static final class Fixed extends ColumnCopier {
    private final int width;
    private byte[] bytes = new byte[0];

    Fixed(boolean nullable, int width) {
      super(nullable);
      this.width = width;
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      int count = to - from;
      bytes = loaded(vector, (long) from * width, Math.multiplyExact(count, width), bytes);
      for (int i = 0; i < count; i++) {
        out.write(Binary.fromReusedByteArray(bytes, i * width, width), 0, present);
      }
    }
  }

  private static byte[] loaded(FieldVector vector, long start, int length, byte[] reused) {
    byte[] target = reused.length < length ? new byte[length] : reused;
    if (length > 0) {
      vector.getDataBuffer().getBytes(start, target, 0, length);
    }
    return target;
  }
}

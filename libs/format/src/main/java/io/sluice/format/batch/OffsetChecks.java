package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;

/** Checks that offsets of variable-length vectors never fall and stay inside what they point to. */
final class OffsetChecks {
  private OffsetChecks() {}

  /**
   * CORRUPT_BATCH naming the column whose offsets are wild.
   *
   * @param buffers decoded buffers in the order of the layout, sizes already checked
   */
  static void check(BatchLayout layout, RecordBatchMessage message, ArrowBuf[] buffers) {
    for (int node = 0; node < layout.nodeCount(); node++) {
      int end = layout.firstNodeBuffer(node + 1);
      for (int buffer = layout.firstNodeBuffer(node); buffer < end; buffer++) {
        int rows = (int) message.nodeLength(node);
        if (rows == 0) {
          continue;
        }
        boolean good =
            switch (layout.kind(buffer)) {
              case OFFSETS ->
                  intsRise(buffers[buffer], rows, limit(layout, message, node, buffer, buffers));
              case LARGE_OFFSETS ->
                  longsRise(buffers[buffer], rows, limit(layout, message, node, buffer, buffers));
              default -> true;
            };
        if (!good) {
          throw RecordBatchMessage.corrupt(
              "offsets of column '" + layout.name(node) + "' fall or point outside");
        }
      }
    }
  }

  /** Bytes, or rows of the child, that offsets may point into. */
  private static long limit(
      BatchLayout layout, RecordBatchMessage message, int node, int buffer, ArrowBuf[] buffers) {
    boolean bytes = buffer + 1 < layout.firstNodeBuffer(node + 1);
    return bytes ? buffers[buffer + 1].capacity() : message.nodeLength(node + 1);
  }

  private static boolean intsRise(ArrowBuf buffer, int rows, long limit) {
    ByteBuffer offsets = buffer.nioBuffer(0, 4 * (rows + 1)).order(ByteOrder.LITTLE_ENDIAN);
    int previous = offsets.getInt(0);
    int sign = previous;
    for (int i = 1; i <= rows; i++) {
      int next = offsets.getInt(4 * i);
      sign |= next | (next - previous);
      previous = next;
    }
    return sign >= 0 && previous <= limit;
  }

  private static boolean longsRise(ArrowBuf buffer, int rows, long limit) {
    ByteBuffer offsets = buffer.nioBuffer(0, 8 * (rows + 1)).order(ByteOrder.LITTLE_ENDIAN);
    long previous = offsets.getLong(0);
    long sign = previous;
    for (int i = 1; i <= rows; i++) {
      long next = offsets.getLong(8 * i);
      sign |= next | (next - previous);
      previous = next;
    }
    return sign >= 0 && previous <= limit;
  }
}

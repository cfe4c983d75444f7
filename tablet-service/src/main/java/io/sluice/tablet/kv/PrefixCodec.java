package io.sluice.tablet.kv;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows one after another in memory, each behind its length; not stored anywhere. */
final class PrefixCodec {
  private PrefixCodec() {}

  /** Bytes that the rows take here. */
  static long bytes(List<byte @Nullable []> rows) {
    long bytes = 0;
    for (byte[] row : rows) {
      bytes += Integer.BYTES + (row == null ? 0 : row.length);
    }
    return bytes;
  }

  static byte[] encode(List<byte @Nullable []> rows) {
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes(rows)));
    for (byte[] row : rows) {
      if (row != null) {
        out.putInt(row.length).put(row);
      }
    }
    return out.array();
  }

  static List<byte[]> decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    List<byte[]> rows = new ArrayList<>();
    while (in.hasRemaining()) {
      byte[] row = new byte[in.getInt()];
      in.get(row);
      rows.add(row);
    }
    return rows;
  }
}

package io.sluice.tablet.kv;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows one after another in memory, each behind its length; not stored anywhere. */
final class PrefixCodec {
  private PrefixCodec() {}

  static byte[] encode(List<byte @Nullable []> rows) {
    int bytes = 0;
    for (byte[] row : rows) {
      bytes += Integer.BYTES + length(row);
    }
    ByteBuffer out = ByteBuffer.allocate(bytes);
    for (byte[] row : rows) {
      if (row != null) {
        out.putInt(row.length).put(row);
      }
    }
    return out.array();
  }

  private static int length(byte @Nullable [] row) {
    return row == null ? 0 : row.length;
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

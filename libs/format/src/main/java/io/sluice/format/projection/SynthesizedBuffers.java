package io.sluice.format.projection;

import io.sluice.format.batch.ChangeType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers of a new body that no stored bytes exist for. With a codec each is stored raw, behind the
 * prefix -1.
 */
final class SynthesizedBuffers {
  /** Writes the values of a buffer from an index on, little endian. */
  private interface Values {
    void write(ByteBuffer body, int at);
  }

  private record Piece(int at, int bytes, Values values) {}

  private final boolean prefixed;
  private final List<Piece> pieces = new ArrayList<>();

  /**
   * @param prefixed whether the batch has a codec
   */
  SynthesizedBuffers(boolean prefixed) {
    this.prefixed = prefixed;
  }

  /** Bytes that so many bytes of values take in the body. */
  int stored(int bytes) {
    return bytes == 0 ? 0 : prefixed ? bytes + 8 : bytes;
  }

  void addZeros(int at, int bytes) {
    add(
        at,
        bytes,
        (body, from) -> {
          for (int i = 0; i < bytes; i++) {
            body.put(from + i, (byte) 0);
          }
        });
  }

  /** {@code first}, {@code first + step}, and so on. */
  void addLongs(int at, int rows, long first, long step) {
    add(
        at,
        8 * rows,
        (body, from) -> {
          for (int i = 0; i < rows; i++) {
            body.putLong(from + 8 * i, first + step * i);
          }
        });
  }

  /** Offsets of values that all have the same length. */
  void addOffsets(int at, int rows, int valueBytes) {
    add(
        at,
        4 * (rows + 1),
        (body, from) -> {
          for (int i = 0; i <= rows; i++) {
            body.putInt(from + 4 * i, valueBytes * i);
          }
        });
  }

  /** The same bytes for every row. */
  void addRepeated(int at, int rows, byte[] value) {
    add(
        at,
        Math.multiplyExact(rows, value.length),
        (body, from) -> {
          for (int i = 0; i < rows; i++) {
            body.put(from + value.length * i, value);
          }
        });
  }

  /** The same bit for every row. */
  void addBits(int at, int rows, boolean value) {
    int bytes = (rows + 7) / 8;
    add(
        at,
        bytes,
        (body, from) -> {
          for (int i = 0; i < bytes; i++) {
            body.put(from + i, (byte) (value ? 0xFF : 0));
          }
        });
  }

  /** The two characters of each change type. */
  void addChangeTexts(int at, int rows, ByteBuffer changeTypes) {
    ByteBuffer codes = changeTypes.slice();
    add(
        at,
        2 * rows,
        (body, from) -> {
          for (int i = 0; i < rows; i++) {
            ChangeType type =
                codes.hasRemaining() ? ChangeType.of(codes.get(i)) : ChangeType.APPEND;
            String text = type.shortText();
            body.put(from + 2 * i, (byte) text.charAt(0));
            body.put(from + 2 * i + 1, (byte) text.charAt(1));
          }
        });
  }

  private void add(int at, int bytes, Values values) {
    if (bytes > 0) {
      pieces.add(new Piece(at, bytes, values));
    }
  }

  /** Writes all buffers and their padding. */
  void write(ByteBuffer target) {
    ByteBuffer body = target.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    for (Piece piece : pieces) {
      int at = piece.at();
      if (prefixed) {
        body.putLong(at, -1);
        at += 8;
      }
      piece.values().write(body, at);
      for (int end = at + piece.bytes(); (end & 7) != 0; end++) {
        body.put(end, (byte) 0);
      }
    }
  }
}

package io.sluice.format.projection;

import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.StoredBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of a new body whose values are stored in a narrower type. Each is decompressed when it is
 * read, widened when the body is completed, and goes on raw: behind the prefix -1 when the batch
 * has a codec. Filled by one owner, then immutable.
 */
final class ConvertedBuffers {
  /**
   * @param at position of the buffer in the new body, before its prefix
   * @param rows number of values
   * @param nulls how many of them are NULL
   * @param validityAt where the validity buffer lies in the new body, as stored
   * @param validityLength its stored bytes
   */
  record Piece(
      int at,
      int rows,
      long nulls,
      int validityAt,
      int validityLength,
      BufferWidening widening,
      String name) {}

  private final BatchCodec codec;
  private final int prefixBytes;
  private final List<Piece> pieces = new ArrayList<>();

  ConvertedBuffers(BatchCodec codec) {
    this.codec = codec;
    this.prefixBytes = codec == BatchCodec.NONE ? 0 : 8;
  }

  /** Adds a buffer and returns its number. */
  int add(Piece piece) {
    pieces.add(piece);
    return pieces.size() - 1;
  }

  /** Bytes that so many values take in the body. */
  int stored(int rows, BufferWidening widening) {
    return rows == 0 ? 0 : Math.addExact(prefixBytes, Math.multiplyExact(rows, widening.to()));
  }

  /** Takes the stored bytes of a buffer, whose checksum is right, into its place. */
  void take(int number, ByteBuffer bytes, int at, int length, ByteBuffer body) {
    Piece piece = pieces.get(number);
    BufferWidening widening = piece.widening();
    int wanted = piece.rows() * widening.from();
    int target = piece.at() + prefixBytes + piece.rows() * (widening.to() - widening.from());
    StoredBuffer.read(codec, direct(bytes, at, length), at, length, body, target, wanted);
  }

  /** The codecs read direct memory only. */
  private ByteBuffer direct(ByteBuffer bytes, int at, int length) {
    if (bytes.isDirect() || codec == BatchCodec.NONE) {
      return bytes;
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(at + length);
    copy.put(at, bytes, at, length);
    return copy;
  }

  /** Widens all values, once everything is in its place. */
  void complete(ByteBuffer target) {
    ByteBuffer body = target.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    for (Piece piece : pieces) {
      if (piece.rows() == 0) {
        continue;
      }
      if (prefixBytes > 0) {
        body.putLong(piece.at(), -1);
      }
      int at = piece.at() + prefixBytes;
      piece.widening().widen(body, at, piece.rows(), nulls(piece, body), piece.name());
      for (int end = at + piece.rows() * piece.widening().to(); (end & 7) != 0; end++) {
        body.put(end, (byte) 0);
      }
    }
  }

  private IntPredicate nulls(Piece piece, ByteBuffer body) {
    if (piece.nulls() == 0 || piece.validityLength() == 0) {
      return row -> false;
    }
    return new Nulls(piece, body);
  }

  /** Tells NULLs by the stored validity, which is decompressed when it is first needed. */
  private final class Nulls implements IntPredicate {
    private final Piece piece;
    private final ByteBuffer body;
    private @Nullable ByteBuffer bits;

    Nulls(Piece piece, ByteBuffer body) {
      this.piece = piece;
      this.body = body;
    }

    @Override
    public boolean test(int row) {
      ByteBuffer validity = bits;
      if (validity == null) {
        int bytes = (piece.rows() + 7) / 8;
        validity = ByteBuffer.allocateDirect(bytes);
        StoredBuffer.read(
            codec, body, piece.validityAt(), piece.validityLength(), validity, 0, bytes);
        bits = validity;
      }
      return (validity.get(row >> 3) >> (row & 7) & 1) == 0;
    }
  }
}

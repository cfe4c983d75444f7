package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/** How the buffers of a batch body are compressed, one by one. Ids are part of the format. */
public enum BatchCodec {
  /** Buffers are stored as they are. */
  NONE(0, -1),
  /** LZ4 frames. */
  LZ4(1, 0),
  /** Zstandard frames. */
  ZSTD(2, 1);

  private static final BatchCodec[] BY_ID = values();

  private final int id;
  private final int arrowCodec;

  BatchCodec(int id, int arrowCodec) {
    this.id = id;
    this.arrowCodec = arrowCodec;
  }

  /** The number in the attributes of a batch header. */
  public int id() {
    return id;
  }

  /**
   * The number in Arrow's {@code BodyCompression}, -1 for {@link #NONE}, which has no such table.
   */
  int arrowCodec() {
    return arrowCodec;
  }

  /** The codec of that id; CORRUPT_BATCH when there is none. */
  public static BatchCodec of(int id) {
    if (id < 0 || id >= BY_ID.length) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch codec is " + id + "; it must be 0 (none), 1 (lz4) or 2 (zstd)");
    }
    return BY_ID[id];
  }

  /** The codec of that name in any case; INVALID_ARGUMENT naming the known ones. */
  public static BatchCodec named(String name) {
    for (BatchCodec codec : BY_ID) {
      if (codec.name().equalsIgnoreCase(name)) {
        return codec;
      }
    }
    throw new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Codec '" + name + "' does not exist; the codecs are none, lz4 and zstd");
  }
}

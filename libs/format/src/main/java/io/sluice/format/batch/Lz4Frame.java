package io.sluice.format.batch;

/** Constants of the LZ4 frame format, version 1. */
final class Lz4Frame {
  static final int MAGIC = 0x184D2204;

  static final int VERSION = 0b0100_0000;
  static final int VERSION_MASK = 0b1100_0000;
  static final int INDEPENDENT_BLOCKS = 0b0010_0000;
  static final int BLOCK_CHECKSUM = 0b0001_0000;
  static final int CONTENT_SIZE = 0b0000_1000;
  static final int CONTENT_CHECKSUM = 0b0000_0100;
  static final int RESERVED_FLAG = 0b0000_0010;
  static final int DICTIONARY = 0b0000_0001;

  /** Set in the size of a block that is stored without compression. */
  static final int RAW_BLOCK = 0x8000_0000;

  static final int MAX_BLOCK_BYTES = 4 * 1024 * 1024;

  private static final int SMALLEST_BLOCK_ID = 4;
  private static final int LARGEST_BLOCK_ID = 7;

  private Lz4Frame() {}

  /** Id of the smallest block size that holds so many bytes, or the largest one. */
  static int blockId(int length) {
    int id = SMALLEST_BLOCK_ID;
    while (id < LARGEST_BLOCK_ID && blockBytes(id) < length) {
      id++;
    }
    return id;
  }

  /** 64 KiB, 256 KiB, 1 MiB or 4 MiB for 4 to 7. */
  static int blockBytes(int id) {
    return 1 << (8 + 2 * id);
  }

  /** Whether a frame may name that block size. */
  static boolean isBlockId(int id) {
    return id >= SMALLEST_BLOCK_ID && id <= LARGEST_BLOCK_ID;
  }
}

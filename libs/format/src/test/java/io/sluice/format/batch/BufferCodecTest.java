package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.Parameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BufferCodecTest {
  private static final int GUARD_BYTES = 16;

  @ParameterizedTest
  @EnumSource(
      value = BatchCodec.class,
      names = {"LZ4", "ZSTD"})
  void decompressesWhatItCompressed(BatchCodec id) {
    try (BufferCodec codec = BufferCodec.open(CompressionSettings.of(id))) {
      SplittableRandom random = new SplittableRandom(1);
      int[] sizes = {1, 12, 255, 4096, 65536, 65537, 300_000, 1 << 20, (1 << 20) + 5, 5_000_000};
      for (int size : sizes) {
        for (int variety : new int[] {1, 5, 256}) {
          byte[] data = data(random, size, variety);
          byte[] frame = compress(codec, data);
          assertThat(decompress(codec, frame, size)).isEqualTo(data);
        }
      }
    }
  }

  @Test
  void writesLz4FramesThatAnotherReaderReads() throws IOException {
    try (BufferCodec codec = new Lz4BufferCodec()) {
      SplittableRandom random = new SplittableRandom(2);
      for (int size : new int[] {300, 70_000, 1_100_000, 4_300_000}) {
        for (int variety : new int[] {4, 256}) {
          byte[] data = data(random, size, variety);
          ByteArrayInputStream frame = new ByteArrayInputStream(compress(codec, data));
          assertThat(new FramedLZ4CompressorInputStream(frame).readAllBytes()).isEqualTo(data);
        }
      }
    }
  }

  @Test
  void readsLz4FramesWithEveryOption() throws IOException {
    try (BufferCodec codec = new Lz4BufferCodec()) {
      SplittableRandom random = new SplittableRandom(3);
      // Two blocks, the second one short; the foreign writer is slow.
      for (BlockSize size : new BlockSize[] {BlockSize.K64, BlockSize.M1}) {
        for (int options = 0; options < 8; options++) {
          byte[] data = repeating(random, 70_000);
          byte[] frame = foreignFrame(data, size, options);
          assertThat(decompress(codec, frame, data.length)).isEqualTo(data);
        }
      }
    }
  }

  @Test
  void linkedBlocksCopyFromTheBlockBefore() {
    byte[] first = data(new SplittableRandom(4), 100, 256);
    ByteBuffer target = ByteBuffer.allocateDirect(200);
    target.put(0, first);
    // Two literals, then 10 bytes from 60 back, then two last literals.
    ByteBuffer block = ByteBuffer.wrap(new byte[] {0x26, 1, 2, 60, 0, 0x20, 3, 4});
    int filled = Lz4LinkedBlock.decode(block, 0, 8, target, 0, 100, 100);
    assertThat(filled).isEqualTo(14);
    byte[] found = new byte[14];
    target.get(100, found);
    assertThat(found).startsWith(1, 2).endsWith(3, 4);
    for (int i = 0; i < 10; i++) {
      assertThat(found[2 + i]).isEqualTo(first[42 + i]);
    }
    ByteBuffer far = ByteBuffer.wrap(new byte[] {0x26, 1, 2, 103, 0, 0x20, 3, 4});
    assertThatThrownBy(() -> Lz4LinkedBlock.decode(far, 0, 8, target, 0, 100, 100))
        .hasMessageContaining("points outside");
  }

  @Test
  void refusesFramesOfAnotherLength() {
    for (BatchCodec id : new BatchCodec[] {BatchCodec.LZ4, BatchCodec.ZSTD}) {
      try (BufferCodec codec = BufferCodec.open(CompressionSettings.of(id))) {
        byte[] frame = compress(codec, data(new SplittableRandom(5), 1000, 4));
        for (int expected : new int[] {1, 999, 1001, 100_000}) {
          assertThatThrownBy(() -> decompress(codec, frame, expected))
              .isInstanceOfSatisfying(
                  SluiceException.class,
                  e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = BatchCodec.class,
      names = {"LZ4", "ZSTD"})
  void damagedFramesNeitherCrashNorWriteOutside(BatchCodec id) {
    try (BufferCodec codec = BufferCodec.open(CompressionSettings.of(id))) {
      Seeds.run(
          40,
          (seed, random) -> {
            boolean foreign = id == BatchCodec.LZ4 && seed % 4 == 0;
            byte[] data =
                foreign
                    ? repeating(random, 70_000)
                    : data(random, 1 + random.nextInt(100_000), 1 + random.nextInt(40));
            byte[] frame =
                foreign
                    ? foreignFrame(data, BlockSize.K64, random.nextInt(8))
                    : compress(codec, data);
            for (int i = 0; i < 40; i++) {
              byte[] bad = frame.clone();
              for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bad[random.nextInt(random.nextBoolean() ? bad.length : Math.min(40, bad.length))] =
                    (byte) random.nextInt(256);
              }
              if (random.nextInt(4) == 0) {
                bad = Arrays.copyOf(bad, random.nextInt(bad.length));
              }
              try {
                decompress(codec, bad, data.length);
              } catch (SluiceException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH);
              }
            }
          });
    }
  }

  private static byte[] foreignFrame(byte[] data, BlockSize size, int options) throws IOException {
    boolean contentChecksum = (options & 1) != 0;
    boolean blockChecksum = (options & 2) != 0;
    boolean linked = (options & 4) != 0;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Parameters parameters = new Parameters(size, contentChecksum, blockChecksum, linked);
    try (FramedLZ4CompressorOutputStream frame =
        new FramedLZ4CompressorOutputStream(out, parameters)) {
      frame.write(data);
    }
    return out.toByteArray();
  }

  private static byte[] data(SplittableRandom random, int size, int variety) {
    byte[] data = new byte[size];
    for (int i = 0; i < size; i++) {
      data[i] = (byte) random.nextInt(variety);
    }
    return data;
  }

  /** Compresses well and, unlike few byte values, does not slow the foreign writer down. */
  private static byte[] repeating(SplittableRandom random, int size) {
    byte[] data = data(random, size, 256);
    for (int at = 5000; at + 1000 < size; at += 1500) {
      System.arraycopy(data, at - random.nextInt(5000), data, at, 1000);
    }
    return data;
  }

  private static byte[] compress(BufferCodec codec, byte[] data) {
    ByteBuffer source = ByteBuffer.allocateDirect(data.length + 3);
    source.put(3, data);
    ByteBuffer target = ByteBuffer.allocateDirect(codec.bound(data.length) + 5);
    int size = codec.compress(source, 3, data.length, target, 5);
    byte[] frame = new byte[size];
    target.get(5, frame);
    return frame;
  }

  /** Decompresses between guard bytes, which must survive even when the frame is damaged. */
  private static byte[] decompress(BufferCodec codec, byte[] frame, int expected) {
    ByteBuffer source = ByteBuffer.allocateDirect(frame.length);
    source.put(0, frame);
    ByteBuffer target = ByteBuffer.allocateDirect(expected + 2 * GUARD_BYTES);
    for (int i = 0; i < GUARD_BYTES; i++) {
      target.put(i, (byte) 0x5A).put(target.capacity() - 1 - i, (byte) 0x5A);
    }
    try {
      codec.decompress(source, 0, frame.length, target, GUARD_BYTES, expected);
    } finally {
      for (int i = 0; i < GUARD_BYTES; i++) {
        assertThat(target.get(i)).isEqualTo((byte) 0x5A);
        assertThat(target.get(target.capacity() - 1 - i)).isEqualTo((byte) 0x5A);
      }
    }
    byte[] data = new byte[expected];
    target.get(GUARD_BYTES, data);
    return data;
  }
}

package io.sluice.format.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

class Murmur3Test {

  @Test
  void givesThePublishedHashes() {
    assertThat(Murmur3.hash(new byte[0])).isZero();
    assertThat(Murmur3.hash("iceberg".getBytes(StandardCharsets.UTF_8))).isEqualTo(1210000089);
    assertThat(Murmur3.hash(new byte[] {0, 1, 2, 3})).isEqualTo(-188683207);
    assertThat(Murmur3.hashLong(34)).isEqualTo(2017239379);
  }

  @Test
  void hashesLongsArraysAndMemoryAlike() {
    SplittableRandom random = new SplittableRandom(1);
    try (BufferAllocator allocator = new RootAllocator();
        ArrowBuf memory = allocator.buffer(64)) {
      for (int length = 0; length < 40; length++) {
        byte[] bytes = new byte[length + 3];
        random.nextBytes(bytes);
        memory.setBytes(0, bytes);
        assertThat(Murmur3.hashMemory(memory.memoryAddress() + 3, length))
            .isEqualTo(Murmur3.hash(bytes, 3, length));
      }
      long value = random.nextLong();
      byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
      assertThat(Murmur3.hashLong(value)).isEqualTo(Murmur3.hash(bytes));
    }
  }
}

package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

class LatinStringsTest {
  @Test
  void findsTheBytesOfTextWithOneByteACharacter() {
    assertThat(LatinStrings.bytes("")).isEmpty();
    assertThat(LatinStrings.bytes("plain")).isEqualTo("plain".getBytes(StandardCharsets.US_ASCII));
    assertThat(LatinStrings.bytes("caf\u00e9"))
        .isEqualTo("caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(LatinStrings.bytes("\u0141\u00f3d\u017a")).isNull();
    assertThat(LatinStrings.bytes("\ud83d\ude00")).isNull();
  }

  @Test
  void copiesAsciiOfEveryLengthAndNothingBehindIt() {
    try (RootAllocator allocator = new RootAllocator();
        ArrowBuf memory = allocator.buffer(256)) {
      Seeds.run(
          300,
          (seed, random) -> {
            byte[] text = new byte[random.nextInt(100)];
            for (int i = 0; i < text.length; i++) {
              text[i] = (byte) random.nextInt(128);
            }
            for (int i = 0; i < 256; i++) {
              memory.setByte(i, 0x55);
            }
            assertThat(LatinStrings.copyAscii(text, memory.memoryAddress())).isTrue();
            byte[] copied = new byte[text.length];
            memory.getBytes(0, copied);
            assertThat(copied).isEqualTo(text);
            assertThat(memory.getByte(text.length)).isEqualTo((byte) 0x55);
            if (text.length > 0) {
              text[random.nextInt(text.length)] |= (byte) 0x80;
              assertThat(LatinStrings.copyAscii(text, memory.memoryAddress())).isFalse();
            }
          });
    }
  }
}

package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PortableBitmapTest {
  private static final int CONTAINER = 1 << 16;

  /** A set in the format, with an array for each container. */
  static byte[] arrays(BitSet set) {
    Map<Integer, List<Integer>> containers =
        set.stream()
            .boxed()
            .collect(
                Collectors.groupingBy(
                    number -> number / CONTAINER, TreeMap::new, Collectors.toList()));
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + 8 * containers.size() + 2 * set.cardinality())
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(12_346).putInt(containers.size());
    containers.forEach(
        (upper, numbers) ->
            bytes.putShort(upper.shortValue()).putShort((short) (numbers.size() - 1)));
    int offset = 8 + 8 * containers.size();
    for (List<Integer> numbers : containers.values()) {
      bytes.putInt(offset);
      offset += 2 * numbers.size();
    }
    containers.values().forEach(list -> list.forEach(n -> bytes.putShort(n.shortValue())));
    return bytes.array();
  }

  private static BitSet set(int... numbers) {
    BitSet set = new BitSet();
    for (int number : numbers) {
      set.set(number);
    }
    return set;
  }

  @Test
  void aSetOfOneNumberIsWhatTheFormatSays() {
    // Cookie, one container, its key 1 and count - 1, offset 16, the lower half 0x0302.
    assertThat(PortableBitmap.of(0x1_0302))
        .isEqualTo(
            HexFormat.of().parseHex("3a300000" + "01000000" + "01000000" + "10000000" + "0203"));
    assertThat(PortableBitmap.decode(PortableBitmap.of(999_999))).isEqualTo(set(999_999));
  }

  @Test
  void arraysOfSeveralContainersAreRead() {
    BitSet numbers = set(0, 7, 65_535, 65_536, 900_000);

    assertThat(PortableBitmap.decode(arrays(numbers))).isEqualTo(numbers);
  }

  @Test
  void runsAndBitmapsAreRead() {
    ByteBuffer bytes = ByteBuffer.allocate(8_220).order(ByteOrder.LITTLE_ENDIAN);
    // Two containers of which the first has runs: 5 to 7 and 100; the second is a bitmap.
    bytes.putInt(12_347 | 1 << 16).put((byte) 1);
    bytes.putShort((short) 0).putShort((short) 3).putShort((short) 1).putShort((short) 4_999);
    bytes.putShort((short) 2);
    bytes.putShort((short) 5).putShort((short) 2).putShort((short) 100).putShort((short) 0);
    BitSet even = new BitSet();
    for (int number = 0; number < 10_000; number += 2) {
      even.set(number);
    }
    for (long word : even.toLongArray()) {
      bytes.putLong(word);
    }
    BitSet expected = set(5, 6, 7, 100);
    even.stream().forEach(number -> expected.set(CONTAINER + number));

    assertThat(PortableBitmap.decode(bytes.array())).isEqualTo(expected);
  }

  @Test
  void otherBytesAreRefused() {
    assertThatThrownBy(() -> PortableBitmap.decode(new byte[16]))
        .hasMessageContaining("Not a portable bitmap");
  }
}

package io.sluice.tablet.kv.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class BitmapBytesTest {
  private final RoaringUnion shared = new RoaringUnion();
  private final BitmapBytes ints = new Bitmap32Bytes("column 'v'", shared);
  private final BitmapBytes longs = new Bitmap64Bytes("column 'v'", shared);

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static byte[] bytes(int... values) {
    return RoaringBitmapBytes.of(RoaringBitmap.bitmapOf(values));
  }

  private static byte[] bytes(long... values) {
    return RoaringBitmapBytes.of(Roaring64NavigableMap.bitmapOf(values));
  }

  private static void refused(BitmapBytes bitmaps, byte[] value, String why) {
    assertThatThrownBy(() -> bitmaps.canonical(value))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("column 'v'")
        .hasMessageContaining(why);
  }

  @Test
  void theBytesAreThoseOfThePortableFormat() {
    // 1 and 3 in container 0; 65536 to 65545 in container 1, which is shorter as a run.
    byte[] stored = hex("3b300100 02 00000100 01000900 01000300 0100 00000900");
    RoaringBitmap values = RoaringBitmap.bitmapOf(3, 1);
    values.add(65_536L, 65_546L);
    assertThat(ints.canonical(RoaringBitmapBytes.of(values))).isEqualTo(stored);
    assertThat(ints.canonical(stored)).isEqualTo(stored);
    byte[] empty = hex("3a300000 00000000");
    assertThat(ints.canonical(empty)).isEqualTo(empty).isEqualTo(bytes(new int[0]));
    // 5 and -1, that is all bits; keys are unsigned.
    byte[] wide =
        hex(
            "0200000000000000"
                + "00000000 3a300000 01000000 00000000 10000000 0500"
                + "ffffffff 3a300000 01000000 ffff0000 10000000 ffff");
    assertThat(longs.canonical(wide)).isEqualTo(wide).isEqualTo(bytes(5L, -1L));
    assertThat(longs.canonical(hex("0000000000000000"))).isEqualTo(bytes(new long[0]));
  }

  @Test
  void unionOfWhatIsThereChangesNothing() {
    byte[] some = ints.canonical(bytes(1, 2, 3, 70_000, -1));
    assertThat(ints.union(some, bytes(2))).isNull();
    assertThat(ints.union(some, bytes(1, 2, 3, -1))).isNull();
    assertThat(ints.union(some, bytes(new int[0]))).isNull();
    assertThat(ints.union(some, some)).isNull();
    assertThat(ints.union(some, bytes(4))).isEqualTo(ints.canonical(bytes(1, 2, 3, 4, 70_000, -1)));
    assertThat(ints.union(bytes(new int[0]), bytes(9))).isEqualTo(bytes(9));
    byte[] wide = longs.canonical(bytes(1L, 1L << 40, -5L));
    assertThat(longs.union(wide, bytes(1L << 40))).isNull();
    assertThat(longs.union(wide, bytes(1L << 41)))
        .isEqualTo(longs.canonical(bytes(1L, 1L << 40, 1L << 41, -5L)));
    assertThat(longs.union(wide, bytes(new long[0]))).isNull();
  }

  @Test
  void emptyPartsOf64BitSetsAreNotStored() {
    byte[] value = hex("0100000000000000 07000000 3a300000 00000000");
    assertThat(longs.canonical(value)).isEqualTo(bytes(new long[0]));
  }

  @Test
  void whatIsNoBitmapIsRefused() {
    refused(ints, new byte[0], "at byte 0 of 0");
    refused(ints, hex("3a3000"), "it ends at byte 3");
    refused(ints, "hello bitmap".getBytes(java.nio.charset.StandardCharsets.UTF_8), "begins with");
    refused(ints, hex("3a300000 ffffffff"), "4294967295 containers");
    refused(ints, hex("3a300000 00000100"), "ends at byte 8");
    refused(ints, hex("3bffff00"), "");
    refused(ints, Arrays.copyOf(bytes(1), 19), "it has ended");
    refused(ints, hex("3a300000 01000000 00000000 11000000 0500"), "not where");
    refused(ints, hex("3a300000 01000000 00000100 10000000 0500 0500"), "do not grow");
    refused(ints, hex("3a300000 01000000 00000100 10000000 0500 0400"), "do not grow");
    refused(
        ints, hex("3a300000 02000000 01000000 01000000 18000000 1a000000 0500 0600"), "follows");
    // A run to 65,536; runs that overlap; fewer values than said; no run at all.
    refused(ints, hex("3b300000 01 00000100 0100 ffff0100"), "do not grow");
    refused(ints, hex("3b300000 01 00000300 0200 01000100 02000100"), "do not grow");
    refused(ints, hex("3b300000 01 00000300 0100 01000100"), "2 values, not 4");
    refused(ints, hex("3b300000 01 00000000 0000"), "0 values, not 1");
    byte[] bits = RoaringBitmapBytes.of(even(5_000));
    bits[100] ^= 1;
    refused(ints, bits, "values, not 5000");
    refused(longs, new byte[7], "count of 8 bytes");
    refused(longs, hex("ffffffffffffffff"), "18446744073709551615 parts");
    refused(longs, hex("0100000000000000 00000000 3a300000"), "1 parts");
    refused(longs, Arrays.copyOf(bytes(1L), 31), "it has ended");
    byte[] twice = hex("0200000000000000 01000000 3a300000 00000000 01000000 3a300000 00000000");
    refused(longs, twice, "do not grow");
  }

  private static RoaringBitmap even(int count) {
    RoaringBitmap bitmap = new RoaringBitmap();
    for (int i = 0; i < count; i++) {
      bitmap.add(2 * i);
    }
    return bitmap;
  }

  @Test
  void allNumbersInFewBytesStayFewBytes() {
    RoaringBitmap all = new RoaringBitmap();
    all.add(0L, 1L << 32);
    all.runOptimize();
    byte[] full = RoaringBitmapBytes.of(all);
    byte[] stored = ints.canonical(full);
    assertThat(stored).isEqualTo(full).hasSizeLessThan(1_000_000);
    assertThat(ints.union(stored, bytes(17, -17))).isNull();
    assertThat(ints.union(bytes(17, -17), stored)).isEqualTo(full);
    RoaringBitmap evens = even(1 << 17);
    assertThat(ints.union(ints.canonical(RoaringBitmapBytes.of(evens)), stored)).isEqualTo(full);
  }

  @Test
  void touchingRunsAndLongArraysTakeTheStoredForm() {
    byte[] touching = hex("3b300000 01 00000500 0200 01000200 04000200");
    RoaringBitmap six = new RoaringBitmap();
    six.add(1L, 7L);
    six.runOptimize();
    assertThat(ints.canonical(touching)).isEqualTo(RoaringBitmapBytes.of(six));
    // Three values in a row take as many bytes as an array and as a run.
    byte[] three = hex("3b300000 01 00000200 0100 01000200");
    assertThat(ints.canonical(three)).isEqualTo(bytes(1, 2, 3));
  }
}

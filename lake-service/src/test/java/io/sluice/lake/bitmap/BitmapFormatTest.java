package io.sluice.lake.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

final class BitmapFormatTest {
  private static Bitmap of(long... numbers) {
    Bitmap bitmap = new Bitmap();
    Arrays.stream(numbers).forEach(bitmap::add);
    return bitmap;
  }

  private static String hex(Bitmap bitmap, BitmapWidth width) {
    return HexFormat.of().formatHex(BitmapFormat.write(bitmap, width));
  }

  @Test
  void bytesAreThoseOfTheStandard() throws IOException {
    assertThat(hex(of(7), BitmapWidth.NARROW))
        .isEqualTo("3a300000010000000000000010000000" + "0700");
    assertThat(hex(of(), BitmapWidth.NARROW)).isEqualTo("3a30000000000000");
    assertThat(hex(of(), BitmapWidth.WIDE)).isEqualTo("0000000000000000");
    Bitmap many = new Bitmap();
    RoaringBitmap narrow = new RoaringBitmap();
    Roaring64NavigableMap wide = new Roaring64NavigableMap();
    for (long i = 0; i < 100_000; i++) {
      many.add(i * 3);
      narrow.add((int) (i * 3));
      wide.addLong(i * 3);
    }
    narrow.runOptimize();
    byte[] standard = new byte[narrow.serializedSizeInBytes()];
    narrow.serialize(java.nio.ByteBuffer.wrap(standard));
    assertThat(BitmapFormat.write(many, BitmapWidth.NARROW)).isEqualTo(standard);
    many.add(1L << 40);
    wide.addLong(1L << 40);
    wide.runOptimize();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    wide.serializePortable(new DataOutputStream(out));
    assertThat(BitmapFormat.write(many, BitmapWidth.WIDE)).isEqualTo(out.toByteArray());
  }

  @ParameterizedTest
  @EnumSource(BitmapWidth.class)
  void setsComeBackAndOperationsAreThoseOfSets(BitmapWidth width) {
    Random random = new Random(17);
    for (int round = 0; round < 200; round++) {
      TreeSet<Long> a = numbers(random, width);
      TreeSet<Long> b = numbers(random, width);
      TreeSet<Long> or = new TreeSet<>(a);
      or.addAll(b);
      TreeSet<Long> and = new TreeSet<>(a);
      and.retainAll(b);
      TreeSet<Long> andNot = new TreeSet<>(a);
      andNot.removeAll(b);
      TreeSet<Long> xor = new TreeSet<>(or);
      xor.removeAll(and);
      Bitmap bitmap = read(a, width);
      bitmap.or(read(b, width));
      assertSame(bitmap, or, width);
      bitmap = read(a, width);
      bitmap.and(read(b, width));
      assertSame(bitmap, and, width);
      bitmap = read(a, width);
      bitmap.andNot(read(b, width));
      assertSame(bitmap, andNot, width);
      bitmap = read(a, width);
      bitmap.xor(read(b, width));
      assertSame(bitmap, xor, width);
    }
  }

  private static TreeSet<Long> numbers(Random random, BitmapWidth width) {
    TreeSet<Long> numbers = new TreeSet<>();
    int parts = random.nextInt(4);
    for (int part = 0; part < parts; part++) {
      long upper = width == BitmapWidth.WIDE ? (long) random.nextInt(3) << 32 : 0;
      long start = upper + random.nextInt(200_000);
      int step = 1 + random.nextInt(3);
      for (int i = 0; i < random.nextInt(9_000); i++) {
        numbers.add(start + (long) i * step);
      }
    }
    return numbers;
  }

  private static Bitmap read(TreeSet<Long> numbers, BitmapWidth width) {
    return BitmapFormat.read(bytes(numbers, width), width);
  }

  private static byte[] bytes(TreeSet<Long> numbers, BitmapWidth width) {
    Bitmap bitmap = new Bitmap();
    numbers.forEach(bitmap::add);
    return BitmapFormat.write(bitmap, width);
  }

  private static void assertSame(Bitmap bitmap, TreeSet<Long> numbers, BitmapWidth width) {
    assertThat(bitmap.cardinality()).isEqualTo(numbers.size());
    assertThat(BitmapFormat.write(bitmap, width)).isEqualTo(bytes(numbers, width));
  }

  @ParameterizedTest
  @EnumSource(BitmapWidth.class)
  void bytesThatWereChangedAreRefusedOrAnotherSet(BitmapWidth width) {
    long seed = 4711;
    Random random = new Random(seed);
    for (int round = 0; round < 3_000; round++) {
      byte[] bytes = bytes(numbers(random, width), width);
      if (random.nextBoolean()) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 2));
      }
      for (int i = random.nextInt(3); i >= 0 && bytes.length > 0; i--) {
        bytes[random.nextInt(Math.min(bytes.length, 64))] = (byte) random.nextInt();
      }
      try {
        Bitmap bitmap = BitmapFormat.read(bytes, width);
        long[] count = new long[1];
        bitmap.forEach(number -> count[0]++);
        assertThat(bitmap.cardinality()).as("seed " + seed).isEqualTo(count[0]);
        BitmapFormat.read(BitmapFormat.write(bitmap, width), width);
      } catch (SluiceException e) {
        assertThat(e.code()).as("seed " + seed).isEqualTo(ErrorCode.INVALID_VALUE);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "3a300000",
        "3a300000ffffffff",
        "3a3000000000000000",
        "3b30ffff",
        "3a300000010000000000ffff10000000"
      })
  void whatIsNoBitmapIsRefused(String hex) {
    assertThatThrownBy(() -> BitmapFormat.read(HexFormat.of().parseHex(hex), BitmapWidth.NARROW))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("the bytes are no bitmap in the portable format");
  }
}

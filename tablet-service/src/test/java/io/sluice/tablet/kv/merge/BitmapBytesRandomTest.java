package io.sluice.tablet.kv.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Bitmaps in their bytes against the library, and against damage. */
class BitmapBytesRandomTest {
  private final RoaringUnion shared = new RoaringUnion();
  private final BitmapBytes ints = new Bitmap32Bytes("v", shared);
  private final BitmapBytes longs = new Bitmap64Bytes("v", shared);

  /** Arrays, bitmaps and runs in containers that two bitmaps often share. */
  private static RoaringBitmap bitmap(SplittableRandom random) {
    RoaringBitmap bitmap = new RoaringBitmap();
    int containers = random.nextInt(7);
    for (int i = 0; i < containers; i++) {
      long base = (long) (random.nextInt(8) == 0 ? 0xFFFF : random.nextInt(8)) << 16;
      switch (random.nextInt(4)) {
        case 0 -> fill(bitmap, base, 1 + random.nextInt(6_000), random);
        case 1 -> fill(bitmap, base, 20_000 + random.nextInt(20_000), random);
        case 2 -> ranges(bitmap, base, 1 + random.nextInt(20), random);
        default -> fill(bitmap, base, 1 + random.nextInt(3), random);
      }
    }
    if (random.nextBoolean()) {
      bitmap.runOptimize();
    }
    return bitmap;
  }

  private static void fill(RoaringBitmap bitmap, long base, int count, SplittableRandom random) {
    for (int i = 0; i < count; i++) {
      bitmap.add((int) (base + random.nextInt(65_536)));
    }
  }

  private static void ranges(RoaringBitmap bitmap, long base, int count, SplittableRandom random) {
    for (int i = 0; i < count; i++) {
      int start = random.nextInt(65_536);
      int end = Math.min(65_536, start + 1 + random.nextInt(random.nextBoolean() ? 4 : 20_000));
      bitmap.add(base + start, base + end);
    }
  }

  private static byte[] stored(RoaringBitmap bitmap) {
    RoaringBitmap copy = bitmap.clone();
    copy.removeRunCompression();
    copy.runOptimize();
    return RoaringBitmapBytes.of(copy);
  }

  private static byte[] stored(Roaring64NavigableMap bitmap) {
    Roaring64NavigableMap copy = new Roaring64NavigableMap();
    bitmap.forEach(copy::addLong);
    copy.runOptimize();
    return RoaringBitmapBytes.of(copy);
  }

  @Test
  void unionsAreThoseOfTheLibrary() {
    Seeds.run(
        120,
        (seed, random) -> {
          RoaringBitmap one = bitmap(random);
          RoaringBitmap other = random.nextInt(4) == 0 ? part(one, random) : bitmap(random);
          byte[] before = ints.canonical(RoaringBitmapBytes.of(one));
          byte[] put = ints.canonical(RoaringBitmapBytes.of(other));
          assertThat(before).isEqualTo(stored(one));
          RoaringBitmap both = RoaringBitmap.or(one, other);
          byte[] union = ints.union(before, put);
          if (both.equals(one)) {
            assertThat(union).isNull();
          } else {
            assertThat(union).isEqualTo(stored(both));
          }
        });
  }

  private static RoaringBitmap part(RoaringBitmap whole, SplittableRandom random) {
    RoaringBitmap part = bitmap(random);
    part.and(whole);
    return part;
  }

  @Test
  void unionsOf64BitSetsAreThoseOfTheLibrary() {
    Seeds.run(
        100,
        (seed, random) -> {
          Roaring64NavigableMap one = wide(random);
          Roaring64NavigableMap other = wide(random);
          if (random.nextInt(4) == 0) {
            other.and(one);
          }
          byte[] before = longs.canonical(RoaringBitmapBytes.of(one));
          byte[] put = longs.canonical(RoaringBitmapBytes.of(other));
          assertThat(before).isEqualTo(stored(one));
          long count = one.getLongCardinality();
          one.or(other);
          byte[] union = longs.union(before, put);
          if (one.getLongCardinality() == count) {
            assertThat(union).isNull();
          } else {
            assertThat(union).isEqualTo(stored(one));
          }
        });
  }

  private static Roaring64NavigableMap wide(SplittableRandom random) {
    Roaring64NavigableMap bitmap = new Roaring64NavigableMap();
    int parts = random.nextInt(5);
    for (int i = 0; i < parts; i++) {
      long base = (long) (random.nextInt(6) - 3) << 32;
      if (random.nextBoolean()) {
        bitmap.addRange(base + 5, base + 6 + random.nextInt(10_000));
      }
      int count = random.nextInt(200);
      for (int j = 0; j < count; j++) {
        bitmap.addLong(base + random.nextInt(1 << 18));
      }
    }
    return bitmap;
  }

  @Test
  void damagedBytesAreRefusedOrReadAsTheLibraryReadsThem() {
    Seeds.run(
        3_000,
        (seed, random) -> {
          boolean wide = random.nextInt(3) == 0;
          byte[] bytes =
              wide ? RoaringBitmapBytes.of(wide(random)) : RoaringBitmapBytes.of(small(random));
          int changes = 1 + random.nextInt(3);
          for (int i = 0; i < changes; i++) {
            int at =
                random.nextInt(random.nextBoolean() ? Math.min(bytes.length, 40) : bytes.length);
            bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : bytes[at] ^ 1);
          }
          if (random.nextInt(5) == 0) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
          }
          try {
            byte[] stored = (wide ? longs : ints).canonical(bytes);
            assertThat(stored).isEqualTo(wide ? readWide(bytes) : read(bytes));
          } catch (SluiceException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE);
          }
        });
  }

  private static RoaringBitmap small(SplittableRandom random) {
    RoaringBitmap bitmap = new RoaringBitmap();
    int containers = 1 + random.nextInt(6);
    for (int i = 0; i < containers; i++) {
      fill(bitmap, (long) i << 16, 1 + random.nextInt(4), random);
      if (random.nextBoolean()) {
        ranges(bitmap, (long) i << 16, 2, random);
      }
    }
    if (random.nextBoolean()) {
      bitmap.runOptimize();
    }
    return bitmap;
  }

  private static byte[] read(byte[] bytes) throws IOException {
    RoaringBitmap bitmap = new RoaringBitmap();
    bitmap.deserialize(new DataInputStream(new ByteArrayInputStream(bytes)));
    return stored(bitmap);
  }

  private static byte[] readWide(byte[] bytes) throws IOException {
    Roaring64NavigableMap bitmap = new Roaring64NavigableMap();
    bitmap.deserializePortable(new DataInputStream(new ByteArrayInputStream(bytes)));
    return stored(bitmap);
  }
}

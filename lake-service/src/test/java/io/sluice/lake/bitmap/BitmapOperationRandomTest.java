package io.sluice.lake.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.util.Base64;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class BitmapOperationRandomTest {
  @ParameterizedTest
  @EnumSource(BitmapWidth.class)
  void numbersMakeABitmapInAnyOrder(BitmapWidth width) {
    Seeds.run(50, (seed, random) -> build(width, seed % 2 == 0 ? 10_000 : width.largest(), random));
  }

  private static void build(BitmapWidth width, long space, SplittableRandom random) {
    Bitmap expected = new Bitmap();
    StringJoiner numbers = new StringJoiner(", ", "[", "]");
    int count = random.nextInt(2_000);
    for (int i = 0; i < count; i++) {
      long number = random.nextLong(space);
      expected.add(number);
      numbers.add(Long.toString(number));
      if (random.nextInt(50) == 0) {
        numbers.add("NULL");
      }
    }
    byte[] bytes = BitmapFormat.write(expected, width);
    assertThat(BitmapOperation.BUILD.apply(width, numbers.toString(), ""))
        .isEqualTo(Base64.getEncoder().encodeToString(bytes));
  }
}

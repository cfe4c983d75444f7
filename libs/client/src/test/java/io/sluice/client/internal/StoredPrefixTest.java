package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.bucket.SequenceBuckets;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoredPrefixTest {
  private static TableDescription table(int buckets, List<String> key) {
    TableSchema schema =
        new TableSchema(
            1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());
    return new TableDescription(
        1, new TablePath("demo", "t"), schema, buckets, key, Map.of(), "", 0, 1, List.of());
  }

  @Test
  void nothingStoredIsMinusOne() {
    assertThat(StoredPrefix.of(table(4, List.of()), Map.of())).isEqualTo(-1);
    assertThat(StoredPrefix.of(table(4, List.of("id")), Map.of())).isEqualTo(-1);
  }

  @Test
  void isExactWithoutABucketKey() {
    Seeds.run(
        300,
        (seed, random) -> {
          int buckets = random.nextInt(1, 6);
          long end = random.nextLong(0, 12_000);
          Map<Integer, Long> last = new HashMap<>();
          for (long i = 0; i < end; i++) {
            last.put(SequenceBuckets.bucket(i, buckets), i);
          }
          assertThat(StoredPrefix.of(table(buckets, List.of()), last)).isEqualTo(end - 1);
        });
  }

  @Test
  void isTheSmallestWithABucketKey() {
    assertThat(StoredPrefix.of(table(2, List.of("id")), Map.of(0, 70L, 1, 50L))).isEqualTo(50);
    assertThat(StoredPrefix.of(table(2, List.of("id")), Map.of(0, 70L))).isEqualTo(-1);
  }
}

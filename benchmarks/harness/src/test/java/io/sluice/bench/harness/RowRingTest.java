package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowRingTest {
  private static RowRing ring(String schema, long seed) {
    return RowRing.of(BenchSchema.of(schema), 500, seed);
  }

  @Test
  void oneSeedAlwaysGivesTheSameRows() {
    RowRing first = ring("wide", 7);
    RowRing second = ring("wide", 7);
    for (int i = 0; i < 500; i++) {
      assertThat(first.row(i)).isEqualTo(second.row(i));
    }
    assertThat(first.row(3)).isNotEqualTo(ring("wide", 8).row(3));
  }

  @Test
  void rowsHaveTheSizesTheirSchemasPromise() {
    assertThat(ring("narrow", 42).averageBytes()).isBetween(110.0, 140.0);
    assertThat(ring("wide", 42).averageBytes()).isBetween(900.0, 1_080.0);
    assertThat(BenchSchema.of("narrow").size()).isEqualTo(6);
    assertThat(BenchSchema.of("wide").size()).isEqualTo(20);
  }

  @Test
  void rowsAreDistinctAndComeRoundAgain() {
    RowRing ring = ring("narrow", 42);
    Set<String> distinct = new HashSet<>();
    for (int i = 0; i < 500; i++) {
      distinct.add(Arrays.toString(ring.row(i)));
    }
    assertThat(distinct).hasSize(500);
    assertThat(ring.row(1_203)).isSameAs(ring.row(203));
  }

  @Test
  void theSizeOfSomeColumnsIsPartOfTheWhole() {
    RowRing ring = ring("narrow", 42);
    assertThat(ring.averageBytes(List.of("id", "a"))).isEqualTo(12);
    assertThat(ring.averageBytes(List.of("id", "ts", "a", "b", "tag", "note")))
        .isEqualTo(ring.averageBytes());
  }
}

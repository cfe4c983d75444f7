package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowLimitTest {
  @Test
  void halvesWithEveryRefusalAndStopsAtAFew() {
    RowLimit limit = RowLimit.ofUpserts();
    limit.refused(4000, true);
    assertThat(limit.rows()).isEqualTo(2000);
    // What was on its way before.
    limit.refused(8192, true);
    assertThat(limit.rows()).isEqualTo(2000);
    limit.refused(1000, false);
    assertThat(limit.rows()).isEqualTo(512);
    // The last halves before a single row that is too large.
    limit.refused(4, false);
    assertThat(limit.rows()).isEqualTo(512);
    limit.refused(3, true);
    assertThat(limit.rows()).isEqualTo(64);
  }

  @Test
  void growsAgainWhileAllGoesWell() {
    RowLimit limit = RowLimit.ofUpserts();
    limit.refused(4096, true);
    for (int i = 0; i < 255; i++) {
      limit.stored(2048);
    }
    // Small ones do not tell.
    for (int i = 0; i < 1000; i++) {
      limit.stored(10);
    }
    assertThat(limit.rows()).isEqualTo(2048);
    limit.stored(2048);
    assertThat(limit.rows()).isEqualTo(4096);
    for (int i = 0; i < 10_000; i++) {
      limit.stored(RowLimit.UPSERT_ROWS);
    }
    assertThat(limit.rows()).isEqualTo(RowLimit.UPSERT_ROWS);
  }

  @Test
  void appendsHaveNone() {
    assertThat(RowLimit.none().rows()).isEqualTo(Integer.MAX_VALUE);
  }
}

package io.sluice.format.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SequenceBucketsTest {
  @Test
  void runsOfSequencesTakeTurnsOverTheBuckets() {
    assertThat(SequenceBuckets.bucket(0, 3)).isZero();
    assertThat(SequenceBuckets.bucket(1023, 3)).isZero();
    assertThat(SequenceBuckets.bucket(1024, 3)).isEqualTo(1);
    assertThat(SequenceBuckets.bucket(3071, 3)).isEqualTo(2);
    assertThat(SequenceBuckets.bucket(3072, 3)).isZero();
    assertThat(SequenceBuckets.bucket(Long.MAX_VALUE, 4096)).isEqualTo(4095);
  }

  @Test
  void theFirstSequenceOfABucketIsTheFirstOneThatGoesThere() {
    for (int buckets = 1; buckets <= 3; buckets++) {
      for (int bucket = 0; bucket < buckets; bucket++) {
        for (long from = 0; from < 8 * 1024; from += 341) {
          long expected = from;
          while (SequenceBuckets.bucket(expected, buckets) != bucket) {
            expected++;
          }
          assertThat(SequenceBuckets.firstFrom(from, bucket, buckets))
              .as("from %d to bucket %d of %d", from, bucket, buckets)
              .isEqualTo(expected);
        }
      }
    }
  }
}

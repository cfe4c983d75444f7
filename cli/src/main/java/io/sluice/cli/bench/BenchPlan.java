package io.sluice.cli.bench;

import java.util.List;

/**
 * What a benchmark was asked to do.
 *
 * @param rows rows of one repetition, 0 = the workload's own default
 * @param repeat measured repetitions of each variant; one more runs before as a warm-up
 * @param codecs names of codecs to compare
 * @param schemas names of row shapes to compare
 * @param buckets how many buckets, for the workload that is about them
 * @param primaryKey whether the workload that is about buckets makes tables with a primary key
 * @param filter regular expression of the micro benchmarks to run
 */
record BenchPlan(
    long rows,
    int repeat,
    List<String> codecs,
    List<String> schemas,
    int buckets,
    boolean primaryKey,
    String filter) {
  BenchPlan {
    codecs = List.copyOf(codecs);
    schemas = List.copyOf(schemas);
  }

  /** Rows of one repetition. */
  long rowsOr(long otherwise) {
    return rows == 0 ? otherwise : rows;
  }
}

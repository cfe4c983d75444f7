package io.sluice.bench.harness;

/**
 * A table, or topic, that a benchmark writes and reads.
 *
 * @param name letters, digits and underscores
 * @param schema its columns
 * @param codec none, lz4, zstd or {@link #DEFAULT_CODEC}
 * @param buckets buckets, or partitions
 * @param walImage whether the changelog has no rows as they were before (tables with a primary key)
 * @param replicas copies of each bucket, on servers of their own; with several a write counts when
 *     all that are in sync have it, and is refused when fewer than two are
 */
public record TargetTable(
    String name, BenchSchema schema, String codec, int buckets, boolean walImage, int replicas) {
  /** What the product does when nothing is said. */
  public static final String DEFAULT_CODEC = "default";

  /** Whether nothing is to be said about the codec. */
  public boolean hasDefaultCodec() {
    return codec.equals(DEFAULT_CODEC);
  }
}

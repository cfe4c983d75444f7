package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.tiering.v1.BucketOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far each bucket of a table is in the lake: the exclusive end of its rows there. A bucket that
 * is not named is at 0, and one at 0 is not kept, so equal positions are equal values. Immutable.
 */
public final class LakeOffsets {
  /** Nothing is in the lake. */
  public static final LakeOffsets NONE = new LakeOffsets(new TreeMap<>());

  private final SortedMap<Bucket, Long> offsets;

  /**
   * A bucket of a table or of one of its partitions.
   *
   * @param partitionId 0 when the table is not partitioned
   * @param bucket bucket number, from 0
   */
  public record Bucket(long partitionId, int bucket) implements Comparable<Bucket> {
    public Bucket {
      if (partitionId < 0 || bucket < 0) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Bucket " + bucket + " of partition " + partitionId + " has a negative part");
      }
    }

    @Override
    public int compareTo(Bucket other) {
      int byPartition = Long.compare(partitionId, other.partitionId);
      return byPartition != 0 ? byPartition : Integer.compare(bucket, other.bucket);
    }

    @Override
    public String toString() {
      return partitionId + "-" + bucket;
    }
  }

  private LakeOffsets(SortedMap<Bucket, Long> offsets) {
    this.offsets = offsets;
  }

  /** Those offsets; INVALID_ARGUMENT when one is negative. */
  public static LakeOffsets of(Map<Bucket, Long> offsets) {
    TreeMap<Bucket, Long> kept = new TreeMap<>();
    offsets.forEach(
        (bucket, offset) -> {
          if (offset < 0) {
            throw new SluiceException(
                ErrorCode.INVALID_ARGUMENT, "Offset of bucket " + bucket + " is " + offset);
          }
          if (offset > 0) {
            kept.put(bucket, offset);
          }
        });
    return new LakeOffsets(kept);
  }

  /** As a message names them; INVALID_ARGUMENT when a bucket is named twice. */
  public static LakeOffsets of(List<BucketOffset> message) {
    Map<Bucket, Long> offsets = new TreeMap<>();
    for (BucketOffset each : message) {
      Bucket bucket = new Bucket(each.getPartitionId(), each.getBucket());
      if (offsets.put(bucket, each.getOffset()) != null) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "Bucket " + bucket + " is named twice");
      }
    }
    return of(offsets);
  }

  /** For a message. */
  public List<BucketOffset> toProto() {
    List<BucketOffset> message = new ArrayList<>(offsets.size());
    offsets.forEach(
        (bucket, offset) ->
            message.add(
                BucketOffset.newBuilder()
                    .setPartitionId(bucket.partitionId())
                    .setBucket(bucket.bucket())
                    .setOffset(offset)
                    .build()));
    return message;
  }

  /** The buckets that are beyond 0, in order, with their offsets. */
  public SortedMap<Bucket, Long> asMap() {
    return Collections.unmodifiableSortedMap(offsets);
  }

  /** How far that bucket is. */
  public long offset(Bucket bucket) {
    return offsets.getOrDefault(bucket, 0L);
  }

  /** Whether no bucket has a row in the lake. */
  public boolean isEmpty() {
    return offsets.isEmpty();
  }

  /** These, with the buckets of {@code later} where those are. */
  public LakeOffsets advancedTo(LakeOffsets later) {
    TreeMap<Bucket, Long> merged = new TreeMap<>(offsets);
    merged.putAll(later.offsets);
    return new LakeOffsets(merged);
  }

  /** Whether every bucket is at least as far as in {@code other}. */
  public boolean covers(LakeOffsets other) {
    for (Map.Entry<Bucket, Long> entry : other.offsets.entrySet()) {
      if (offset(entry.getKey()) < entry.getValue()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LakeOffsets that && offsets.equals(that.offsets);
  }

  @Override
  public int hashCode() {
    return offsets.hashCode();
  }

  @Override
  public String toString() {
    return offsets.toString();
  }
}

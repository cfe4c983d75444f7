package io.sluice.coordinator.metadata;

import java.util.List;

/**
 * One partition of a table; its buckets are with those of the table.
 *
 * @param partitionId id, from 1, unique in the cluster and never reused
 * @param values canonical texts of its values, one for each partition column
 * @param createdMs when it was created, epoch milliseconds
 */
public record Partition(long partitionId, List<String> values, long createdMs) {
  public Partition {
    values = List.copyOf(values);
    if (partitionId < 1 || values.isEmpty()) {
      throw new IllegalArgumentException(
          "Partition " + partitionId + " with values " + values + " needs an id and a value");
    }
  }
}

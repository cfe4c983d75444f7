package io.sluice.client;

import java.util.List;

/**
 * One partition of a table.
 *
 * @param partitionId id, unique in the cluster and never reused
 * @param values canonical texts of its values, one for each partition column
 * @param name how it is shown and typed: {@code dt=2024-01-01/region=EU}
 * @param createdMs when it was created, epoch milliseconds
 */
public record PartitionDescription(
    long partitionId, List<String> values, String name, long createdMs) {
  public PartitionDescription {
    values = List.copyOf(values);
  }
}

package io.sluice.cli.replicas;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Buckets and lists of servers as text. */
final class Buckets {
  private Buckets() {}

  /** Its number, after its partition's id if it is in one. */
  static String name(JsonNode bucket) {
    long partition = bucket.path("partitionId").asLong();
    return (partition == 0 ? "" : "partition " + partition + ", ") + bucket.path("bucket").asText();
  }

  /** Ids with commas, {@code -} for none. */
  static String servers(JsonNode ids) {
    List<Integer> found = new ArrayList<>();
    ids.forEach(id -> found.add(id.asInt()));
    return servers(found);
  }

  static String servers(List<Integer> ids) {
    return ids.isEmpty() ? "-" : ids.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}

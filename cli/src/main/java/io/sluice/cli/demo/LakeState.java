package io.sluice.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.rest.RestClient;
import io.sluice.common.TablePath;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far a table is in the lake, as the coordinator's tiering queue tells it.
 *
 * @param state state of the table in the queue
 * @param failure why the last round failed, empty when none did since the last success
 * @param round the last round that was committed, empty when there was none
 * @param snapshotId the snapshot it made
 * @param rows rows that round added
 * @param files files that round added
 * @param bytes size of those files
 * @param durationMs how long it took
 * @param offsets up to where the rows of each bucket are in the lake
 */
record LakeState(
    String state,
    String failure,
    String round,
    long snapshotId,
    long rows,
    long files,
    long bytes,
    long durationMs,
    Map<Integer, Long> offsets) {

  static LakeState of(RestClient coordinator, TablePath table) {
    return of(coordinator.get("/api/v1/tiering/tables/" + table.database() + "/" + table.table()));
  }

  static LakeState of(JsonNode json) {
    JsonNode round = json.path("lastRound");
    Map<Integer, Long> offsets = new TreeMap<>();
    for (JsonNode bucket : json.path("offsets")) {
      offsets.put(bucket.path("bucket").asInt(), bucket.path("offset").asLong());
    }
    return new LakeState(
        json.path("state").asText(""),
        json.path("failures").asInt() > 0 ? json.path("lastFailure").path("cause").asText("") : "",
        round.path("roundId").asText(""),
        round.path("snapshotId").asLong(-1),
        round.path("rows").asLong(),
        round.path("files").asLong(),
        round.path("bytes").asLong(),
        round.path("durationMs").asLong(),
        offsets);
  }

  /** Whether a round was committed. */
  boolean hasSnapshot() {
    return !round.isEmpty();
  }

  /** Rows of the table that are in the lake. */
  long rowsInLake() {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Whether the lake has every row below these offsets. */
  boolean covers(Map<Integer, Long> ends) {
    return hasSnapshot()
        && ends.entrySet().stream()
            .allMatch(end -> offsets.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }
}

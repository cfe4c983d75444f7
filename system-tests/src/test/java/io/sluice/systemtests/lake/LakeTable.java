package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.SnapshotUtil;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lake table of an unpartitioned log table as it was when loaded, read by Iceberg's own reader,
 * and the rules that hold of it at every moment.
 */
public final class LakeTable {
  private static final String ROUND = "sluice.round";
  private static final String OFFSETS = "sluice.offsets";

  static final String BUCKET = "__bucket";
  static final String OFFSET = "__offset";
  static final String TIMESTAMP = "__timestamp";
  private static final List<String> SYSTEM_COLUMNS = List.of(BUCKET, OFFSET, TIMESTAMP);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** {@code data/round-<round id>/<partition id>-<bucket>-<start offset>.parquet}. */
  private static final Pattern FILE =
      Pattern.compile("/data/round-([^/]+)/(\\d+)-(\\d+)-(\\d+)\\.parquet$");

  private final Table table;

  LakeTable(Table table) {
    this.table = table;
  }

  /** Iceberg's view of it. */
  public Table iceberg() {
    return table;
  }

  /** Whether a round was committed. */
  public boolean hasSnapshot() {
    return table.currentSnapshot() != null;
  }

  /** How far each bucket is in the current snapshot; empty without one. */
  public Map<Integer, Long> offsets() {
    return hasSnapshot() ? offsets(table.currentSnapshot()) : new TreeMap<>();
  }

  /** Ids of the committed rounds, the oldest first. */
  public List<String> rounds() {
    return snapshots().stream()
        .map(snapshot -> snapshot.summary().get(ROUND))
        .filter(round -> round != null)
        .toList();
  }

  /** Rows of the current snapshot. */
  public long rowCount() {
    return offsets().values().stream().mapToLong(Long::longValue).sum();
  }

  private static Map<Integer, Long> offsets(Snapshot snapshot) {
    String text = snapshot.summary().get(OFFSETS);
    assertThat(text).as("sluice.offsets of snapshot %s", snapshot.snapshotId()).isNotNull();
    return parseOffsets(text);
  }

  /** {@code {"<partition id>-<bucket>": offset, ...}}. */
  private static Map<Integer, Long> parseOffsets(String text) {
    Map<Integer, Long> offsets = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : JSON.readTree(text).properties()) {
      String[] bucket = each.getKey().split("-");
      assertThat(bucket[0]).as("partition id in %s", text).isEqualTo("0");
      offsets.put(Integer.parseInt(bucket[1]), each.getValue().asLong());
    }
    return offsets;
  }

  /** Ancestors of the current snapshot and itself, the oldest first. */
  private List<Snapshot> snapshots() {
    List<Snapshot> snapshots = new ArrayList<>();
    if (hasSnapshot()) {
      SnapshotUtil.currentAncestors(table).forEach(snapshot -> snapshots.add(0, snapshot));
    }
    return snapshots;
  }

  /**
   * chain: each round starts where the one before ended, is there once, added the rows between in
   * files that say the same, and nothing else ever touched the table but empty fencing snapshots.
   * Returns the number of rounds.
   */
  int checkChain() {
    Map<Integer, Long> reached = new TreeMap<>();
    Set<String> rounds = new HashSet<>();
    Long parent = null;
    int count = 0;
    for (Snapshot snapshot : snapshots()) {
      String what = "snapshot " + snapshot.snapshotId() + " " + snapshot.summary();
      assertThat(snapshot.parentId()).as("parent of %s", what).isEqualTo(parent);
      String round = snapshot.summary().get(ROUND);
      if (round == null) {
        assertThat(snapshot.addedDataFiles(table.io())).as(what).isEmpty();
        assertThat(snapshot.removedDataFiles(table.io())).as(what).isEmpty();
      } else {
        assertThat(snapshot.operation()).as(what).isEqualTo(DataOperations.APPEND);
        assertThat(rounds.add(round)).as("first of its round: %s", what).isTrue();
        checkFiles(snapshot, reached, what);
      }
      assertThat(offsets(snapshot)).as("offsets of %s", what).isEqualTo(reached);
      parent = snapshot.snapshotId();
      count++;
    }
    if (parent != null) {
      assertThat(parseOffsets(table.properties().get(OFFSETS)))
          .as("table property sluice.offsets")
          .isEqualTo(reached);
    }
    assertThat(table.snapshots()).as("snapshots outside of the chain").hasSize(count);
    return rounds.size();
  }

  /** Moves {@code reached} over the files that a snapshot added. */
  private void checkFiles(Snapshot snapshot, Map<Integer, Long> reached, String what) {
    Map<Integer, TreeMap<Long, Long>> added = new TreeMap<>();
    assertThat(snapshot.removedDataFiles(table.io())).as("files removed by %s", what).isEmpty();
    for (DataFile file : snapshot.addedDataFiles(table.io())) {
      Matcher name = FILE.matcher(file.location());
      assertThat(name.find()).as("name of %s", file.location()).isTrue();
      assertThat(name.group(1)).as(what).isEqualTo(snapshot.summary().get(ROUND));
      long start = Long.parseLong(name.group(4));
      added
          .computeIfAbsent(Integer.parseInt(name.group(3)), bucket -> new TreeMap<>())
          .put(start, start + file.recordCount());
    }
    assertThat(added).as("files added by %s", what).isNotEmpty();
    added.forEach(
        (bucket, ranges) ->
            ranges.forEach(
                (start, end) -> {
                  assertThat(start)
                      .as("start of a file of bucket %s in %s", bucket, what)
                      .isEqualTo(reached.getOrDefault(bucket, 0L));
                  reached.put(bucket, end);
                }));
  }

  /**
   * Rows of the current snapshot by bucket in offset order: the user's columns as {@link Values},
   * then the time. Each offset below the recorded one is there once, and no other.
   */
  Map<Integer, List<List<String>>> rows() {
    Map<Integer, TreeMap<Long, List<String>>> found = new HashMap<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      for (Record record : records) {
        int bucket = (Integer) record.getField(BUCKET);
        long offset = (Long) record.getField(OFFSET);
        List<String> before =
            found.computeIfAbsent(bucket, b -> new TreeMap<>()).put(offset, values(record));
        if (before != null) {
          throw new AssertionError(
              "Offset " + offset + " of bucket " + bucket + " is twice in " + table.name());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + table.name(), e);
    }
    Map<Integer, List<List<String>>> dense = new HashMap<>();
    Map<Integer, Long> ends = offsets();
    found.forEach(
        (bucket, rows) -> {
          assertThat(rows.firstKey()).as("first offset of bucket %s", bucket).isZero();
          assertThat(rows.lastKey() + 1)
              .as("end of bucket %s, which has %s rows", bucket, rows.size())
              .isEqualTo(ends.get(bucket))
              .isEqualTo(rows.size());
          dense.put(bucket, List.copyOf(rows.values()));
        });
    ends.values().removeIf(end -> end == 0);
    assertThat(dense.keySet()).as("buckets with rows").isEqualTo(ends.keySet());
    return dense;
  }

  private static List<String> values(Record record) {
    List<String> values = new ArrayList<>();
    for (Types.NestedField field : record.struct().fields()) {
      if (!SYSTEM_COLUMNS.contains(field.name())) {
        values.add(Values.ofLake(record.getField(field.name())));
      }
    }
    values.add(Values.ofLake(record.getField(TIMESTAMP)));
    return values;
  }
}

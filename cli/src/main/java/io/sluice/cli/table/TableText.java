package io.sluice.cli.table;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.BucketDescription;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.format.schema.Column;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A table as {@code describe} shows it. */
final class TableText {
  /** The most lines of buckets or partitions. */
  static final int MOST_LINES = 40;

  private static final Set<String> SHOWN_ELSEWHERE =
      Set.of(TableSpec.BUCKET_COUNT, TableSpec.BUCKET_KEY);

  private TableText() {}

  /** Its columns; fields of nested ones have lines of their own. */
  static TextTable columns(TableDescription table) {
    boolean defaults =
        table.schema().columns().stream().anyMatch(column -> column.writeDefault() != null);
    TextTable columns = new TextTable().left("COLUMN").left("TYPE").left("NULL");
    if (defaults) {
      columns.left("DEFAULT");
    }
    MergeText merge = new MergeText(table);
    boolean merges = merge.hasColumns();
    if (merges) {
      columns.left("MERGE");
    }
    columns.left("COMMENT");
    int position = 0;
    for (Column column : table.schema().columns()) {
      String value = column.writeDefault() == null ? "" : column.writeDefault();
      String shape = TypeLines.shape(column.type());
      List<String> rest = new ArrayList<>();
      if (defaults) {
        rest.add(value);
      }
      if (merges) {
        rest.add(merge.column(position));
      }
      rest.add(column.comment());
      columns.row(row(column.name(), shape, column.nullable(), rest));
      List<String> nothing = Collections.nCopies(rest.size(), "");
      for (TypeLines.Line field : TypeLines.fields(column.name(), column.type())) {
        columns.row(row("  " + field.path(), "  " + field.type(), field.nullable(), nothing));
      }
      position++;
    }
    return columns;
  }

  private static List<String> row(String name, String type, boolean nullable, List<String> rest) {
    List<String> cells = new ArrayList<>(List.of(name, type, nullable ? "yes" : "no"));
    cells.addAll(rest);
    return cells;
  }

  /** Its keys and options. */
  static TextTable facts(TableDescription table) {
    TextTable facts = new TextTable().left("").left("");
    if (!table.schema().primaryKey().isEmpty()) {
      facts.row("primary key", String.join(", ", table.schema().primaryKey()));
    }
    if (table.partitioned()) {
      facts.row("partitioned by", String.join(", ", table.partitionKeys()));
      facts.row("partitions", Figures.count(table.partitions().size()));
    }
    facts.row(
        "bucket key",
        table.bucketKey().isEmpty() ? "none, any bucket" : String.join(", ", table.bucketKey()));
    facts.row(
        "buckets",
        Figures.count(table.bucketCount()) + (table.partitioned() ? " in each partition" : ""));
    facts.row("replicas", Integer.toString(table.replicationFactor()));
    if (!table.schema().primaryKey().isEmpty()) {
      new MergeText(table).addTo(facts);
    }
    for (Map.Entry<String, String> option : new TreeMap<>(table.options()).entrySet()) {
      if (!SHOWN_ELSEWHERE.contains(option.getKey())) {
        facts.row(option.getKey(), option.getValue());
      }
    }
    return facts;
  }

  /** Where its buckets are, the first ones. */
  static TextTable buckets(TableDescription table) {
    TextTable buckets =
        new TextTable()
            .right("BUCKET")
            .left("LEADER")
            .right("EPOCH")
            .left("REPLICAS")
            .left("IN SYNC");
    for (BucketDescription bucket : table.buckets().stream().limit(MOST_LINES).toList()) {
      buckets.row(
          Integer.toString(bucket.bucket()),
          leader(bucket),
          Integer.toString(bucket.leaderEpoch()),
          servers(bucket.replicas()),
          servers(bucket.inSync()));
    }
    return buckets;
  }

  /** The last of its partitions, with the servers that lead their buckets. */
  static TextTable partitions(TableDescription table) {
    TextTable partitions =
        new TextTable().left("PARTITION").right("ID").right("BUCKETS").left("LEADERS");
    for (PartitionDescription partition : last(table.partitions())) {
      List<BucketDescription> buckets =
          table.buckets().stream()
              .filter(bucket -> bucket.partitionId() == partition.partitionId())
              .toList();
      Set<String> leaders = new TreeSet<>();
      buckets.forEach(bucket -> leaders.add(leader(bucket)));
      partitions.row(
          partition.name(),
          Long.toString(partition.partitionId()),
          Figures.count(buckets.size()),
          String.join(", ", leaders));
    }
    return partitions;
  }

  private static List<PartitionDescription> last(List<PartitionDescription> all) {
    return all.subList(Math.max(0, all.size() - MOST_LINES), all.size());
  }

  private static String leader(BucketDescription bucket) {
    return bucket.leaderServerId() == 0
        ? "none"
        : bucket.leaderServerId() + " at " + bucket.leaderAddress();
  }

  private static String servers(List<Integer> ids) {
    return String.join(",", ids.stream().map(String::valueOf).toList());
  }
}

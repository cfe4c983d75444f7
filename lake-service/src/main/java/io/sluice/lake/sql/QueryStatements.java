package io.sluice.lake.sql;

import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import io.sluice.lake.duck.BoundTable;
import io.sluice.lake.duck.Cancellation;
import io.sluice.lake.duck.DuckQuery;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.sql.QueryPlanner.Planned;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.LakeView;
import io.sluice.lake.union.TablePlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** SELECT and EXPLAIN. Thread-safe. */
final class QueryStatements {
  /** About how much text an answer may have: it is put together in memory. */
  private static final long MAX_ANSWER_CHARACTERS = 32L * 1024 * 1024;

  /** The most buckets that EXPLAIN lists of a table. */
  private static final int MAX_BUCKETS_SHOWN = 32;

  private final QueryPlanner planner;
  private final DuckSettings settings;
  private final Cluster cluster;

  QueryStatements(QueryPlanner planner, DuckSettings settings, Cluster cluster) {
    this.planner = planner;
    this.settings = settings;
    this.cluster = cluster;
  }

  /** Runs a query. */
  SqlResult select(SqlText text, SqlRequest request, int maxRows, Cancellation cancellation) {
    Planned planned = planner.plan(text.forDuckDb(0), request.database(), request.allowPartial());
    List<String> notices = new ArrayList<>();
    planned.tables().forEach(table -> notices.addAll(table.plan().notices()));
    try (DuckQuery query = open(planned, request, cancellation)) {
      query.load();
      Answer answer = new Answer(maxRows);
      query.run(maxRows + 1L, answer);
      if (answer.tooLarge) {
        notices.add(
            "The answer was cut at about "
                + MAX_ANSWER_CHARACTERS
                + " characters; ask for fewer columns or rows");
      }
      return new SqlResult(
          true,
          SqlResult.rowCount(answer.rows.size()),
          query.columns(),
          answer.rows,
          answer.truncated,
          notices);
    }
  }

  private DuckQuery open(Planned planned, SqlRequest request, Cancellation cancellation) {
    return DuckQuery.open(
        settings, cluster, planned.text(), planned.tables(), request.database(), cancellation);
  }

  /** Collects the rows of an answer. */
  private static final class Answer implements DuckQuery.RowHandler {
    private final int maxRows;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();
    private long characters;
    private boolean truncated;
    private boolean tooLarge;

    Answer(int maxRows) {
      this.maxRows = maxRows;
    }

    @Override
    public boolean accept(@Nullable Object[] row) {
      if (rows.size() == maxRows) {
        truncated = true;
        return false;
      }
      List<@Nullable Object> values = new ArrayList<>(row.length);
      for (Object value : row) {
        Object json = JsonValues.of(value);
        characters += JsonValues.size(json);
        values.add(json);
      }
      rows.add(values);
      if (characters > MAX_ANSWER_CHARACTERS) {
        truncated = true;
        tooLarge = true;
        return false;
      }
      return true;
    }
  }

  /** Says how a query would be read; reads nothing. */
  SqlResult explain(SqlText text, SqlRequest request, Cancellation cancellation) {
    Planned planned =
        planner.plan(text.forDuckDb(queryStart(text)), request.database(), request.allowPartial());
    List<String> lines = new ArrayList<>();
    try (DuckQuery query = open(planned, request, cancellation)) {
      List<String> columns = new ArrayList<>();
      for (ResultColumn column : query.columns()) {
        columns.add(column.name() + " " + column.type());
      }
      lines.add("Result: " + String.join(", ", columns));
    }
    for (BoundTable table : planned.tables()) {
      describe(table, lines);
    }
    lines.add("Guarantee: " + TablePlan.GUARANTEE);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    lines.forEach(line -> rows.add(List.of((Object) line)));
    return SqlResult.rows(List.of(new ResultColumn("plan", "STRING")), rows);
  }

  private static int queryStart(SqlText text) {
    List<Token> tokens = text.tokens();
    int next = 1;
    if (tokens.size() > 3 && tokens.get(1).isWord("PLAN") && tokens.get(2).isWord("FOR")) {
      next = 3;
    }
    if (tokens.size() <= next) {
      throw text.failure(ErrorCode.INVALID_SQL, "EXPLAIN of what?", tokens.get(0));
    }
    Token first = tokens.get(next);
    boolean query =
        first.isSymbol('(')
            || first.isWord("SELECT")
            || first.isWord("WITH")
            || first.isWord("VALUES")
            || first.isWord("FROM")
            || first.isWord("TABLE");
    if (!query) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "EXPLAIN " + first.text() + " is not in this build; EXPLAIN SELECT is",
          first);
    }
    return first.start();
  }

  private static void describe(BoundTable table, List<String> lines) {
    TablePlan plan = table.plan();
    lines.add("Table " + table.database() + "." + table.name() + ":");
    LakeView lake = plan.lake();
    if (lake != null && lake.snapshotId() != LakeView.NONE) {
      lines.add(
          "  lake: snapshot "
              + lake.snapshotId()
              + " of "
              + Instant.ofEpochMilli(lake.committedMs())
              + ", "
              + lake.files().size()
              + (lake.files().size() == 1 ? " file, " : " files, ")
              + SqlResult.rowCount(lake.rows())
              + ", "
              + lake.bytes()
              + " bytes");
    } else if (lake != null) {
      lines.add("  lake: no snapshot yet");
    } else {
      lines.add("  lake: not read");
    }
    if (plan.rowCount() >= 0 && table.readNames().isEmpty()) {
      lines.add("  row count of every bucket, each at one moment; no row is read");
    } else if (plan.current()) {
      lines.add(
          "  current rows of every bucket, each at one moment; changes visible up to "
              + offsets(plan.table(), plan.visible()));
    } else if (plan.tail().isEmpty()) {
      lines.add("  tail: nothing");
    } else {
      lines.add(
          "  tail: "
              + plan.tailOffsets()
              + " offsets, bucket=[start, end): "
              + ranges(plan.table(), plan.tail()));
    }
    lines.add(
        "  columns: "
            + (table.readNames().isEmpty()
                ? "none, rows are only counted"
                : String.join(", ", table.readNames()))
            + " ("
            + table.readNames().size()
            + " of "
            + table.columnNames().size()
            + ")");
    if (!table.skip().isEmpty()) {
      lines.add("  left out of the tail: batches and partitions without rows of " + table.skip());
    }
    plan.notices().forEach(notice -> lines.add("  notice: " + notice));
  }

  private static String offsets(TableDescription table, Map<TableBucket, Long> offsets) {
    return bounded(table, offsets, String::valueOf);
  }

  private static String ranges(TableDescription table, Map<TableBucket, TablePlan.Range> ranges) {
    return bounded(table, ranges, range -> "[" + range.start() + ", " + range.end() + ")");
  }

  /** The first buckets with what is to be shown of each. */
  private static <V> String bounded(
      TableDescription table, Map<TableBucket, V> buckets, Function<V, String> shown) {
    String text =
        new TreeMap<>(buckets)
            .entrySet().stream()
                .limit(MAX_BUCKETS_SHOWN)
                .map(each -> bucket(table, each.getKey()) + "=" + shown.apply(each.getValue()))
                .collect(Collectors.joining(", "));
    int rest = buckets.size() - MAX_BUCKETS_SHOWN;
    return rest > 0 ? text + " and " + rest + " more" : text;
  }

  /** The bucket's number, behind the name of its partition. */
  private static String bucket(TableDescription table, TableBucket bucket) {
    String number = Integer.toString(bucket.bucket());
    if (bucket.partitionId() == TableBucket.NO_PARTITION) {
      return number;
    }
    for (PartitionDescription partition : table.partitions()) {
      if (partition.partitionId() == bucket.partitionId()) {
        return partition.name() + " " + number;
      }
    }
    return "partition " + bucket.partitionId() + " " + number;
  }
}

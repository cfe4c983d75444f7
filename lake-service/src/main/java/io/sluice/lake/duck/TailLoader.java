package io.sluice.lake.duck;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.lake.duck.ViewColumn.Origin;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.SystemColumns;
import io.sluice.lake.union.TablePlan;
import io.sluice.lake.union.TableScan;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;

/**
 * Loads what a plan reads from the cluster into a table of the engine: once, because a stream of
 * Arrow batches can be read once, and because the engine then spills it when it is large.
 */
final class TailLoader {
  /** The column of a table whose rows are only counted. */
  static final String ROW = "__row";

  private final Cluster cluster;
  private final DuckSession session;

  TailLoader(Cluster cluster, DuckSession session) {
    this.cluster = cluster;
    this.session = session;
  }

  /** Loads into the table {@code name} of the internal schema. Returns the number of rows. */
  long load(BoundTable table, String name) throws SQLException {
    String target = Names.quote(Names.INTERNAL_SCHEMA) + "." + Names.quote(name);
    TablePlan plan = table.plan();
    if (!plan.current() && plan.tail().isEmpty()) {
      createEmpty(table, target);
      return 0;
    }
    if (plan.rowCount() >= 0 && table.read().isEmpty()) {
      createEmpty(table, target);
      fill(target, "1", plan.rowCount());
      return plan.rowCount();
    }
    try (LogScanner scanner = cluster.open(plan.table(), scan(table))) {
      if (scansNoColumn(table)) {
        return count(scanner, table, target);
      }
      return load(table, scanner, target, name);
    }
  }

  private static TableScan scan(BoundTable table) {
    TablePlan plan = table.plan();
    Map<TableBucket, Long> start = new HashMap<>();
    Map<TableBucket, Long> end = new HashMap<>();
    plan.tail()
        .forEach(
            (bucket, range) -> {
              start.put(bucket, range.start());
              end.put(bucket, range.end());
            });
    List<String> columns = new ArrayList<>();
    for (ViewColumn column : table.read()) {
      if (column.origin() == Origin.TABLE) {
        columns.add(column.name());
      }
    }
    return new TableScan(
        columns,
        start,
        end,
        plan.current(),
        reads(table, Origin.OFFSET),
        reads(table, Origin.TIMESTAMP),
        reads(table, Origin.CHANGE_TYPE),
        table.skip());
  }

  private static boolean reads(BoundTable table, Origin origin) {
    return table.read().stream().anyMatch(column -> column.origin() == origin);
  }

  /** Whether batches come without vectors: for the bucket alone no column has to be sent. */
  private static boolean scansNoColumn(BoundTable table) {
    return table.read().stream().allMatch(column -> column.origin() == Origin.BUCKET);
  }

  private void createEmpty(BoundTable table, String target) throws SQLException {
    String columns =
        table.read().stream()
            .map(column -> Names.quote(column.name()) + " " + DuckTypes.of(column.type()))
            .collect(Collectors.joining(", "));
    session.execute(
        "CREATE TABLE "
            + target
            + " ("
            + (columns.isEmpty() ? Names.quote(ROW) + " TINYINT" : columns)
            + ")");
  }

  private long count(LogScanner scanner, BoundTable table, String target) throws SQLException {
    Map<Integer, Long> rows = new HashMap<>();
    Deque<ScanBatch> waiting = new ArrayDeque<>();
    ScanBatch next;
    while ((next = TailReader.next(scanner, waiting, session.cancellation())) != null) {
      rows.merge(next.bucket(), (long) next.rowCount(), Long::sum);
      next.close();
    }
    createEmpty(table, target);
    long total = 0;
    for (Map.Entry<Integer, Long> bucket : rows.entrySet()) {
      String value = table.read().isEmpty() ? "1" : Integer.toString(bucket.getKey());
      fill(target, value, bucket.getValue());
      total += bucket.getValue();
    }
    return total;
  }

  private void fill(String target, String value, long rows) throws SQLException {
    session.execute("INSERT INTO " + target + " SELECT " + value + " FROM range(" + rows + ")");
  }

  private long load(BoundTable table, LogScanner scanner, String target, String name)
      throws SQLException {
    TailReader reader =
        TailReader.open(scanner, session.cancellation(), reads(table, Origin.BUCKET));
    if (reader == null) {
      createEmpty(table, target);
      return 0;
    }
    String stream = name + "_stream";
    try (ArrowArrayStream arrow = ArrowArrayStream.allocateNew(reader.allocator())) {
      Data.exportArrayStream(reader.allocator(), reader, arrow);
      session.connection().registerArrowStream(stream, arrow);
      try {
        session.execute(
            "CREATE TABLE "
                + target
                + " AS SELECT "
                + selection(table)
                + " FROM "
                + Names.quote(stream));
      } finally {
        // Reading a stream again after its end would crash the process: nobody may name it.
        session.executeAlways("DROP VIEW " + Names.quote(stream));
      }
    } catch (SQLException e) {
      RuntimeException failure = reader.failure();
      if (failure != null) {
        throw failure;
      }
      throw e;
    } finally {
      close(reader);
    }
    return reader.rows();
  }

  private static void close(TailReader reader) {
    try {
      reader.close();
    } catch (IOException e) {
      throw new SluiceException(ErrorCode.INTERNAL, "Cannot close the reader of a tail", e);
    }
  }

  private static String selection(BoundTable table) {
    return table.read().stream()
        .map(
            column ->
                "CAST("
                    + Names.quote(arrowName(column))
                    + " AS "
                    + DuckTypes.of(column.type())
                    + ") AS "
                    + Names.quote(column.name()))
        .collect(Collectors.joining(", "));
  }

  private static String arrowName(ViewColumn column) {
    return switch (column.origin()) {
      case TABLE -> column.name();
      case BUCKET -> SystemColumns.BUCKET;
      case OFFSET -> "_offset";
      case TIMESTAMP -> "_timestamp";
      case CHANGE_TYPE -> "_change_type";
    };
  }
}

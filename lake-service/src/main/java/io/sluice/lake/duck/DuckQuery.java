package io.sluice.lake.duck;

import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.Rendering;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.LakeView;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One query in an engine of its own: bound when it is opened, then loaded, then run. For one
 * thread.
 */
public final class DuckQuery implements AutoCloseable {
  /** Goes before a query of which only some rows are wanted. */
  private static final String LIMITED = "SELECT * FROM (";

  private final DuckSession session;
  private final Rendering text;
  private final List<BoundTable> tables;
  private final UnionViews views;
  private final DuckErrors errors;
  private List<ResultColumn> columns = List.of();

  private DuckQuery(
      DuckSession session,
      Rendering text,
      List<BoundTable> tables,
      Cluster cluster,
      DuckSettings settings) {
    this.session = session;
    this.text = text;
    this.tables = List.copyOf(tables);
    this.views = new UnionViews(session, cluster);
    Set<String> names = new LinkedHashSet<>();
    tables.forEach(table -> names.addAll(table.columnNames()));
    this.errors = new DuckErrors(text, names, settings);
  }

  /**
   * Opens an engine that can read the lake files of these tables, and binds the query in it.
   *
   * @param database where names without a database are looked up, or null
   * @throws SluiceException what is wrong with the query, with its place
   */
  public static DuckQuery open(
      DuckSettings settings,
      Cluster cluster,
      Rendering text,
      List<BoundTable> tables,
      @Nullable String database,
      Cancellation cancellation) {
    List<String> files = new ArrayList<>();
    for (BoundTable table : tables) {
      LakeView lake = table.plan().lake();
      if (lake != null) {
        lake.files().forEach(file -> files.add(file.path()));
      }
    }
    DuckSession session = DuckSession.open(settings, files, cancellation);
    DuckQuery query = new DuckQuery(session, text, tables, cluster, settings);
    try {
      query.bind(database);
      return query;
    } catch (RuntimeException | Error e) {
      session.close();
      throw e;
    }
  }

  private void bind(@Nullable String database) {
    try {
      if (BitmapFunctions.mayBeIn(text.text())) {
        BitmapFunctions.register(session.connection());
      }
      for (BoundTable table : tables) {
        views.createStub(table);
      }
      boolean used = tables.stream().anyMatch(table -> table.database().equals(database));
      if (database != null && used) {
        session.execute("USE " + Names.quote(database));
      }
      try (PreparedStatement statement = session.prepare(text.text())) {
        columns = columns(statement.getMetaData());
      }
    } catch (SQLException e) {
      throw failure(e, 0);
    }
  }

  private static List<ResultColumn> columns(ResultSetMetaData metadata) throws SQLException {
    List<ResultColumn> columns = new ArrayList<>();
    for (int i = 1; i <= metadata.getColumnCount(); i++) {
      columns.add(
          new ResultColumn(
              metadata.getColumnName(i), DuckTypes.resultType(metadata.getColumnTypeName(i))));
    }
    return columns;
  }

  /** The columns of the result. */
  public List<ResultColumn> columns() {
    return columns;
  }

  /** Reads what comes from the cluster and makes the views. Returns the rows that were read. */
  public long load() {
    try {
      long rows = 0;
      for (int i = 0; i < tables.size(); i++) {
        rows += views.replaceStub(tables.get(i), i);
      }
      return rows;
    } catch (SQLException e) {
      throw failure(e, 0);
    }
  }

  /** Runs the query and gives its first rows to the handler, at most so many. */
  public void run(long maxRows, RowHandler handler) {
    run(LIMITED + text.text() + ") LIMIT " + maxRows, LIMITED.length(), handler);
  }

  /** Runs the query and gives all of its rows to the handler until that has enough. */
  public void run(RowHandler handler) {
    run(text.text(), 0, handler);
  }

  private void run(String sql, int shift, RowHandler handler) {
    try (PreparedStatement statement = session.prepare(sql)) {
      ResultValues values = new ResultValues(statement.getMetaData());
      try (ResultSet rows = session.query(statement)) {
        while (rows.next()) {
          session.cancellation().check();
          if (!handler.accept(values.read(rows))) {
            return;
          }
        }
      }
    } catch (SQLException e) {
      throw failure(e, shift);
    }
  }

  /** The reason of a cancelled query is known here better than in the engine. */
  private SluiceException failure(SQLException e, int shift) {
    session.cancellation().check();
    return errors.translate(e, shift);
  }

  /** Takes the rows of a result. */
  @FunctionalInterface
  public interface RowHandler {
    /**
     * Takes one row: values as {@link ResultValues} makes them.
     *
     * @return whether more rows are wanted
     */
    boolean accept(@Nullable Object[] row);
  }

  @Override
  public void close() {
    session.close();
  }
}

package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.duck.ViewColumn.Origin;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.LakeColumn;
import io.sluice.lake.union.LakeView;
import io.sluice.lake.union.TableVariant;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables of a query known to the engine under the names that the query uses: first empty
 * ones with all columns, to bind the text against, then views with only the columns that are read.
 */
final class UnionViews {
  private final DuckSession session;
  private final TailLoader loader;

  UnionViews(DuckSession session, Cluster cluster) {
    this.session = session;
    this.loader = new TailLoader(cluster, session);
  }

  /** Makes an empty table of every column. */
  void createStub(BoundTable table) throws SQLException {
    String columns =
        table.columns().stream()
            .map(column -> Names.quote(column.name()) + " " + stubType(column))
            .collect(Collectors.joining(", "));
    session.execute("CREATE SCHEMA IF NOT EXISTS " + Names.quote(table.database()));
    session.execute("CREATE TABLE " + table.quoted() + " (" + columns + ")");
  }

  /** A column that cannot be read may still stand in a table whose other columns can. */
  private static String stubType(ViewColumn column) {
    try {
      return DuckTypes.of(column.type());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      return "VARCHAR";
    }
  }

  /** Puts the view in the place of the stub; loads what comes from the cluster. */
  long replaceStub(BoundTable table, int number) throws SQLException {
    checkTypes(table);
    String tailName = "tail_" + number;
    boolean hasTail = table.plan().variant() != TableVariant.LAKE;
    long loaded = 0;
    session.execute("DROP TABLE " + table.quoted());
    if (hasTail) {
      loaded = loader.load(table, tailName);
    }
    String lake = lakeSelection(table);
    String tail = hasTail ? tailSelection(table, tailName) : null;
    String body;
    if (lake != null && tail != null) {
      body = lake + " UNION ALL " + tail;
    } else if (lake != null) {
      body = lake;
    } else if (tail != null) {
      body = tail;
    } else {
      body = emptySelection(table);
    }
    session.execute("CREATE VIEW " + table.quoted() + " AS " + body);
    return loaded;
  }

  private static void checkTypes(BoundTable table) {
    for (ViewColumn column : table.read()) {
      try {
        DuckTypes.of(column.type());
      } catch (SluiceException e) {
        throw new SluiceException(
            e.code(),
            "Column "
                + column.name()
                + " of "
                + table.plan().table().path()
                + ": "
                + e.getMessage(),
            e);
      }
    }
  }

  private static String tailSelection(BoundTable table, String tailName) {
    return "SELECT "
        + names(table)
        + " FROM "
        + Names.quote(Names.INTERNAL_SCHEMA)
        + "."
        + Names.quote(tailName);
  }

  private static String names(BoundTable table) {
    return table.read().isEmpty()
        ? Names.quote(TailLoader.ROW)
        : table.readNames().stream().map(Names::quote).collect(Collectors.joining(", "));
  }

  private static String emptySelection(BoundTable table) {
    String columns =
        table.read().stream()
            .map(
                column ->
                    "CAST(NULL AS "
                        + DuckTypes.of(column.type())
                        + ") AS "
                        + Names.quote(column.name()))
            .collect(Collectors.joining(", "));
    return "SELECT "
        + (columns.isEmpty() ? "CAST(1 AS TINYINT) AS " + Names.quote(TailLoader.ROW) : columns)
        + " WHERE false";
  }

  /** The rows of the lake, or null when it holds none. */
  private static @Nullable String lakeSelection(BoundTable table) {
    LakeView lake = table.plan().lake();
    if (lake == null || lake.files().isEmpty()) {
      return null;
    }
    if (table.read().isEmpty()) {
      return "SELECT CAST(1 AS TINYINT) AS "
          + Names.quote(TailLoader.ROW)
          + " FROM "
          + readParquet(lake, lake.columns().subList(0, Math.min(1, lake.columns().size())));
    }
    Map<Integer, LakeColumn> byId = new HashMap<>();
    Map<String, LakeColumn> byName = new HashMap<>();
    for (LakeColumn column : lake.columns()) {
      byId.put(column.fieldId(), column);
      byName.put(column.name(), column);
    }
    List<LakeColumn> wanted = new java.util.ArrayList<>();
    StringBuilder selection = new StringBuilder();
    for (ViewColumn column : table.read()) {
      LakeColumn found =
          column.origin() == Origin.TABLE ? byId.get(column.columnId()) : byName.get(column.name());
      String type = DuckTypes.of(column.type());
      String value = "NULL";
      if (found != null) {
        wanted.add(found);
        value = Names.quote(fieldName(found));
      } else if (column.origin() != Origin.TABLE) {
        throw missing(table, column, lake);
      }
      selection
          .append(selection.isEmpty() ? "" : ", ")
          .append("CAST(" + value + " AS " + type + ") AS " + Names.quote(column.name()));
    }
    return "SELECT " + selection + " FROM " + readParquet(lake, wanted);
  }

  private static SluiceException missing(BoundTable table, ViewColumn column, LakeView lake) {
    List<String> names = lake.columns().stream().map(LakeColumn::name).toList();
    return new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND,
        "The lake table of "
            + table.plan().table().path()
            + " has no column "
            + column.name()
            + NearestNames.hint(column.name(), names));
  }

  /** Files carry field ids: columns are found by them, whatever their names were. */
  private static String readParquet(LakeView lake, List<LakeColumn> columns) {
    String files =
        lake.files().stream()
            .map(file -> Names.literal(file.path()))
            .collect(Collectors.joining(", ", "[", "]"));
    if (columns.isEmpty()) {
      return "read_parquet(" + files + ")";
    }
    String schema =
        columns.stream()
            .distinct()
            .map(
                column ->
                    column.fieldId()
                        + ": {name: "
                        + Names.literal(fieldName(column))
                        + ", type: "
                        + Names.literal(DuckTypes.of(column.type()))
                        + ", default_value: NULL}")
            .collect(Collectors.joining(", ", "MAP {", "}"));
    return "read_parquet(" + files + ", schema = " + schema + ")";
  }

  private static String fieldName(LakeColumn column) {
    return "f" + column.fieldId();
  }
}

package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.lake.duck.ViewColumn.Origin;
import io.sluice.lake.union.SystemColumns;
import io.sluice.lake.union.TablePlan;
import io.sluice.lake.union.TableVariant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A table of a query with its plan, what of it can be named and what of it is read. Immutable. */
public final class BoundTable {
  private static final DataType INT = new IntegerType(32);
  private static final DataType BIGINT = new IntegerType(64);
  private static final DataType INSTANT = new TimestampLtzType(3);

  private final TablePlan plan;
  private final List<ViewColumn> columns;
  private final List<ViewColumn> read;
  private final String skip;

  private BoundTable(TablePlan plan, List<ViewColumn> columns, List<ViewColumn> read, String skip) {
    this.plan = plan;
    this.columns = List.copyOf(columns);
    this.read = List.copyOf(read);
    this.skip = skip;
  }

  /**
   * Binds a planned table.
   *
   * @throws SluiceException UNSUPPORTED when names of its columns differ by case only; INVALID_SQL
   *     when the query wants all columns and system columns at once
   */
  public static BoundTable of(TablePlan plan, QueryReferences query) {
    List<ViewColumn> columns = columns(plan, query);
    Set<String> names = new HashSet<>();
    List<ViewColumn> read = new ArrayList<>();
    for (ViewColumn column : columns) {
      String lower = column.name().toLowerCase(Locale.ROOT);
      if (!names.add(lower)) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "Table "
                + plan.table().path()
                + " cannot be queried: its engine does not tell the columns '"
                + column.name()
                + "' apart, whose names differ by case only");
      }
      if (query.allColumns() || query.columns().contains(lower)) {
        read.add(column);
      }
    }
    boolean whole = plan.variant() == TableVariant.WHOLE && !plan.current();
    String skip = whole ? SkipCondition.of(query, plan.table()) : "";
    return new BoundTable(plan, columns, read, skip);
  }

  private static List<ViewColumn> columns(TablePlan plan, QueryReferences query) {
    List<ViewColumn> columns = new ArrayList<>();
    if (plan.variant() == TableVariant.CHANGELOG) {
      columns.add(new ViewColumn("_change_type", new StringType(), 0, Origin.CHANGE_TYPE));
      columns.add(new ViewColumn("_log_offset", BIGINT, 0, Origin.OFFSET));
      columns.add(new ViewColumn("_commit_timestamp", INSTANT, 0, Origin.TIMESTAMP));
    }
    for (Column column : plan.table().schema().columns()) {
      columns.add(new ViewColumn(column.name(), column.type(), column.id(), Origin.TABLE));
    }
    if (plan.table().schema().primaryKey().isEmpty()) {
      addSystemColumns(plan, query, columns);
    }
    return columns;
  }

  private static void addSystemColumns(
      TablePlan plan, QueryReferences query, List<ViewColumn> columns) {
    for (String name : SystemColumns.ALL) {
      if (!query.columns().contains(name)) {
        continue;
      }
      if (query.allColumns()) {
        throw new SluiceException(
            ErrorCode.INVALID_SQL,
            "A query that names the system column "
                + name
                + " cannot use * as well, which hides it; name the columns of "
                + plan.table().path());
      }
      columns.add(
          switch (name) {
            case SystemColumns.BUCKET -> new ViewColumn(name, INT, 0, Origin.BUCKET);
            case SystemColumns.OFFSET -> new ViewColumn(name, BIGINT, 0, Origin.OFFSET);
            default -> new ViewColumn(name, INSTANT, 0, Origin.TIMESTAMP);
          });
    }
  }

  /** How it is read. */
  public TablePlan plan() {
    return plan;
  }

  /** Database in which the query finds it. */
  public String database() {
    return plan.table().path().database();
  }

  /** Name under which the query finds it. */
  public String name() {
    return plan.table().path().table() + plan.variant().suffix();
  }

  /** Names of all its columns. */
  public List<String> columnNames() {
    return columns.stream().map(ViewColumn::name).toList();
  }

  /** Names of the columns that are read; none when rows are only counted. */
  public List<String> readNames() {
    return read.stream().map(ViewColumn::name).toList();
  }

  /**
   * A condition that every row of the log fulfils which the query can have any use for, in the
   * words of the client's filters; empty when there is none.
   */
  public String skip() {
    return skip;
  }

  List<ViewColumn> columns() {
    return columns;
  }

  List<ViewColumn> read() {
    return read;
  }

  /** Its name for the engine. */
  String quoted() {
    return Names.quote(database()) + "." + Names.quote(name());
  }
}

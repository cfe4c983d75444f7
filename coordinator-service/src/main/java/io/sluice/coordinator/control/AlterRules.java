package io.sluice.coordinator.control;

import io.sluice.common.AggregateOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.StatisticsColumns;
import io.sluice.common.TableOptions;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.partition.AutoPartition;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Whether a table may be altered, and the command that does it. Pure. */
final class AlterRules {
  private AlterRules() {}

  /**
   * Plans an alteration.
   *
   * @return empty when the table already is what the alteration asks for
   * @throws SluiceException INVALID_ALTER, INVALID_OPTION or UNSUPPORTED saying which rule is
   *     broken and what would be right
   */
  static Optional<Command.AlterTable> plan(Table table, TableAlteration alteration) {
    if (alteration.columns().isEmpty()
        && alteration.options().isEmpty()
        && alteration.comment() == null) {
      throw refused(table, "the request names no change");
    }
    TableSchema schema = schema(table, alteration);
    Map<String, String> options = options(table, alteration);
    TableOptions checked = TableOptions.of(options);
    checkMergeRules(table, schema, options, alteration);
    checkStatistics(table, schema, checked.statisticsColumns());
    if (table.partitioned() || checked.autoPartition().enabled()) {
      // Refuses options that do not fit the partition columns.
      AutoPartition.of(schema, table.partitionKeys(), options);
    }
    String comment = alteration.comment() == null ? table.comment() : alteration.comment();
    TableRules.checkComment("Table " + table.path(), comment);
    if (schema.equals(table.schema())
        && options.equals(table.options())
        && comment.equals(table.comment())) {
      return Optional.empty();
    }
    return Optional.of(
        new Command.AlterTable(
            table.tableId(),
            table.version(),
            schema.equals(table.schema()) ? null : schema,
            options,
            comment));
  }

  /** The options after the changes of columns, which some of them follow, and of options. */
  private static Map<String, String> options(Table table, TableAlteration alteration) {
    ColumnOptions options = new ColumnOptions(table.options());
    try {
      options.follow(alteration.columns());
    } catch (SluiceException e) {
      throw refused(table, String.valueOf(e.getMessage()));
    }
    alteration
        .options()
        .forEach(
            (key, value) -> {
              if (!TableOptions.isAlterable(key) && !options.isOfAddedColumn(key)) {
                value.ifPresent(text -> TableOptions.of(Map.of(key, text)));
                throw refused(table, whyFixed(key));
              }
              options.set(key, value);
            });
    return options.asMap();
  }

  private static String whyFixed(String key) {
    if (AggregateOption.of(key).isPresent()) {
      return "option "
          + key
          + " is fixed when its column is added: values that are merged already would mean"
          + " something else; add a column with the function, in the same request as its option";
    }
    return "option "
        + key
        + " is fixed when the table is created; "
        + String.join(", ", TableOptions.alterable())
        + " can be changed, and properties of your own";
  }

  private static TableSchema schema(Table table, TableAlteration alteration) {
    if (alteration.columns().isEmpty()) {
      return table.schema();
    }
    if (table.lakeEnabled()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Columns of table "
              + table.path()
              + " cannot be changed: it is copied to the lake ("
              + TableOptions.DATALAKE_ENABLED
              + "), whose tables keep their columns in this build; create a new table instead");
    }
    Set<String> fixed = new HashSet<>(table.schema().primaryKey());
    fixed.addAll(table.bucketKey());
    fixed.addAll(table.partitionKeys());
    TableSchema schema;
    try {
      schema = SchemaEvolution.apply(table.schemas(), alteration.columns(), fixed);
    } catch (SluiceException e) {
      throw new SluiceException(
          e.code(), "Table " + table.path() + " cannot be altered: " + e.getMessage(), e);
    }
    schema
        .columns()
        .forEach(
            column -> TableRules.checkComment("Column '" + column.name() + "'", column.comment()));
    return schema.columns().equals(table.schema().columns()) ? table.schema() : schema;
  }

  /** Functions, version and ids must fit the altered columns. */
  private static void checkMergeRules(
      Table table, TableSchema schema, Map<String, String> options, TableAlteration alteration) {
    try {
      MergeRules.of(schema, options);
    } catch (SluiceException e) {
      boolean byColumns = alteration.options().isEmpty();
      throw new SluiceException(
          byColumns ? ErrorCode.INVALID_ALTER : e.code(),
          "Table " + table.path() + " cannot be altered: " + e.getMessage(),
          e);
    }
  }

  /** A column with statistics may go only together with its name in the option. */
  private static void checkStatistics(Table table, TableSchema schema, StatisticsColumns columns) {
    for (String name : columns.names()) {
      if (!schema.hasColumn(name) || schema.column(name).type().isNested()) {
        throw refused(
            table,
            TableOptions.STATISTICS_COLUMNS
                + " names '"
                + name
                + "', which is no scalar column of the altered table; set the option in the same"
                + " request");
      }
    }
  }

  private static SluiceException refused(Table table, String why) {
    return new SluiceException(
        ErrorCode.INVALID_ALTER, "Table " + table.path() + " cannot be altered: " + why);
  }
}

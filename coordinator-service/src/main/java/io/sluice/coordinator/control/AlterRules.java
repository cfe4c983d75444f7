package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.StatisticsColumns;
import io.sluice.common.TableOptions;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.partition.AutoPartition;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

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
    Map<String, String> options = options(table, alteration.options());
    TableSchema schema = schema(table, alteration);
    TableOptions checked = TableOptions.of(options);
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

  private static Map<String, String> options(Table table, Map<String, Optional<String>> changes) {
    Map<String, String> options = new TreeMap<>(table.options());
    changes.forEach(
        (key, value) -> {
          if (!TableOptions.isAlterable(key)) {
            value.ifPresent(text -> TableOptions.of(Map.of(key, text)));
            throw refused(
                table,
                "option "
                    + key
                    + " is fixed when the table is created; "
                    + String.join(", ", TableOptions.alterable())
                    + " can be changed, and properties of your own");
          }
          value.ifPresentOrElse(text -> options.put(key, text), () -> options.remove(key));
        });
    return options;
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

package io.sluice.coordinator.rest;

import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.merge.FieldAggregate;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the rows that are put into a primary-key table, as JSON.
 *
 * @param mergeEngine last_row, first_row, versioned or aggregation
 * @param versionColumn absent unless versioned
 * @param functions of all columns outside of the key, empty unless aggregation
 * @param deleteBehavior allow, ignore or disable
 * @param changelogImage full or wal
 * @param autoIncrementColumn absent when there is none
 * @param nextId the next id that will be given to a bucket, absent without such a column and when
 *     none is left
 * @param rowTtlMs how long a row lives after its last change, absent for ever
 */
record RulesView(
    String mergeEngine,
    @Nullable String versionColumn,
    List<FunctionView> functions,
    String deleteBehavior,
    String changelogImage,
    @Nullable String autoIncrementColumn,
    @Nullable Long nextId,
    @Nullable Long rowTtlMs) {

  /**
   * The function of a column.
   *
   * @param delimiter of listagg, absent for others
   * @param onOverflow refuse or saturate, absent where nothing overflows
   */
  record FunctionView(
      String column, String function, @Nullable String delimiter, @Nullable String onOverflow) {
    static FunctionView of(Column column, FieldAggregate aggregate) {
      AggFunction function = aggregate.function();
      String overflow = aggregate.saturate() ? "saturate" : "refuse";
      return new FunctionView(
          column.name(),
          function.text(),
          function == AggFunction.LISTAGG ? aggregate.delimiter() : null,
          function.mayOverflow(column.type()) ? overflow : null);
    }
  }

  /** The rules of a table, null when it has no primary key. */
  static @Nullable RulesView of(Table table) {
    TableSchema schema = table.schema();
    if (schema.primaryKey().isEmpty()) {
      return null;
    }
    MergeRules rules = MergeRules.of(schema, table.options());
    return new RulesView(
        rules.engine().text(),
        nameOf(schema, rules.versionColumn()),
        functions(schema, rules),
        rules.deleteBehavior().text(),
        rules.changelogImage().text(),
        nameOf(schema, rules.autoIncrementColumn()),
        table.idsGranted() < rules.largestId() ? table.idsGranted() + 1 : null,
        rules.rowTtl().isZero() ? null : rules.rowTtl().toMillis());
  }

  private static @Nullable String nameOf(TableSchema schema, int position) {
    return position < 0 ? null : schema.columns().get(position).name();
  }

  private static List<FunctionView> functions(TableSchema schema, MergeRules rules) {
    List<FunctionView> functions = new ArrayList<>();
    for (int i = 0; i < schema.size() && rules.engine() == MergeEngine.AGGREGATION; i++) {
      Column column = schema.columns().get(i);
      if (!schema.primaryKey().contains(column.name())) {
        functions.add(FunctionView.of(column, rules.aggregate(i)));
      }
    }
    return functions;
  }
}

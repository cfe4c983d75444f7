package io.sluice.cli.table;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.TableDescription;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.merge.ChangelogImage;
import io.sluice.format.merge.FieldAggregate;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;

/** What becomes of the rows that are put under one key, in words. */
final class MergeText {
  private final TableSchema schema;
  private final MergeRules rules;

  MergeText(TableDescription table) {
    this.schema = table.schema();
    this.rules = table.mergeRules();
  }

  /** Whether any column has a part of its own in it. */
  boolean hasColumns() {
    return rules.engine() == MergeEngine.AGGREGATION
        || rules.engine() == MergeEngine.VERSIONED
        || rules.autoIncrementColumn() >= 0;
  }

  /** What becomes of a column; empty when nothing is to be said. */
  String column(int position) {
    if (position == rules.autoIncrementColumn()) {
      return "numbered by the table";
    }
    if (position == rules.versionColumn()) {
      return "the version";
    }
    String name = schema.columns().get(position).name();
    if (rules.engine() != MergeEngine.AGGREGATION || schema.primaryKey().contains(name)) {
      return "";
    }
    FieldAggregate aggregate = rules.aggregate(position);
    AggFunction function = aggregate.function();
    return function.text()
        + (function == AggFunction.LISTAGG ? " with '" + aggregate.delimiter() + "'" : "")
        + (aggregate.saturate() ? ", saturates" : "");
  }

  /** Adds what holds for whole rows. */
  void addTo(TextTable facts) {
    facts.row(
        "rows of one key",
        switch (rules.engine()) {
          case LAST_ROW -> "the last one stays";
          case FIRST_ROW -> "the first one stays (first_row)";
          case VERSIONED ->
              "the one with the largest "
                  + schema.columns().get(rules.versionColumn()).name()
                  + " stays (versioned)";
          case AGGREGATION -> "merged column by column (aggregation)";
        });
    facts.row(
        "deletes",
        switch (rules.deleteBehavior()) {
          case ALLOW -> "allowed";
          case IGNORE -> "ignored";
          case DISABLE -> "refused";
        });
    facts.row(
        "changelog",
        rules.changelogImage() == ChangelogImage.FULL
            ? "rows before and after each change (full)"
            : "rows after each change (wal)");
    if (rules.autoIncrementColumn() >= 0) {
      facts.row(
          "ids",
          schema.columns().get(rules.autoIncrementColumn()).name()
              + ", granted up to "
              + Figures.count(rules.maxIdRange())
              + " at once");
    }
    if (!rules.rowTtl().equals(Duration.ZERO)) {
      facts.row("rows live", duration(rules.rowTtl()) + " after their last change");
    }
  }

  private static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + " d";
    }
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + " h";
    }
    return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
  }
}

package io.sluice.format.merge;

import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The rules of the rows of a primary-key table. Immutable. Positions are those of the schema that
 * the rules were made for.
 */
public final class MergeRules {
  private final MergeEngine engine;
  private final int versionColumn;
  private final List<FieldAggregate> aggregates;
  private final DeleteBehavior deleteBehavior;
  private final ChangelogImage changelogImage;
  private final int autoIncrementColumn;
  private final int maxIdRange;
  private final Duration rowTtl;
  private final TableSchema schema;

  private MergeRules(TableSchema schema, RuleReader reader) {
    this.schema = schema;
    this.engine = reader.engine();
    this.versionColumn = reader.versionColumn(engine);
    this.aggregates = reader.aggregates(engine);
    this.deleteBehavior = reader.deleteBehavior(engine);
    this.changelogImage = reader.changelogImage(engine);
    this.autoIncrementColumn = reader.autoIncrementColumn(engine, versionColumn);
    this.maxIdRange = reader.maxIdRange();
    this.rowTtl = reader.rowTtl();
  }

  /**
   * Reads the rules out of a table's options. A log table has none of these options; its rules are
   * those of a primary-key table that has none.
   *
   * @throws SluiceException INVALID_OPTION naming the option, its value and what is allowed
   */
  public static MergeRules of(TableSchema schema, Map<String, String> options) {
    if (schema.primaryKey().isEmpty()) {
      checkLogTable(options);
    }
    PrimaryKeyOptions checked = TableOptions.of(options).primaryKey();
    return new MergeRules(schema, new RuleReader(schema, options, checked));
  }

  private static void checkLogTable(Map<String, String> options) {
    for (String key : options.keySet().stream().sorted().toList()) {
      if (PrimaryKeyOptions.isOne(key)) {
        throw RuleReader.invalid(
            "Option "
                + key
                + " is only for tables with a primary key; leave it out, or name a primary key");
      }
    }
  }

  /** How rows of one key become one. */
  public MergeEngine engine() {
    return engine;
  }

  /**
   * Position of the column that says which row is newer, -1 unless {@link MergeEngine#VERSIONED}.
   */
  public int versionColumn() {
    return versionColumn;
  }

  /**
   * How a column is aggregated; only with {@link MergeEngine#AGGREGATION}.
   *
   * @param column position of a column that is not in the primary key
   */
  public FieldAggregate aggregate(int column) {
    if (engine != MergeEngine.AGGREGATION
        || schema.primaryKey().contains(schema.columns().get(column).name())) {
      throw new IllegalArgumentException(
          "Column '" + schema.columns().get(column).name() + "' is not aggregated");
    }
    return aggregates.get(column);
  }

  /** What becomes of a delete. */
  public DeleteBehavior deleteBehavior() {
    return deleteBehavior;
  }

  /** What the changelog has of a change. */
  public ChangelogImage changelogImage() {
    return changelogImage;
  }

  /** Position of the column that gets ids, -1 when there is none. */
  public int autoIncrementColumn() {
    return autoIncrementColumn;
  }

  /** The largest id that the column which gets ids can hold, 0 when there is none. */
  public long largestId() {
    if (autoIncrementColumn < 0) {
      return 0;
    }
    return schema.columns().get(autoIncrementColumn).type().equals(new IntegerType(32))
        ? Integer.MAX_VALUE
        : Long.MAX_VALUE;
  }

  /** The most ids that are granted at once, at least 1. */
  public long maxIdRange() {
    return maxIdRange;
  }

  /** How long a row lives after its last change, {@link Duration#ZERO} for ever. */
  public Duration rowTtl() {
    return rowTtl;
  }

  /**
   * Whether a put may write some columns and leave the others as they are. First and versioned rows
   * are taken whole or not at all.
   */
  public boolean takesPartialUpdates() {
    return engine == MergeEngine.LAST_ROW || engine == MergeEngine.AGGREGATION;
  }
}

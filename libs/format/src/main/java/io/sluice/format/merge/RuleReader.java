package io.sluice.format.merge;

import io.sluice.common.AggregateOption;
import io.sluice.common.AggregateOption.Part;
import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Reads and checks one table's rules, each in the light of those read before. */
final class RuleReader {
  private final TableSchema schema;
  private final Map<String, String> options;
  private final PrimaryKeyOptions checked;

  RuleReader(TableSchema schema, Map<String, String> options, PrimaryKeyOptions checked) {
    this.schema = schema;
    this.options = options;
    this.checked = checked;
  }

  MergeEngine engine() {
    return switch (checked.mergeEngine().orElse("")) {
      case "" -> {
        if (options.containsKey(PrimaryKeyOptions.MERGE_ENGINE)) {
          throw unknownEngine();
        }
        yield MergeEngine.LAST_ROW;
      }
      case "first_row" -> MergeEngine.FIRST_ROW;
      case "versioned" -> MergeEngine.VERSIONED;
      case "aggregation" -> MergeEngine.AGGREGATION;
      default -> throw unknownEngine();
    };
  }

  private SluiceException unknownEngine() {
    return invalid(
        shown(PrimaryKeyOptions.MERGE_ENGINE)
            + "; it must be first_row, versioned or aggregation, or leave it out: then the last"
            + " row of a key wins");
  }

  int versionColumn(MergeEngine engine) {
    String name = checked.versionColumn().orElse(null);
    if (engine != MergeEngine.VERSIONED) {
      if (name != null) {
        throw invalid(
            PrimaryKeyOptions.VERSION_COLUMN
                + " is only for "
                + PrimaryKeyOptions.MERGE_ENGINE
                + " = versioned; here it is "
                + engine.text());
      }
      return -1;
    }
    if (name == null) {
      throw invalid(
          PrimaryKeyOptions.MERGE_ENGINE
              + " = versioned needs "
              + PrimaryKeyOptions.VERSION_COLUMN
              + ", the column that says which row is newer (INT, BIGINT, TIMESTAMP or"
              + " TIMESTAMP_LTZ)");
    }
    Column column = existing(PrimaryKeyOptions.VERSION_COLUMN, name);
    boolean typed =
        (column.type() instanceof IntegerType integer && integer.bits() >= 32)
            || column.type() instanceof TimestampType
            || column.type() instanceof TimestampLtzType;
    if (!typed) {
      throw invalid(
          PrimaryKeyOptions.VERSION_COLUMN
              + " is '"
              + name
              + "', which is "
              + column.type()
              + "; a version is INT, BIGINT, TIMESTAMP or TIMESTAMP_LTZ");
    }
    checkNoKey(PrimaryKeyOptions.VERSION_COLUMN, name);
    return schema.position(name);
  }

  /** One for each column, also for those of the key; empty unless the engine aggregates. */
  List<FieldAggregate> aggregates(MergeEngine engine) {
    List<FieldAggregate> aggregates =
        new ArrayList<>(Collections.nCopies(schema.size(), FieldAggregate.DEFAULT));
    TreeSet<String> named = new TreeSet<>();
    for (String key : options.keySet().stream().sorted().toList()) {
      AggregateOption option = AggregateOption.of(key).orElse(null);
      if (option == null) {
        continue;
      }
      if (engine != MergeEngine.AGGREGATION) {
        throw invalid(
            "Option "
                + key
                + " is only for "
                + PrimaryKeyOptions.MERGE_ENGINE
                + " = aggregation; here it is "
                + engine.text());
      }
      existing("Option " + key, option.column());
      checkNoKey("Option " + key, option.column());
      named.add(option.column());
    }
    for (String name : named) {
      aggregates.set(schema.position(name), aggregate(schema.column(name)));
    }
    return engine == MergeEngine.AGGREGATION ? List.copyOf(aggregates) : List.of();
  }

  private FieldAggregate aggregate(Column column) {
    String key = AggregateOption.function(column.name());
    String named = options.get(key);
    AggFunction function =
        named == null ? FieldAggregate.DEFAULT.function() : AggFunction.of(key, named);
    if (!function.takes(column.type())) {
      throw invalid(
          key
              + " is '"
              + named
              + "', which takes "
              + function.takenTypes()
              + "; column '"
              + column.name()
              + "' is "
              + column.type()
              + ", for which there are "
              + AggFunction.namesFor(column.type()));
    }
    // Functions take what is stored as a bitmap in our form, which older rows would read otherwise.
    String value = column.writeDefault() == null ? column.initialDefault() : column.writeDefault();
    if (function.mergesBitmaps() && value != null) {
      throw invalid(
          key
              + " is '"
              + named
              + "', but column '"
              + column.name()
              + "' has the default "
              + value
              + "; a column of bitmaps has none, leave the default out");
    }
    String delimiterKey = new AggregateOption(column.name(), Part.DELIMITER).key();
    if (options.containsKey(delimiterKey) && function != AggFunction.LISTAGG) {
      throw invalid("Option " + delimiterKey + " is only for listagg; here " + function.text());
    }
    return new FieldAggregate(
        function,
        options.getOrDefault(delimiterKey, FieldAggregate.DEFAULT_DELIMITER),
        saturate(column, function));
  }

  private boolean saturate(Column column, AggFunction function) {
    String key = new AggregateOption(column.name(), Part.ON_OVERFLOW).key();
    String text = options.get(key);
    if (text == null) {
      return false;
    }
    if (!function.mayOverflow(column.type())) {
      throw invalid(
          "Option "
              + key
              + " is only for sum, product and count of integers and DECIMAL; here "
              + function.text()
              + " of "
              + column.type());
    }
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "refuse" -> false;
      case "saturate" -> true;
      default -> throw invalid(shown(key) + "; it must be refuse or saturate");
    };
  }

  DeleteBehavior deleteBehavior(MergeEngine engine) {
    if (!options.containsKey(PrimaryKeyOptions.DELETE_BEHAVIOR)) {
      return engine == MergeEngine.LAST_ROW ? DeleteBehavior.ALLOW : DeleteBehavior.IGNORE;
    }
    DeleteBehavior behavior =
        switch (checked.deleteBehavior().orElse("")) {
          case "allow" -> DeleteBehavior.ALLOW;
          case "ignore" -> DeleteBehavior.IGNORE;
          case "disable" -> DeleteBehavior.DISABLE;
          default ->
              throw invalid(
                  shown(PrimaryKeyOptions.DELETE_BEHAVIOR)
                      + "; it must be allow, ignore or disable");
        };
    if (behavior == DeleteBehavior.ALLOW
        && (engine == MergeEngine.FIRST_ROW || engine == MergeEngine.VERSIONED)) {
      throw invalid(
          PrimaryKeyOptions.DELETE_BEHAVIOR
              + " = allow does not go with "
              + PrimaryKeyOptions.MERGE_ENGINE
              + " = "
              + engine.text()
              + ": after a delete an older row could come back; it must be ignore or disable");
    }
    return behavior;
  }

  ChangelogImage changelogImage(MergeEngine engine) {
    if (!options.containsKey(PrimaryKeyOptions.CHANGELOG_IMAGE)) {
      return ChangelogImage.FULL;
    }
    ChangelogImage image =
        switch (checked.changelogImage().orElse("")) {
          case "full" -> ChangelogImage.FULL;
          case "wal" -> ChangelogImage.WAL;
          default ->
              throw invalid(shown(PrimaryKeyOptions.CHANGELOG_IMAGE) + "; it must be full or wal");
        };
    if (image == ChangelogImage.WAL && engine == MergeEngine.AGGREGATION) {
      throw invalid(
          PrimaryKeyOptions.CHANGELOG_IMAGE
              + " = wal does not go with "
              + PrimaryKeyOptions.MERGE_ENGINE
              + " = aggregation: the functions read the row before each change, so leaving it out"
              + " saves nothing, and who reads the changelog of sums needs it; it must be full");
    }
    return image;
  }

  int autoIncrementColumn(MergeEngine engine, int versionColumn) {
    List<String> names = checked.autoIncrement();
    if (names.isEmpty()) {
      if (options.containsKey(PrimaryKeyOptions.ID_RANGE)) {
        throw invalid(
            PrimaryKeyOptions.ID_RANGE
                + " is only for tables with "
                + PrimaryKeyOptions.AUTO_INCREMENT);
      }
      return -1;
    }
    if (names.size() > 1) {
      throw invalid(
          shown(PrimaryKeyOptions.AUTO_INCREMENT) + "; a table has one auto-increment column");
    }
    if (engine == MergeEngine.AGGREGATION) {
      throw invalid(
          PrimaryKeyOptions.AUTO_INCREMENT
              + " does not go with "
              + PrimaryKeyOptions.MERGE_ENGINE
              + " = aggregation: an id is not aggregated");
    }
    String name = names.get(0);
    Column column = existing(PrimaryKeyOptions.AUTO_INCREMENT, name);
    if (!(column.type() instanceof IntegerType integer) || integer.bits() < 32) {
      throw invalid(
          PrimaryKeyOptions.AUTO_INCREMENT
              + " is '"
              + name
              + "', which is "
              + column.type()
              + "; ids are INT or BIGINT");
    }
    checkNoKey(PrimaryKeyOptions.AUTO_INCREMENT, name);
    if (column.writeDefault() != null || column.initialDefault() != null) {
      throw invalid(
          PrimaryKeyOptions.AUTO_INCREMENT
              + " names column '"
              + name
              + "', which has a default; its values are ids, leave the default out");
    }
    if (schema.position(name) == versionColumn) {
      throw invalid(
          PrimaryKeyOptions.AUTO_INCREMENT
              + " names column '"
              + name
              + "', which is the version column: a version comes from the writer");
    }
    return schema.position(name);
  }

  int maxIdRange() {
    return checked.idRange();
  }

  Duration rowTtl() {
    return checked.rowTtl();
  }

  private Column existing(String what, String name) {
    if (!schema.hasColumn(name)) {
      throw invalid(
          what
              + " names column '"
              + name
              + "', which the table does not have; its columns are "
              + String.join(", ", schema.columns().stream().limit(20).map(Column::name).toList())
              + (schema.size() > 20 ? ", ..." : ""));
    }
    return schema.column(name);
  }

  private void checkNoKey(String what, String name) {
    if (schema.primaryKey().contains(name)) {
      throw invalid(
          what
              + " names column '"
              + name
              + "', which is in the primary key ("
              + String.join(", ", schema.primaryKey())
              + "); it must be another column");
    }
  }

  private String shown(String key) {
    return key + " is '" + options.get(key) + "'";
  }

  static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_OPTION, message);
  }
}

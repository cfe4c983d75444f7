package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Whether a table can be copied to the lake, where an Iceberg table of format 2 holds it. Pure. */
final class LakeRules {
  /** Columns that every lake table carries behind those of the user. */
  private static final Set<String> SYSTEM_COLUMNS = Set.of("__bucket", "__offset", "__timestamp");

  /** Iceberg's format 2 counts microseconds. */
  private static final int MAX_PRECISION = 6;

  private LakeRules() {}

  static void check(TablePath path, TableSchema schema, List<String> partitionKeys) {
    if (!schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + path
              + " has a primary key; this build copies only log tables to the lake: leave "
              + TableOptions.DATALAKE_ENABLED
              + " out, or leave the primary key out");
    }
    if (!partitionKeys.isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + path
              + " is partitioned; this build does not copy partitioned tables to the lake: leave "
              + TableOptions.DATALAKE_ENABLED
              + " out, or the partition columns");
    }
    for (Column column : schema.columns()) {
      checkName(path, column);
      checkType(path, column);
    }
  }

  private static void checkName(TablePath path, Column column) {
    // Iceberg's readers match names without regard to case.
    if (SYSTEM_COLUMNS.contains(column.name().toLowerCase(Locale.ROOT))) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          "Table "
              + path
              + ": column '"
              + column.name()
              + "' has the name of a system column of lake tables (__bucket, __offset,"
              + " __timestamp); choose another name, or leave "
              + TableOptions.DATALAKE_ENABLED
              + " out");
    }
  }

  private static void checkType(TablePath path, Column column) {
    DataType type = column.type();
    if (type.isNested()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + path
              + ": column '"
              + column.name()
              + "' has the nested type "
              + type
              + "; this build copies only scalar columns to the lake: use scalar types, or leave "
              + TableOptions.DATALAKE_ENABLED
              + " out");
    }
    String instead = null;
    if (type instanceof DataType.TimestampType t && t.precision() > MAX_PRECISION) {
      instead = new DataType.TimestampType(MAX_PRECISION).toString();
    } else if (type instanceof DataType.TimestampLtzType t && t.precision() > MAX_PRECISION) {
      instead = new DataType.TimestampLtzType(MAX_PRECISION).toString();
    } else if (type instanceof DataType.TimeType t && t.precision() > MAX_PRECISION) {
      instead = new DataType.TimeType(MAX_PRECISION).toString();
    }
    if (instead != null) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + path
              + ": column '"
              + column.name()
              + "' has type "
              + type
              + ", which the lake cannot hold: Iceberg format 2 counts microseconds; declare it "
              + instead
              + ", or leave "
              + TableOptions.DATALAKE_ENABLED
              + " out");
    }
  }
}

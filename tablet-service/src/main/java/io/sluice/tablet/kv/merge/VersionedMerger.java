package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.TableSchema;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The row with the highest version stays; of equal versions the last one. NULL is the lowest
 * version.
 */
final class VersionedMerger implements RowMerger {
  private final int column;
  private final RowOrder order;

  VersionedMerger(TableSchema schema, int versionColumn) {
    this.column = versionColumn;
    this.order = order(schema.columns().get(versionColumn));
  }

  private static RowOrder order(Column column) {
    if (column.type() instanceof IntegerType
        || column.type() instanceof TimestampType
        || column.type() instanceof TimestampLtzType) {
      return RowOrder.of(column.type());
    }
    throw new SluiceException(
        ErrorCode.INTERNAL,
        "Column '" + column.name() + "' (" + column.type() + ") holds no versions");
  }

  @Override
  public @Nullable Row merge(@Nullable Row before, Row put, BitSet written) {
    return before == null || isAtLeast(put, before) ? put : null;
  }

  private boolean isAtLeast(Row put, Row before) {
    if (before.isNull(column)) {
      return true;
    }
    return !put.isNull(column) && order.compare(put, before, column) >= 0;
  }

  @Override
  public boolean isPlain() {
    return false;
  }
}

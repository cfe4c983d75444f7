package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import io.sluice.format.schema.TypeWidening;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the columns of one schema are in the rows of another: matched by id, whatever their names
 * and places. Immutable.
 */
final class ColumnMapping {
  private static final int ABSENT = -1;

  private final int[] positions;
  private final @Nullable NestedConversion[] conversions;
  private final Row absent;

  private ColumnMapping(TableSchema target, TableSchema source, Row absent) {
    Map<Integer, Integer> byId = new HashMap<>();
    for (int i = 0; i < source.size(); i++) {
      byId.put(source.columns().get(i).id(), i);
    }
    this.positions = new int[target.size()];
    this.conversions = new @Nullable NestedConversion[positions.length];
    this.absent = absent;
    for (int i = 0; i < positions.length; i++) {
      Column column = target.columns().get(i);
      positions[i] = byId.getOrDefault(column.id(), ABSENT);
      if (positions[i] >= 0) {
        conversions[i] =
            NestedConversion.of(source.columns().get(positions[i]).type(), column.type());
      }
    }
  }

  /** For rows that were stored: columns they do not have are what the initial default says. */
  static ColumnMapping ofStored(TableSchema target, TableSchema source) {
    ColumnMapping mapping =
        new ColumnMapping(target, source, defaults(target.columns(), Column::initialDefault));
    if (source.schemaId() > target.schemaId()) {
      mapping.checkNewer(target, source);
    }
    return mapping;
  }

  /** For rows that are put: columns they do not have are what the write default says. */
  static ColumnMapping ofPut(TableSchema target, TableSchema source) {
    return new ColumnMapping(target, source, defaults(target.columns(), Column::writeDefault));
  }

  private interface Default {
    @Nullable String of(Column column);
  }

  private static Row defaults(List<Column> columns, Default which) {
    Object[] values = new Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      String text = which.of(columns.get(i));
      if (text != null) {
        values[i] = DefaultValues.parse(columns.get(i).type(), text);
      }
    }
    return GenericRow.of(values);
  }

  /** A caller bound to an older schema must not take what it cannot know for something else. */
  private void checkNewer(TableSchema target, TableSchema source) {
    for (int i = 0; i < positions.length; i++) {
      Column column = target.columns().get(i);
      boolean same =
          positions[i] >= 0
              && TypeWidening.readable(source.columns().get(positions[i]).type(), column.type());
      if (!same) {
        throw new SluiceException(
            ErrorCode.SCHEMA_CHANGED,
            "Column '"
                + column.name()
                + "' of schema "
                + target.schemaId()
                + (positions[i] < 0 ? " was dropped" : " has another type")
                + " in schema "
                + source.schemaId()
                + ", which a row is stored under; read with that schema");
      }
    }
  }

  int columnCount() {
    return positions.length;
  }

  /** Position of the column in the rows of the other schema, -1 when they do not have it. */
  int position(int column) {
    return positions[column];
  }

  /** What turns the other schema's nested values into this one's, null for nothing. */
  @Nullable NestedConversion conversion(int column) {
    return conversions[column];
  }

  /** A row of this schema with the defaults; columns without one are NULL. */
  Row defaults() {
    return absent;
  }
}

package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of which only the key is given. Not thread-safe. */
final class NewRows {
  private final RowRules rules;
  private final KeyEncoder keys;
  private final int[] keyPositions;
  private final @Nullable Object[] defaults;

  NewRows(RowRules rules) {
    this.rules = rules;
    TableSchema schema = rules.schema();
    List<Column> keyColumns = new ArrayList<>();
    this.keyPositions = new int[schema.primaryKey().size()];
    for (int i = 0; i < keyPositions.length; i++) {
      keyPositions[i] = schema.position(schema.primaryKey().get(i));
      keyColumns.add(schema.columns().get(keyPositions[i]));
    }
    this.keys = KeyEncoder.of(new TableSchema(schema.schemaId(), keyColumns, schema.primaryKey()));
    this.defaults = new @Nullable Object[schema.size()];
    for (int i = 0; i < defaults.length; i++) {
      Column column = schema.columns().get(i);
      String text = column.writeDefault();
      defaults[i] = text == null ? null : DefaultValues.parse(column.type(), text);
    }
  }

  /**
   * The value of a new row with time 0.
   *
   * @param id for the auto-increment column, if there is one
   */
  byte[] encode(RowKey key, long id) {
    @Nullable Object[] row = defaults.clone();
    GenericRow decoded = keys.decode(key.bytes());
    for (int i = 0; i < keyPositions.length; i++) {
      row[keyPositions[i]] = decoded.value(i);
    }
    requireOwnForm(key, decoded);
    int idColumn = rules.merge().autoIncrementColumn();
    if (idColumn >= 0) {
      row[idColumn] = id;
    }
    try {
      return rules.codec().encode(Row.of(row), 0);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.INVALID_VALUE) {
        throw e;
      }
      throw new SluiceException(
          e.code(),
          "A row cannot be made of its key "
              + decoded
              + " alone: "
              + e.getMessage()
              + "; give the column a default, or put the row first",
          e);
    }
  }

  /** The changelog has the row, not the key: a replay must find the same key for it. */
  private void requireOwnForm(RowKey key, GenericRow decoded) {
    if (!Arrays.equals(keys.encode(decoded), key.bytes())) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "A row cannot be made of the encoded key of "
              + decoded
              + ": these values are encoded otherwise (-0.0 as 0.0, NaN in one form only)");
    }
  }
}

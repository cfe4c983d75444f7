package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows that delete: batches have all columns of the writer, so the columns beside the key are
 * NULL, or hold a placeholder where NULL may not be. The server looks at the key only. Immutable.
 */
final class DeletionRows {
  private final Row placeholders;
  private final boolean[] key;
  private final int[] positions;

  /**
   * @param schema columns of the writer, the key columns among them
   */
  DeletionRows(TableSchema schema) {
    @Nullable Object[] values = new @Nullable Object[schema.size()];
    this.key = new boolean[values.length];
    this.positions = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      Column column = schema.columns().get(i);
      int at = schema.primaryKey().indexOf(column.name());
      key[i] = at >= 0;
      positions[i] = at >= 0 ? at : i;
      values[i] = key[i] || column.nullable() ? null : placeholder(column);
    }
    this.placeholders = Row.of(values);
  }

  /** A row of the writer that deletes this key, a row of the key columns in key order. */
  Row deleting(Row keyRow) {
    Row[] sources = new Row[key.length];
    Arrays.setAll(sources, i -> key[i] ? keyRow : placeholders);
    return new ComposedRow(sources, positions);
  }

  private static Object placeholder(Column column) {
    DataType type = column.type();
    if (type instanceof DataType.BooleanType) {
      return false;
    } else if (type instanceof DataType.IntegerType) {
      return 0;
    } else if (type instanceof DataType.FloatType || type instanceof DataType.DoubleType) {
      return 0.0;
    } else if (type instanceof DataType.DecimalType decimal) {
      return BigDecimal.ZERO.setScale(decimal.scale());
    } else if (type instanceof DataType.CharType || type instanceof DataType.StringType) {
      return "";
    } else if (type instanceof DataType.BinaryType binary) {
      return new byte[binary.length()];
    } else if (type instanceof DataType.BytesType) {
      return new byte[0];
    } else if (type instanceof DataType.DateType) {
      return LocalDate.EPOCH;
    } else if (type instanceof DataType.TimeType) {
      return LocalTime.MIDNIGHT;
    } else if (type instanceof DataType.TimestampType) {
      return LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);
    } else if (type instanceof DataType.TimestampLtzType) {
      return Instant.EPOCH;
    }
    throw new SluiceException(
        ErrorCode.UNSUPPORTED,
        "Column '"
            + column.name()
            + "' ("
            + type
            + ") is NOT NULL; rows with such columns cannot be deleted yet");
  }
}

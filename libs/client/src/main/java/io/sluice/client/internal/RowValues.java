package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import java.util.Arrays;
import java.util.List;

/** Decodes row values of a table into rows of the columns asked for. Immutable. */
final class RowValues {
  private final TableDescription table;
  private final RowCodec codec;
  private final int[] positions;

  /**
   * @param columns the columns in the order wanted, empty for all
   */
  RowValues(TableDescription table, List<String> columns) {
    this.table = table;
    this.codec = RowCodec.of(table.schema());
    this.positions = columns.stream().mapToInt(table.schema()::position).toArray();
  }

  /** The row; SCHEMA_CHANGED when it follows another schema than the table had when opened. */
  Row decode(byte[] value) {
    int schemaId = RowCodec.schemaId(value);
    if (schemaId != table.schema().schemaId()) {
      throw new SluiceException(
          ErrorCode.SCHEMA_CHANGED,
          "A row of "
              + table.path()
              + " follows schema "
              + schemaId
              + "; this lookuper reads schema "
              + table.schema().schemaId()
              + ". Open the table again");
    }
    Row row = codec.decode(value);
    if (positions.length == 0) {
      return row;
    }
    Row[] sources = new Row[positions.length];
    Arrays.fill(sources, row);
    return new ComposedRow(sources, positions);
  }
}

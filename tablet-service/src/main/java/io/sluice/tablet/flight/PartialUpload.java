package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.kv.PutShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of its table a plain upload writes: the target columns of a partial update, else
 * all but the one that gets its values from the table.
 *
 * @param written the table, with the columns that rows of the upload have
 * @param targetIds ids of these columns as a native put names them, empty for all of the table
 * @param partial whether they are the targets of a partial update
 * @param columns what puts into the table may have
 * @param generated the column that gets its values from the table, null for none
 */
record PartialUpload(
    Located written,
    List<Integer> targetIds,
    boolean partial,
    PutColumns columns,
    @Nullable Column generated) {
  /**
   * Looks the target columns up.
   *
   * @param targets names of columns, empty for whole rows
   * @throws SluiceException UNSUPPORTED for a log table, and one that takes whole rows only;
   *     COLUMN_NOT_FOUND, INVALID_ARGUMENT when a column is named twice, or a key column or a NOT
   *     NULL column is not named, or the one is that gets its values from the table
   */
  static PartialUpload of(Located table, List<String> targets) {
    TableSchema schema = table.schema();
    PutColumns columns = PutColumns.of(table.path(), schema, table.options());
    Column generated = columns.generatedIn(schema);
    if (targets.isEmpty()) {
      return wholeRows(table, columns, generated);
    }
    if (schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "target_columns is set, which only primary-key tables take; "
              + table.path()
              + " takes whole rows");
    }
    columns.requirePartial();
    if (generated != null && targets.contains(generated.name())) {
      throw columns.writesGenerated(generated, "do not name it in target_columns");
    }
    try {
      List<Integer> ids = new ArrayList<>();
      Set<String> seen = new HashSet<>();
      for (String name : targets) {
        if (!seen.add(name)) {
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT, "target_columns names column '" + name + "' twice");
        }
        ids.add(schema.column(name).id());
      }
      return new PartialUpload(
          table.withColumns(columns.partial(schema, ids).rows()), ids, true, columns, generated);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), table.path() + ": " + e.getMessage(), e);
    }
  }

  private static PartialUpload wholeRows(
      Located table, PutColumns columns, @Nullable Column generated) {
    if (generated == null) {
      return new PartialUpload(table, List.of(), false, columns, null);
    }
    TableSchema schema = table.schema();
    List<Integer> ids =
        schema.columns().stream().map(Column::id).filter(id -> id != generated.id()).toList();
    return new PartialUpload(
        table.withColumns(PutShape.withoutIds(schema, ids).rows()), ids, false, columns, generated);
  }

  /**
   * Checks that a partial update has the targets and no other column: one that is left out would be
   * set to NULL in every row, which must be said by NULLs. No upload has the column that gets its
   * values from the table.
   */
  void check(Schema uploaded) {
    if (generated != null && has(uploaded, generated.name())) {
      throw columns.writesGenerated(generated, "drop the column from the upload");
    }
    if (!partial) {
      return;
    }
    Set<String> missing = new LinkedHashSet<>();
    written.schema().columns().forEach(column -> missing.add(column.name()));
    for (Field field : uploaded.getFields()) {
      boolean target = written.schema().hasColumn(field.getName());
      if (!target && !field.getName().equals(UploadMapping.OP)) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "Column '"
                + field.getName()
                + "' of the upload is not a target column of this partial update of "
                + written.path());
      }
      missing.remove(field.getName());
    }
    if (!missing.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The upload has no column '"
              + missing.iterator().next()
              + "', which is a target column of this partial update of "
              + written.path());
    }
  }

  private static boolean has(Schema uploaded, String name) {
    return uploaded.getFields().stream().anyMatch(field -> field.getName().equals(name));
  }
}

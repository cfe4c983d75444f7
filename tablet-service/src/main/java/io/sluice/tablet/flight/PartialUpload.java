package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
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

/**
 * Which columns of its table a plain upload writes.
 *
 * @param written the table, with the columns that rows of the upload have
 * @param targetIds ids of the target columns of a partial update, empty for whole rows
 */
record PartialUpload(Located written, List<Integer> targetIds) {
  /**
   * Looks the target columns up.
   *
   * @param targets names of columns, empty for whole rows
   * @throws SluiceException UNSUPPORTED for a log table, COLUMN_NOT_FOUND, INVALID_ARGUMENT when a
   *     column is named twice, or a key column or a NOT NULL column is not named
   */
  static PartialUpload of(Located table, List<String> targets) {
    if (targets.isEmpty()) {
      return new PartialUpload(table, List.of());
    }
    TableSchema schema = table.schema();
    if (schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "target_columns is set, which only primary-key tables take; "
              + table.path()
              + " takes whole rows");
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
      return new PartialUpload(table.withColumns(PutShape.partial(schema, ids).rows()), ids);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), table.path() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks that the upload has the targets and no other column: one that is left out would be set
   * to NULL in every row, which must be said by NULLs.
   */
  void check(Schema uploaded) {
    if (targetIds.isEmpty()) {
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
}

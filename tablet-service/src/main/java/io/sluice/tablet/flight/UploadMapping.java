package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.SafeCast;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How the columns of a plain upload become those of a table: by name, with lossless casts; a column
 * that the upload leaves out is NULL. One owner, not thread-safe.
 */
final class UploadMapping {
  /** Name of the column that says what a row does. */
  static final String OP = "_op";

  private static final int ABSENT = -1;
  private static final String APPEND_OP = "+I";

  private final Schema target;
  private final int[] sources;
  private final @Nullable SafeCast[] casts;
  private final int opColumn;
  private final String table;
  private long rowsSeen;

  private UploadMapping(
      Schema target, int[] sources, @Nullable SafeCast[] casts, int opColumn, String table) {
    this.target = target;
    this.sources = sources;
    this.casts = casts;
    this.opColumn = opColumn;
    this.table = table;
  }

  /**
   * The mapping of an upload's schema.
   *
   * @throws SluiceException COLUMN_NOT_FOUND naming the known columns, INVALID_SCHEMA for a column
   *     named twice, a type that cannot be cast, or a NOT NULL column that is missing; UNSUPPORTED
   *     for dictionary-encoded columns
   */
  static UploadMapping of(Schema uploaded, Located table) {
    TableSchema schema = table.schema();
    if (!schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + table.path() + " has a primary key; this version stores log tables only");
    }
    Map<String, Integer> positions = new HashMap<>();
    for (int i = 0; i < uploaded.getFields().size(); i++) {
      Field field = uploaded.getFields().get(i);
      if (positions.put(field.getName(), i) != null) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "The upload has two columns named '" + field.getName() + "'; names must differ");
      }
      if (field.getDictionary() != null) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "Column '"
                + field.getName()
                + "' of the upload is dictionary-encoded; send it as plain values");
      }
      if (!field.getName().equals(OP)) {
        requireColumn(table, field.getName());
      }
    }
    int[] sources = new int[schema.size()];
    List<@Nullable SafeCast> casts = new ArrayList<>();
    for (int i = 0; i < sources.length; i++) {
      Column column = schema.columns().get(i);
      sources[i] = positions.getOrDefault(column.name(), ABSENT);
      if (sources[i] == ABSENT && !column.nullable()) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "The upload has no column '"
                + column.name()
                + "', which is NOT NULL in "
                + table.path());
      }
      casts.add(
          sources[i] == ABSENT ? null : SafeCast.of(uploaded.getFields().get(sources[i]), column));
    }
    return new UploadMapping(
        ArrowSchemas.toArrow(schema),
        sources,
        casts.toArray(new SafeCast[0]),
        op(uploaded, positions),
        table.path().toString());
  }

  private static void requireColumn(Located table, String name) {
    try {
      table.schema().position(name);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), table.path() + ": " + e.getMessage(), e);
    }
  }

  private static int op(Schema uploaded, Map<String, Integer> positions) {
    int op = positions.getOrDefault(OP, ABSENT);
    if (op != ABSENT && !(uploaded.getFields().get(op).getType() instanceof ArrowType.Utf8)) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Column '_op' of the upload is "
              + uploaded.getFields().get(op).getType()
              + "; it must be utf8");
    }
    return op;
  }

  /** The uploaded rows as rows of the table, to be closed by the caller; the upload stays. */
  VectorSchemaRoot map(VectorSchemaRoot uploaded, BufferAllocator allocator) {
    int rows = uploaded.getRowCount();
    checkOp(uploaded, rows);
    VectorSchemaRoot mapped = VectorSchemaRoot.create(target, allocator);
    try {
      for (int i = 0; i < sources.length; i++) {
        SafeCast cast = casts[i];
        if (cast == null) {
          fillNull(mapped.getVector(i), rows);
        } else {
          cast.copy(uploaded.getVector(sources[i]), mapped.getVector(i), rowsSeen);
        }
      }
      mapped.setRowCount(rows);
      rowsSeen += rows;
      return mapped;
    } catch (RuntimeException | Error e) {
      mapped.close();
      throw e;
    }
  }

  private void checkOp(VectorSchemaRoot uploaded, int rows) {
    if (opColumn == ABSENT) {
      return;
    }
    byte[] append = APPEND_OP.getBytes(StandardCharsets.UTF_8);
    VarCharVector ops = (VarCharVector) uploaded.getVector(opColumn);
    for (int row = 0; row < rows; row++) {
      if (ops.isNull(row) || !Arrays.equals(ops.get(row), append)) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Column '_op' is '"
                + (ops.isNull(row) ? "NULL" : ops.getObject(row))
                + "' in row "
                + (rowsSeen + row)
                + "; "
                + table
                + " is a log table, which takes only '+I'");
      }
    }
  }

  private static void fillNull(FieldVector vector, int rows) {
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    for (int row = 0; row < rows; row++) {
      vector.setNull(row);
    }
    vector.setValueCount(rows);
  }
}

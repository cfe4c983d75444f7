package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.SafeCast;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How the columns of a plain upload become those of a table: by name, with lossless casts; a column
 * that the upload leaves out has its write default, NULL when there is none. One owner, not
 * thread-safe.
 */
final class UploadMapping {
  /** Name of the column that says what a row does. */
  static final String OP = "_op";

  private static final int ABSENT = -1;
  private static final byte[] NO_OPS = {};

  private final Schema target;
  private final int[] sources;
  private final @Nullable SafeCast[] casts;
  private final UploadDefaults defaults;
  private final int opColumn;
  private final String table;
  private final boolean keyed;
  private long rowsSeen;

  private UploadMapping(
      Schema target,
      int[] sources,
      @Nullable SafeCast[] casts,
      UploadDefaults defaults,
      int opColumn,
      String table,
      boolean keyed) {
    this.target = target;
    this.sources = sources;
    this.casts = casts;
    this.defaults = defaults;
    this.opColumn = opColumn;
    this.table = table;
    this.keyed = keyed;
  }

  /**
   * The mapping of an upload's schema.
   *
   * @throws SluiceException COLUMN_NOT_FOUND naming the known columns, INVALID_SCHEMA for a column
   *     named twice, a type that cannot be cast, or a NOT NULL column that is missing; UNSUPPORTED
   *     for dictionary-encoded columns
   */
  static UploadMapping of(Schema uploaded, Located table) {
    return of(uploaded, table.path(), table.schema(), true);
  }

  /**
   * The mapping of a batch of keys, which has exactly the key columns.
   *
   * @param keys the key columns
   * @throws SluiceException as {@link #of(Schema, Located)}
   */
  static UploadMapping ofKeys(Schema uploaded, TablePath table, TableSchema keys) {
    return of(uploaded, table, keys, false);
  }

  private static UploadMapping of(
      Schema uploaded, TablePath path, TableSchema schema, boolean withOp) {
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
      if (!withOp || !field.getName().equals(OP)) {
        requireColumn(path, schema, field.getName());
      }
    }
    int[] sources = new int[schema.size()];
    List<@Nullable SafeCast> casts = new ArrayList<>();
    for (int i = 0; i < sources.length; i++) {
      Column column = schema.columns().get(i);
      sources[i] = positions.getOrDefault(column.name(), ABSENT);
      boolean hasDefault = withOp && column.writeDefault() != null;
      if (sources[i] == ABSENT && !column.nullable() && !hasDefault) {
        throw new SluiceException(
            ErrorCode.INVALID_SCHEMA,
            "The upload has no column '"
                + column.name()
                + "', which is NOT NULL and has no default in "
                + path);
      }
      casts.add(
          sources[i] == ABSENT ? null : SafeCast.of(uploaded.getFields().get(sources[i]), column));
    }
    return new UploadMapping(
        ArrowSchemas.toArrow(schema),
        sources,
        casts.toArray(new SafeCast[0]),
        new UploadDefaults(schema),
        withOp ? op(uploaded, positions) : ABSENT,
        path.toString(),
        !schema.primaryKey().isEmpty());
  }

  private static void requireColumn(TablePath path, TableSchema schema, String name) {
    try {
      schema.position(name);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), path + ": " + e.getMessage(), e);
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
    VectorSchemaRoot mapped = VectorSchemaRoot.create(target, allocator);
    try {
      for (int i = 0; i < sources.length; i++) {
        SafeCast cast = casts[i];
        if (cast == null) {
          defaults.fill(i, mapped.getVector(i), rows);
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

  /**
   * What each row does, a {@link ChangeType} code a row; empty when all rows are put. Before {@link
   * #map}, which counts the rows.
   *
   * @throws SluiceException INVALID_VALUE for an operation that the table does not take
   */
  byte[] changeTypes(VectorSchemaRoot uploaded) {
    if (opColumn == ABSENT) {
      return NO_OPS;
    }
    int rows = uploaded.getRowCount();
    byte[] types = new byte[rows];
    VarCharVector ops = (VarCharVector) uploaded.getVector(opColumn);
    for (int row = 0; row < rows; row++) {
      types[row] = changeType(ops.isNull(row) ? "NULL" : ops.getObject(row).toString(), row).code();
    }
    return keyed ? types : NO_OPS;
  }

  private ChangeType changeType(String op, int row) {
    if (op.equals("+I")) {
      return ChangeType.INSERT;
    }
    if (keyed && op.equals("+U")) {
      return ChangeType.UPDATE_AFTER;
    }
    if (keyed && op.equals("-D")) {
      return ChangeType.DELETE;
    }
    throw new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '_op' is '"
            + op
            + "' in row "
            + (rowsSeen + row)
            + "; "
            + table
            + (keyed
                ? " takes '+U' or '+I' to put a row and '-D' to delete it"
                : " is a log table, which takes only '+I'"));
  }
}

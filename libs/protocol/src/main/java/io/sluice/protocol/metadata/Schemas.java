package io.sluice.protocol.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.FieldIds;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.SchemaDef;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link TableSchema} to and from its protobuf form, in which types are SQL text. */
public final class Schemas {
  private Schemas() {}

  /** The schema; INVALID_SCHEMA naming the column when a type cannot be read. */
  public static TableSchema toSchema(SchemaDef schema) {
    List<Column> columns = new ArrayList<>(schema.getColumnsCount());
    for (ColumnDef column : schema.getColumnsList()) {
      columns.add(toColumn(column));
    }
    return new TableSchema(schema.getSchemaId(), columns, schema.getPrimaryKeyList());
  }

  /**
   * The first schema of a new table: columns get the ids 1, 2, ... in their order, then the fields
   * of their ROW types the next ones.
   */
  public static TableSchema newSchema(List<ColumnDef> definitions, List<String> primaryKey) {
    List<Column> columns = new ArrayList<>(definitions.size());
    AtomicInteger nextId = new AtomicInteger(definitions.size() + 1);
    for (ColumnDef definition : definitions) {
      Column column = column(columns.size() + 1, definition.toBuilder().clearFieldIds().build());
      columns.add(
          new Column(
              column.id(),
              column.name(),
              FieldIds.assign(column.type(), nextId::getAndIncrement),
              column.nullable(),
              column.comment(),
              column.writeDefault(),
              column.writeDefault()));
    }
    return new TableSchema(1, columns, primaryKey);
  }

  /** The column with the id it carries. */
  public static Column toColumn(ColumnDef column) {
    return column(column.getId(), column);
  }

  /** The message of a schema. */
  public static SchemaDef toProto(TableSchema schema) {
    SchemaDef.Builder message =
        SchemaDef.newBuilder().setSchemaId(schema.schemaId()).addAllPrimaryKey(schema.primaryKey());
    for (Column column : schema.columns()) {
      message.addColumns(toProto(column));
    }
    return message.build();
  }

  /** The message of a column. */
  public static ColumnDef toProto(Column column) {
    ColumnDef.Builder message =
        ColumnDef.newBuilder()
            .setId(column.id())
            .setName(column.name())
            .setType(column.type().toString())
            .setNotNull(!column.nullable())
            .setComment(column.comment())
            .addAllFieldIds(FieldIds.of(column.type()));
    if (column.initialDefault() != null) {
      message.setInitialDefault(column.initialDefault());
    }
    if (column.writeDefault() != null) {
      message.setWriteDefault(column.writeDefault());
    }
    return message.build();
  }

  private static Column column(int id, ColumnDef definition) {
    try {
      return new Column(
          id,
          definition.getName(),
          type(definition),
          !definition.getNotNull(),
          definition.getComment(),
          definition.hasInitialDefault() ? definition.getInitialDefault() : null,
          definition.hasWriteDefault() ? definition.getWriteDefault() : null);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.INVALID_SCHEMA) {
        throw e;
      }
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "Column '" + definition.getName() + "': " + e.getMessage(), e);
    }
  }

  private static DataType type(ColumnDef definition) {
    DataType type = DataTypeParser.parse(definition.getType());
    return definition.getFieldIdsCount() == 0
        ? type
        : FieldIds.with(type, definition.getFieldIdsList());
  }
}

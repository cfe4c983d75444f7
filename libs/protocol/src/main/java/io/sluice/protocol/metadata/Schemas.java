package io.sluice.protocol.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.SchemaDef;
import java.util.ArrayList;
import java.util.List;

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

  /** The first schema of a new table: columns get the ids 1, 2, ... in their order. */
  public static TableSchema newSchema(List<ColumnDef> definitions, List<String> primaryKey) {
    List<Column> columns = new ArrayList<>(definitions.size());
    for (ColumnDef definition : definitions) {
      columns.add(column(columns.size() + 1, definition));
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
    return ColumnDef.newBuilder()
        .setId(column.id())
        .setName(column.name())
        .setType(column.type().toString())
        .setNotNull(!column.nullable())
        .setComment(column.comment())
        .build();
  }

  private static Column column(int id, ColumnDef definition) {
    try {
      return new Column(
          id,
          definition.getName(),
          DataTypeParser.parse(definition.getType()),
          !definition.getNotNull(),
          definition.getComment());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.INVALID_SCHEMA) {
        throw e;
      }
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "Column '" + definition.getName() + "': " + e.getMessage(), e);
    }
  }
}

package io.sluice.format.schema;

import org.jspecify.annotations.Nullable;

/** A column or a field of a ROW while a schema changes; the element, key or value of others. */
record SchemaMember(
    int id,
    String name,
    DataType type,
    boolean nullable,
    String comment,
    @Nullable String initialDefault,
    @Nullable String writeDefault) {

  static SchemaMember of(Column column) {
    return new SchemaMember(
        column.id(),
        column.name(),
        column.type(),
        column.nullable(),
        column.comment(),
        column.initialDefault(),
        column.writeDefault());
  }

  static SchemaMember of(DataType.RowType.Field field) {
    return new SchemaMember(
        field.id(), field.name(), field.type(), field.nullable(), "", null, null);
  }

  /** The element of an ARRAY, or the value of a MAP. */
  static SchemaMember inner(String name, DataType type, boolean nullable) {
    return new SchemaMember(0, name, type, nullable, "", null, null);
  }

  Column toColumn() {
    return new Column(id, name, type, nullable, comment, initialDefault, writeDefault);
  }

  DataType.RowType.Field toField() {
    return new DataType.RowType.Field(id, name, type, nullable);
  }

  SchemaMember withName(String newName) {
    return new SchemaMember(id, newName, type, nullable, comment, initialDefault, writeDefault);
  }

  SchemaMember withType(DataType newType) {
    return new SchemaMember(id, name, newType, nullable, comment, initialDefault, writeDefault);
  }

  SchemaMember withInitialDefault(@Nullable String text) {
    return new SchemaMember(id, name, type, nullable, comment, text, writeDefault);
  }

  SchemaMember withWriteDefault(@Nullable String text) {
    return new SchemaMember(id, name, type, nullable, comment, initialDefault, text);
  }

  SchemaMember withComment(String text) {
    return new SchemaMember(id, name, type, nullable, text, initialDefault, writeDefault);
  }

  SchemaMember asNullable() {
    return new SchemaMember(id, name, type, true, comment, initialDefault, writeDefault);
  }
}

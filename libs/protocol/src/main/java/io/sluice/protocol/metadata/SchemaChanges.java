package io.sluice.protocol.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.metadata.v1.AddColumn;
import io.sluice.protocol.metadata.v1.ChangeColumnType;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.ColumnPosition;
import io.sluice.protocol.metadata.v1.DropColumn;
import io.sluice.protocol.metadata.v1.MakeNullable;
import io.sluice.protocol.metadata.v1.MoveColumn;
import io.sluice.protocol.metadata.v1.RenameColumn;
import io.sluice.protocol.metadata.v1.SetColumnComment;
import io.sluice.protocol.metadata.v1.SetWriteDefault;
import io.sluice.protocol.metadata.v1.TableChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link SchemaChange} to and from its protobuf form, in which types are SQL text. */
public final class SchemaChanges {
  private SchemaChanges() {}

  /** The message of a change. */
  public static TableChange toProto(SchemaChange change) {
    TableChange.Builder message = TableChange.newBuilder();
    if (change instanceof SchemaChange.Add add) {
      message.setAddColumn(toProto(add));
    } else if (change instanceof SchemaChange.Drop drop) {
      message.setDropColumn(DropColumn.newBuilder().addAllPath(drop.path()));
    } else if (change instanceof SchemaChange.Rename rename) {
      message.setRenameColumn(
          RenameColumn.newBuilder().addAllPath(rename.path()).setNewName(rename.newName()));
    } else if (change instanceof SchemaChange.ChangeType type) {
      message.setChangeType(
          ChangeColumnType.newBuilder()
              .addAllPath(type.path())
              .setNewType(type.newType().toString()));
    } else if (change instanceof SchemaChange.MakeNullable nullable) {
      message.setMakeNullable(MakeNullable.newBuilder().addAllPath(nullable.path()));
    } else if (change instanceof SchemaChange.SetDefault value) {
      SetWriteDefault.Builder set = SetWriteDefault.newBuilder().addAllPath(value.path());
      if (value.value() != null) {
        set.setValue(value.value());
      }
      message.setSetDefault(set);
    } else if (change instanceof SchemaChange.SetComment comment) {
      message.setSetComment(
          SetColumnComment.newBuilder().addAllPath(comment.path()).setComment(comment.comment()));
    } else {
      SchemaChange.Move move = (SchemaChange.Move) change;
      message.setMoveColumn(
          MoveColumn.newBuilder().addAllPath(move.path()).setPosition(toProto(move.position())));
    }
    return message.build();
  }

  private static AddColumn toProto(SchemaChange.Add add) {
    ColumnDef.Builder column =
        ColumnDef.newBuilder()
            .setName(add.name())
            .setType(add.type().toString())
            .setNotNull(!add.nullable())
            .setComment(add.comment());
    if (add.defaultValue() != null) {
      column.setWriteDefault(add.defaultValue());
    }
    return AddColumn.newBuilder()
        .addAllParent(add.parent())
        .setColumn(column)
        .setPosition(toProto(add.position()))
        .build();
  }

  private static ColumnPosition toProto(SchemaChange.Position position) {
    ColumnPosition.Builder message = ColumnPosition.newBuilder();
    if (position instanceof SchemaChange.Position.After after) {
      return message.setAfter(after.sibling()).build();
    }
    return position instanceof SchemaChange.Position.First
        ? message.setFirst(true).build()
        : message.setLast(true).build();
  }

  /**
   * The change of columns that the message is, or null when it is about the table itself.
   *
   * @throws SluiceException INVALID_ALTER when it is no change, INVALID_SCHEMA when a type cannot
   *     be read
   */
  public static @Nullable SchemaChange toChange(TableChange message) {
    return switch (message.getChangeCase()) {
      case ADD_COLUMN -> add(message.getAddColumn());
      case DROP_COLUMN -> new SchemaChange.Drop(path(message.getDropColumn().getPathList()));
      case RENAME_COLUMN ->
          new SchemaChange.Rename(
              path(message.getRenameColumn().getPathList()),
              message.getRenameColumn().getNewName());
      case CHANGE_TYPE -> {
        List<String> path = path(message.getChangeType().getPathList());
        yield new SchemaChange.ChangeType(
            path, type(String.join(".", path), message.getChangeType().getNewType()));
      }
      case MAKE_NULLABLE ->
          new SchemaChange.MakeNullable(path(message.getMakeNullable().getPathList()));
      case SET_DEFAULT -> {
        SetWriteDefault set = message.getSetDefault();
        yield new SchemaChange.SetDefault(
            path(set.getPathList()), set.hasValue() ? set.getValue() : null);
      }
      case SET_COMMENT ->
          new SchemaChange.SetComment(
              path(message.getSetComment().getPathList()), message.getSetComment().getComment());
      case MOVE_COLUMN ->
          new SchemaChange.Move(
              path(message.getMoveColumn().getPathList()),
              position(message.getMoveColumn().getPosition()));
      case SET_OPTION, RESET_OPTION, TABLE_COMMENT -> null;
      case CHANGE_NOT_SET ->
          throw new SluiceException(
              ErrorCode.INVALID_ALTER, "A change of the request is empty or unknown to this build");
    };
  }

  private static SchemaChange.Add add(AddColumn message) {
    ColumnDef column = message.getColumn();
    return new SchemaChange.Add(
        message.getParentList(),
        column.getName(),
        type(column.getName(), column.getType()),
        !column.getNotNull(),
        column.getComment(),
        column.hasWriteDefault() ? column.getWriteDefault() : null,
        position(message.getPosition()));
  }

  private static SchemaChange.Position position(ColumnPosition message) {
    return switch (message.getPositionCase()) {
      case FIRST -> new SchemaChange.Position.First();
      case AFTER -> new SchemaChange.Position.After(message.getAfter());
      case LAST, POSITION_NOT_SET -> new SchemaChange.Position.Last();
    };
  }

  private static List<String> path(List<String> path) {
    if (path.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ALTER, "A change of the request names no column; its path is empty");
    }
    return path;
  }

  private static DataType type(String column, String text) {
    try {
      return DataTypeParser.parse(text);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), "Column '" + column + "': " + e.getMessage(), e);
    }
  }
}

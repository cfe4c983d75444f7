package io.sluice.format.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of a table's columns. A path names a column: one name for a column of the table; for a
 * nested field the names on the way to it, {@code element} for the elements of an ARRAY, {@code
 * key} and {@code value} for those of a MAP.
 */
public sealed interface SchemaChange {

  /** Where a column goes among its siblings. */
  sealed interface Position {
    /** Before all siblings. */
    record First() implements Position {}

    /** Behind that sibling. */
    record After(String sibling) implements Position {}

    /** Behind all siblings. */
    record Last() implements Position {}
  }

  /**
   * Adds a column, or a field of a ROW.
   *
   * @param parent path of the ROW, empty for the table
   * @param defaultValue canonical text of initial and write default, null for NULL
   */
  record Add(
      List<String> parent,
      String name,
      DataType type,
      boolean nullable,
      String comment,
      @Nullable String defaultValue,
      Position position)
      implements SchemaChange {
    public Add {
      parent = List.copyOf(parent);
    }
  }

  /** Drops a column or field. */
  record Drop(List<String> path) implements SchemaChange {
    public Drop {
      path = List.copyOf(path);
    }
  }

  /** Renames a column or field. */
  record Rename(List<String> path, String newName) implements SchemaChange {
    public Rename {
      path = List.copyOf(path);
    }
  }

  /** Widens a type. */
  record ChangeType(List<String> path, DataType newType) implements SchemaChange {
    public ChangeType {
      path = List.copyOf(path);
    }
  }

  /** Allows NULL where it was not. */
  record MakeNullable(List<String> path) implements SchemaChange {
    public MakeNullable {
      path = List.copyOf(path);
    }
  }

  /** Sets the write default, null for NULL. */
  record SetDefault(List<String> path, @Nullable String value) implements SchemaChange {
    public SetDefault {
      path = List.copyOf(path);
    }
  }

  /** Sets the comment. */
  record SetComment(List<String> path, String comment) implements SchemaChange {
    public SetComment {
      path = List.copyOf(path);
    }
  }

  /** Moves a column or field among its siblings. */
  record Move(List<String> path, Position position) implements SchemaChange {
    public Move {
      path = List.copyOf(path);
    }
  }
}

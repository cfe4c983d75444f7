package io.sluice.cli.table;

import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.UsageException;
import io.sluice.format.schema.SchemaChange.Position;
import java.util.Optional;

/**
 * Where a column goes, and what is said of it.
 *
 * @param position its place, if one was given
 * @param comment what it holds, empty when not said
 */
record ColumnPlace(Optional<Position> position, String comment) {
  /** Reads it; UsageException when the action has no use for it. */
  static ColumnPlace of(Arguments arguments, AlterAction action) {
    boolean first = arguments.has("--first");
    Optional<String> after = arguments.value("--after");
    Optional<String> comment = arguments.value("--comment");
    if (first && after.isPresent()) {
      throw new UsageException("--first and --after do not go together");
    }
    boolean placed = first || after.isPresent();
    if (placed && action != AlterAction.ADD_COLUMN && action != AlterAction.MOVE) {
      throw new UsageException("--first and --after belong to add-column and move");
    }
    if (comment.isPresent() && action != AlterAction.ADD_COLUMN) {
      throw new UsageException("--comment belongs to add-column; see comment-column");
    }
    Optional<Position> position =
        first
            ? Optional.of(new Position.First())
            : after.map(path -> new Position.After(path.substring(path.lastIndexOf('.') + 1)));
    return new ColumnPlace(position, comment.orElse(""));
  }
}

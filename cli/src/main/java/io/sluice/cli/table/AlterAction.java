package io.sluice.cli.table;

import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaChange.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What {@code alter} can do, and how its words are read. */
enum AlterAction {
  ADD_COLUMN("\"NAME TYPE [NOT NULL] [DEFAULT VALUE]\"...", "new columns, or fields of a ROW"),
  DROP_COLUMN("NAME...", "columns or fields; their values are gone"),
  RENAME_COLUMN("NAME NEW_NAME", "values stay"),
  WIDEN("NAME TYPE", "for example INT to BIGINT, FLOAT to DOUBLE"),
  MAKE_NULLABLE("NAME...", "NOT NULL no longer"),
  SET_DEFAULT("NAME=VALUE", "what writers store that leave the column out"),
  DROP_DEFAULT("NAME...", "they store NULL"),
  COMMENT_COLUMN("NAME TEXT", "what the column holds"),
  MOVE("NAME --first | --after COLUMN", "to another place"),
  SET_OPTION("KEY=VALUE...", "options of the table"),
  RESET_OPTION("KEY...", "back to their defaults"),
  COMMENT("TEXT", "what the table holds");

  private static final int USAGE_WIDTH = 58;

  private final String takes;
  private final String help;

  AlterAction(String takes, String help) {
    this.takes = takes;
    this.help = help;
  }

  /** The action of that name; UsageException with the nearest one. */
  static AlterAction of(String word) {
    for (AlterAction action : values()) {
      if (action.word().equals(word)) {
        return action;
      }
    }
    List<String> known = Arrays.stream(values()).map(AlterAction::word).toList();
    throw new UsageException(
        "unknown action "
            + word
            + NearestName.suggestion(word, known)
            + " (there are "
            + String.join(", ", known)
            + ")");
  }

  /** As it is written. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A line of help. */
  String usage() {
    String left = word() + " " + takes;
    return left + " ".repeat(Math.max(2, USAGE_WIDTH - left.length())) + help;
  }

  /** The changes of columns that it stands for. */
  List<SchemaChange> changes(List<String> words, ColumnPlace place) {
    return switch (this) {
      case ADD_COLUMN -> added(words, place);
      case DROP_COLUMN -> each(words, SchemaChange.Drop::new);
      case MAKE_NULLABLE -> each(words, SchemaChange.MakeNullable::new);
      case DROP_DEFAULT -> each(words, path -> new SchemaChange.SetDefault(path, null));
      case RENAME_COLUMN -> {
        exactly(words, 2);
        yield List.of(renamed(path(words.get(0)), path(words.get(1))));
      }
      case WIDEN -> {
        atLeast(words, 2);
        String type = String.join(" ", words.subList(1, words.size()));
        yield List.of(
            new SchemaChange.ChangeType(path(words.get(0)), ColumnText.type(words.get(0), type)));
      }
      case SET_DEFAULT -> {
        exactly(words, 1);
        KeyValue value = KeyValue.parse(word(), words.get(0));
        yield List.of(
            new SchemaChange.SetDefault(path(value.key()), ColumnText.plain(value.value())));
      }
      case COMMENT_COLUMN -> {
        atLeast(words, 2);
        yield List.of(
            new SchemaChange.SetComment(
                path(words.get(0)), String.join(" ", words.subList(1, words.size()))));
      }
      case MOVE -> {
        exactly(words, 1);
        Position position =
            place
                .position()
                .orElseThrow(() -> new UsageException("move needs --first or --after COLUMN"));
        yield List.of(new SchemaChange.Move(path(words.get(0)), position));
      }
      case SET_OPTION, RESET_OPTION, COMMENT ->
          throw new IllegalStateException(word() + " changes no column");
    };
  }

  private static List<SchemaChange> added(List<String> words, ColumnPlace place) {
    if (words.size() > 1 && (place.position().isPresent() || !place.comment().isEmpty())) {
      throw new UsageException("--first, --after and --comment go with one column at a time");
    }
    List<SchemaChange> changes = new ArrayList<>();
    for (String word : words) {
      ColumnText column = ColumnText.parse(word);
      List<String> path = path(column.name());
      changes.add(
          new SchemaChange.Add(
              path.subList(0, path.size() - 1),
              path.get(path.size() - 1),
              column.type(),
              !column.required(),
              place.comment(),
              column.defaultValue(),
              place.position().orElse(new Position.Last())));
    }
    return changes;
  }

  /** The new name may be written with or without the way to it. */
  private static SchemaChange renamed(List<String> path, List<String> renamed) {
    int last = renamed.size() - 1;
    if (last > 0 && !renamed.subList(0, last).equals(path.subList(0, path.size() - 1))) {
      throw new UsageException(
          String.join(".", path)
              + " stays where it is; "
              + String.join(".", renamed)
              + " lies in another ROW");
    }
    return new SchemaChange.Rename(path, renamed.get(last));
  }

  /** Makes a change of the column with a path. */
  private interface ByPath {
    SchemaChange of(List<String> path);
  }

  private static List<SchemaChange> each(List<String> words, ByPath change) {
    return words.stream().map(word -> change.of(path(word))).toList();
  }

  private static List<String> path(String text) {
    List<String> path = List.of(text.split("\\.", -1));
    if (path.contains("")) {
      throw new UsageException("'" + text + "' is no name of a column or path of a field");
    }
    return path;
  }

  private void exactly(List<String> words, int count) {
    if (words.size() != count) {
      throw wrongCount();
    }
  }

  private void atLeast(List<String> words, int count) {
    if (words.size() < count) {
      throw wrongCount();
    }
  }

  private UsageException wrongCount() {
    return new UsageException(word() + " takes " + takes);
  }
}

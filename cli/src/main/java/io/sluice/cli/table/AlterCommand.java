package io.sluice.cli.table;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.client.Admin;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.schema.SchemaChange;
import java.util.List;
import java.util.Map;

/** {@code sluice alter TABLE ACTION ...}: changes columns, options or the comment of a table. */
public final class AlterCommand implements Command {
  @Override
  public CommandLine commandLine() {
    CommandLine.Builder line =
        CommandLine.of("alter", "Changes columns, options or the comment of a table")
            .required("TABLE", "name as database.table")
            .required("ACTION", "what to do, see ./sluice help alter")
            .rest("WORD", "what the action takes")
            .flag("--first", "for add-column and move: before all other columns")
            .option("--after", "COLUMN", "for add-column and move: behind that column")
            .option("--comment", "TEXT", "for add-column: what it holds")
            .note("Actions:");
    for (AlterAction action : AlterAction.values()) {
      line.note("  " + action.usage());
    }
    return line.note("")
        .note("A field of a ROW is named by its path, for example address.city; inside of an ARRAY")
        .note("by tags.element.name, inside of a MAP by prices.value.amount.")
        .note("For example: ./sluice alter demo.readings add-column \"unit STRING DEFAULT 'C'\"")
        .note("             ./sluice alter demo.readings set-option table.log.ttl=3d")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    TablePath path = TablePath.parse(arguments.required("TABLE"));
    AlterAction action = AlterAction.of(arguments.required("ACTION"));
    List<String> words = arguments.rest();
    ColumnPlace place = ColumnPlace.of(arguments, action);
    String done;
    if (action == AlterAction.SET_OPTION) {
      Map<String, String> options = KeyValue.options("set-option", words);
      run(context, admin -> admin.alterOptions(path, options, List.of()));
      done = "Set " + String.join(", ", options.keySet()) + " of " + path;
    } else if (action == AlterAction.RESET_OPTION) {
      run(context, admin -> admin.alterOptions(path, Map.of(), words));
      done = "Reset " + String.join(", ", words) + " of " + path;
    } else if (action == AlterAction.COMMENT) {
      run(context, admin -> admin.alterComment(path, String.join(" ", words)));
      done = "Changed the comment of " + path;
    } else {
      List<SchemaChange> changes = action.changes(words, place);
      TableDescription altered = run(context, admin -> admin.alterTable(path, changes));
      done = "Altered " + path + "; its schema has the id " + altered.schema().schemaId();
    }
    context.terminal().line(done);
    return 0;
  }

  /** What is asked of the coordinator. */
  private interface Question {
    TableDescription ask(Admin admin);
  }

  private static TableDescription run(CommandContext context, Question question) {
    try (Connection connection = Connection.open(context.settings().client())) {
      return question.ask(connection.admin());
    }
  }
}

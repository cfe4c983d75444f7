package io.sluice.cli.demo;

import io.sluice.cli.CommandContext;
import io.sluice.cli.sql.SqlClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.common.TablePath;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** {@code sluice demo uv}: distinct users by bitmaps, end to end, with a check of every table. */
final class UvDemo {
  /** Lookups of one new user that are under way at the same time. */
  private static final int AT_ONCE = 16;

  private static final int ID = 1;

  private final CommandContext context;
  private final DemoOutput output;

  UvDemo(CommandContext context) {
    this.context = context;
    this.output = new DemoOutput(context.terminal(), context.time());
  }

  /** Runs it and returns the exit code. */
  int run() throws IOException {
    Terminal terminal = context.terminal();
    long start = context.time().nanoTime();
    terminal.line("Sluice demo: distinct users by bitmaps that are merged on write");
    String script = Files.readString(context.settings().repository().resolve(UvRun.SCRIPT));
    SqlClient client = new SqlClient(context.settings().endpoints().sql());
    SqlClient.Options options = new SqlClient.Options(UvRun.DATABASE, 0, false);
    boolean passed;
    try (Connection connection = Connection.open(context.settings().client())) {
      dropLeftovers(connection, client);
      passed = new UvRun(output, statement -> client.run(statement, options)).run(script);
      passed &= lookUpOrInsert(connection);
    }
    terminal.blank();
    String took = " in " + Figures.duration(context.time().nanoTime() - start);
    terminal.line(
        passed
            ? terminal.green("PASS") + took + ": every table is as it must be"
            : terminal.red("FAILED") + took + ": see above");
    return passed ? 0 : 1;
  }

  private static void dropLeftovers(Connection connection, SqlClient client) {
    client.run("CREATE DATABASE IF NOT EXISTS " + UvRun.DATABASE, SqlClient.Options.NONE);
    for (String name : List.of(UvRun.DICTIONARY, UvRun.BITMAPS)) {
      TablePath path = new TablePath(UvRun.DATABASE, name);
      if (new OwnTable(path, UvRun.COMMENT, false).isThere(connection.admin())) {
        client.run("DROP TABLE IF EXISTS " + path, SqlClient.Options.NONE);
      }
    }
  }

  /** What a stream of events does instead of filling the dictionary before. */
  private boolean lookUpOrInsert(Connection connection) {
    output.step("For a stream: look users up, and number those that are new, in one request");
    output.code("lookuper.lookupOrInsert(Key.of(\"user_6\"))   // Java");
    String table = UvRun.DATABASE + "." + UvRun.DICTIONARY;
    Set<Integer> ids = new TreeSet<>();
    int known;
    long nanos;
    try (Lookuper lookuper = connection.table(table).lookuper()) {
      known = lookuper.findOrInsert(Key.of("user_1")).getInt(ID);
      List<CompletableFuture<Integer>> lookups = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < AT_ONCE; i++) {
        lookups.add(lookuper.lookupOrInsert(Key.of("user_6")).thenApply(row -> row.getInt(ID)));
      }
      lookups.forEach(lookup -> ids.add(lookup.join()));
      nanos = System.nanoTime() - start;
    }
    output.fact("user_1", "uid " + known, "was there");
    output.fact(
        "user_6",
        "uid " + ids.stream().map(String::valueOf).toList(),
        AT_ONCE + " lookups at once, in " + Figures.duration(nanos));
    boolean right = ids.size() == 1 && !ids.contains(known);
    output.verdict(right, "a new user gets one id, however many ask at once");
    return right;
  }
}

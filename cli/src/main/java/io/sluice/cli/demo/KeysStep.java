package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Loads a table with a primary key by upserts, looks rows up, renames one and deletes one, and
 * shows what the changelog has of the two. Whatever differs from the file ends the demo.
 */
final class KeysStep {
  private static final List<String> LOOKED_UP =
      List.of("ATL", "ORD", "DFW", "LAX", "PHX", "DEN", "SFO", "JFK", "SEA", "BOS");

  private final DemoOutput output;
  private final AirportsTable airports;
  private final Map<String, Airport> file = new TreeMap<>();

  KeysStep(DemoOutput output, AirportsTable airports, List<Airport> file) {
    this.output = output;
    this.airports = airports;
    file.forEach(airport -> this.file.put(airport.iata(), airport));
  }

  void run() {
    load();
    lookUp();
    change();
  }

  private void load() {
    output.step("Load " + AirportsTable.PATH + ", a table with a primary key, by upserts");
    output.fact("primary key", "iata", "");
    long start = System.nanoTime();
    try (UpsertWriter writer = airports.table().upsertWriter()) {
      file.values().forEach(airport -> writer.upsert(airport.row()));
      writer.flush();
    }
    long nanos = System.nanoTime() - start;
    output.fact(
        "upserted",
        Figures.count(file.size()) + " rows in " + Figures.duration(nanos),
        "each is looked up on the server: is its key new?");
  }

  private void lookUp() {
    output.step("Look ten airports up by their codes");
    TextTable table =
        new TextTable().left("iata").left("name").left("city").left("state").right("latitude");
    long nanos;
    try (Lookuper lookuper = airports.table().lookuper()) {
      // The first one opens the connection.
      requireSame("Airport ATL", ofFile("ATL"), airport(lookuper.find(Key.of("ATL"))));
      long start = System.nanoTime();
      Map<String, CompletableFuture<Optional<Row>>> lookups = new LinkedHashMap<>();
      LOOKED_UP.forEach(iata -> lookups.put(iata, lookuper.lookup(Key.of(iata))));
      lookups.values().forEach(CompletableFuture::join);
      nanos = System.nanoTime() - start;
      lookups.forEach(
          (iata, row) -> {
            Airport found = airport(row.join());
            requireSame("Airport " + iata, ofFile(iata), found);
            table.row(
                found.iata(),
                found.name(),
                found.city(),
                found.state(),
                String.format("%.4f", found.latitude()));
          });
    }
    output.table(table);
    output.fact(
        "ten lookups", Figures.duration(nanos), "sent one after another, answered together");
  }

  private void change() {
    output.step("Rename one, delete one, and read the changelog");
    String renamed = AirportsCheck.RENAMED;
    String deleted = AirportsCheck.DELETED;
    WriterOptions nameOnly = WriterOptions.defaults().partial("iata", "name");
    try (UpsertWriter names = airports.table().upsertWriter(nameOnly);
        UpsertWriter rows = airports.table().upsertWriter()) {
      names.upsert(Row.of(renamed, AirportsCheck.NEW_NAME));
      rows.delete(Key.of(deleted));
      names.flush();
      rows.flush();
    }
    Airport before = ofFile(renamed);
    Airport gone = ofFile(deleted);
    try (Lookuper lookuper = airports.table().lookuper()) {
      requireSame(
          "Airport " + renamed,
          before.renamed(AirportsCheck.NEW_NAME),
          airport(lookuper.find(Key.of(renamed))));
      requireSame("Airport " + deleted, Optional.empty(), lookuper.find(Key.of(deleted)));
    }
    List<AirportsTable.Change> expected =
        List.of(
            new AirportsTable.Change(ChangeType.INSERT, before),
            new AirportsTable.Change(ChangeType.UPDATE_BEFORE, before),
            new AirportsTable.Change(
                ChangeType.UPDATE_AFTER, before.renamed(AirportsCheck.NEW_NAME)),
            new AirportsTable.Change(ChangeType.INSERT, gone),
            new AirportsTable.Change(ChangeType.DELETE, gone));
    List<AirportsTable.Change> found = new ArrayList<>();
    List<AirportsTable.Change> changelog = airports.changelog(Set.of(renamed, deleted));
    for (String iata : List.of(renamed, deleted)) {
      changelog.stream().filter(each -> each.airport().iata().equals(iata)).forEach(found::add);
    }
    show(found);
    requireSame("The changelog", expected, found);
    output.note("Lookups right after the answer saw both changes; the rest is checked at the end.");
  }

  private void show(List<AirportsTable.Change> changelog) {
    TextTable table = new TextTable().left("change").left("iata").left("name").left("city");
    for (AirportsTable.Change each : changelog) {
      table.row(
          each.type().shortText(),
          each.airport().iata(),
          each.airport().name(),
          each.airport().city());
    }
    output.table(table);
  }

  private Airport ofFile(String iata) {
    Airport airport = file.get(iata);
    if (airport == null) {
      throw new CliException("Airport " + iata + " is not in the file");
    }
    return airport;
  }

  private static Airport airport(Optional<Row> row) {
    return row.map(Airport::of)
        .orElseThrow(() -> new CliException("An airport of the file is not in the table"));
  }

  private static void requireSame(String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new CliException(what + " is " + found + "; it must be " + expected);
    }
  }
}

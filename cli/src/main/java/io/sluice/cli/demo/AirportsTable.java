package io.sluice.cli.demo;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.common.TablePath;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The primary-key table {@code demo.airports} in the cluster. */
final class AirportsTable {
  static final TablePath PATH = new TablePath("demo", "airports");
  static final OwnTable OWN =
      new OwnTable(PATH, "Airports of the demo; dropped when the demo runs again", false);

  private static final Duration POLL = Duration.ofSeconds(1);

  private final Connection connection;

  AirportsTable(Connection connection) {
    this.connection = connection;
  }

  Table table() {
    return connection.table(PATH.toString());
  }

  /** The rows as they are now, by their keys. */
  Map<String, Airport> currentRows() {
    Map<String, Airport> rows = new TreeMap<>();
    try (LogScanner scanner = table().scan().current().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            for (Row row : batch.rows()) {
              rows.put(row.getString(0), Airport.of(row));
            }
          }
        }
      }
    }
    return rows;
  }

  /** A record of the changelog. */
  record Change(ChangeType type, Airport airport) {}

  /** The changelog of these keys, in the order in which each key changed. */
  List<Change> changelog(Set<String> keys) {
    List<Change> changes = new ArrayList<>();
    try (LogScanner scanner = table().scan().fromEarliest().withChangeType().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            List<ChangeType> types = batch.changeTypes();
            int at = 0;
            for (Row row : batch.rows()) {
              ChangeType type = types.get(at++);
              if (keys.contains(row.getString(0))) {
                changes.add(new Change(type, Airport.of(row)));
              }
            }
          }
        }
      }
    }
    return changes;
  }
}

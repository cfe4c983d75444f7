package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Primary-key tables through the Java client, with buckets on two tablets. */
final class PrimaryKeyIT {
  private static final int KEYS = 500;

  private Connection connection;

  @BeforeEach
  void connect() {
    connection = LocalCluster.shared().connect();
    connection.admin().createDatabase("keys", true);
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  @Test
  void whatWasAcknowledgedIsSeenByLookupsAndByAScanOfCurrentRows() {
    Seeds.run(
        2,
        (seed, random) -> {
          Table table = create("model_" + seed);
          Map<Integer, String> model = new HashMap<>();
          try (UpsertWriter writer = table.upsertWriter();
              UpsertWriter names = table.upsertWriter(WriterOptions.defaults().partial("id", "b"));
              Lookuper lookuper = table.lookuper()) {
            for (int round = 0; round < 20; round++) {
              change(writer, names, random, model);
              for (int probe = 0; probe < 50; probe++) {
                int id = random.nextInt(KEYS);
                assertThat(text(lookuper.find(Key.of(id)))).isEqualTo(model.get(id));
              }
            }
          }
          assertThat(currentRows(table)).isEqualTo(model);
        });
  }

  @Test
  void theChangelogTellsEveryChange() {
    Table table = create("changelog");
    try (UpsertWriter writer = table.upsertWriter()) {
      writer.upsert(Row.of(1, "x", null));
      writer.flush();
      writer.upsert(Row.of(1, "y", null));
      writer.flush();
      writer.upsert(Row.of(1, "y", null));
      writer.flush();
      writer.delete(Key.of(1));
      writer.delete(Key.of(2));
      writer.flush();
    }
    StringBuilder changes = new StringBuilder();
    scan(
        table.scan().withChangeType(),
        row -> changes.append(row.getString(3)).append(row.getString(1)).append(' '));
    assertThat(changes.toString()).isEqualTo("+Ix -Ux +Uy -Dy ");
  }

  /** A small change of large rows: the rows before and after do not fit one batch together. */
  @Test
  void aPutWhoseChangesAreTooLargeIsSplitAndArrivesOnce() {
    Table table = create("large", 1);
    int rows = 8;
    try (UpsertWriter writer = table.upsertWriter(WriterOptions.defaults().batchBytes(1 << 20))) {
      for (int id = 0; id < rows; id++) {
        writer.upsert(Row.of(id, noise(id), null));
        writer.flush();
      }
    }
    WriterOptions oneBatch =
        WriterOptions.named("halves").partial("id", "b").linger(Duration.ofMinutes(1));
    for (int times = 0; times < 2; times++) {
      try (UpsertWriter names = table.upsertWriter(oneBatch)) {
        for (int id = 0; id < rows; id++) {
          names.upsert(10L * id, Row.of(id, "b" + id));
        }
        names.flush();
        assertThat(names.committedSequence()).isEqualTo(10L * (rows - 1));
      }
    }
    List<String> changes = new ArrayList<>();
    scan(
        table.scan().columns("b").withChangeType(),
        row -> changes.add(row.getString(1) + (row.isNull(0) ? "" : row.getString(0))));
    List<String> expected = new ArrayList<>(Collections.nCopies(rows, "+I"));
    for (int id = 0; id < rows; id++) {
      expected.add("-U");
      expected.add("+Ub" + id);
    }
    assertThat(changes).isEqualTo(expected);
  }

  private static String noise(int seed) {
    StringBuilder text = new StringBuilder();
    new SplittableRandom(seed).ints(600_000, ' ', 127).forEach(c -> text.append((char) c));
    return text.toString();
  }

  @Test
  void aWriterOfTheWrongKindIsRefusedNamingTheRightOne() {
    Table table = create("kinds");
    assertThatThrownBy(table::appendWriter)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("keys.kinds")
        .hasMessageContaining("upsertWriter");
    connection.admin().createTable(TableSpec.of("keys.plain").requiredColumn("id", "INT").build());
    assertThatThrownBy(() -> connection.table("keys.plain").lookuper())
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("keys.plain");
  }

  private Table create(String name) {
    return create(name, 4);
  }

  private Table create(String name, int buckets) {
    connection
        .admin()
        .createTable(
            TableSpec.of("keys." + name)
                .requiredColumn("id", "INT")
                .column("a", "STRING")
                .column("b", "STRING")
                .primaryKey("id")
                .buckets(buckets)
                .build());
    return connection.table("keys." + name);
  }

  /** Some upserts, deletes and partial updates, acknowledged; the two writers take turns. */
  private static void change(
      UpsertWriter writer,
      UpsertWriter names,
      SplittableRandom random,
      Map<Integer, String> model) {
    for (int i = 0; i < 100; i++) {
      int id = random.nextInt(KEYS);
      if (random.nextInt(4) == 0) {
        writer.delete(Key.of(id));
        model.remove(id);
      } else {
        writer.upsert(Row.of(id, "a" + i, null));
        model.put(id, "a" + i + "|null");
      }
    }
    writer.flush();
    for (int i = 0; i < 30; i++) {
      int id = random.nextInt(KEYS);
      names.upsert(Row.of(id, "b" + i));
      model.merge(
          id,
          "null|b" + i,
          (old, fresh) -> old.substring(0, old.indexOf('|')) + fresh.substring(4));
    }
    names.flush();
  }

  private static Map<Integer, String> currentRows(Table table) {
    Map<Integer, String> rows = new HashMap<>();
    scan(table.scan().current(), row -> rows.put(row.getInt(0), text(Optional.of(row))));
    return rows;
  }

  private static void scan(Scan scan, java.util.function.Consumer<Row> each) {
    try (LogScanner scanner = scan.open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(Duration.ofSeconds(5))) {
          try (batch) {
            batch.rows().forEach(each);
          }
        }
      }
    }
  }

  private static String text(Optional<Row> found) {
    return found
        .map(
            row ->
                (row.isNull(1) ? "null" : row.getString(1))
                    + "|"
                    + (row.isNull(2) ? "null" : row.getString(2)))
        .orElse(null);
  }
}

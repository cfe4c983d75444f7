package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random tables of every type, written by our client, come back as written; copied by pyarrow from
 * one table to another, too.
 */
final class RandomTypesIT {
  private static final String DATABASE = "random_types";
  private static final int TABLES = Boolean.getBoolean("sluice.soak") ? 300 : 12;
  private static final int ROWS = 120;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final LocalCluster cluster = LocalCluster.shared();

  @Test
  void rowsComeBackAsWritten() {
    Seeds.run(
        TABLES,
        (seed, random) -> {
          try (Connection connection = cluster.connect()) {
            Case table = write(connection, "java_" + seed, random);
            assertThat(read(connection, table.path(), table.types())).isEqualTo(table.rows());
          }
        });
  }

  @Test
  void rowsThatPyarrowReadsAndUploadsAreTheSame() {
    Python python = Python.orSkip();
    List<Case> cases = new ArrayList<>();
    List<String> arguments =
        new ArrayList<>(List.of("grpc://127.0.0.1:" + cluster.flightPort(1), DATABASE));
    try (Connection connection = cluster.connect()) {
      Seeds.run(
          TABLES,
          (seed, random) -> {
            Case table = write(connection, "python_" + seed, random.split());
            create(connection, table.path() + "_copy", table.types(), table.nullable());
            cases.add(table);
            arguments.add("python_" + seed);
          });
      Python.Result result =
          python.runScript(
              TIMEOUT,
              "system-tests/src/test/python/copy_table.py",
              arguments.toArray(String[]::new));
      assertThat(result.exitCode()).as("%s", result.output()).isZero();
      for (Case table : cases) {
        assertThat(read(connection, table.path() + "_copy", table.types()))
            .as("%s %s", table.path(), table.types())
            .isEqualTo(table.rows());
      }
    }
  }

  private record Case(
      String path, List<DataType> types, List<Boolean> nullable, List<List<String>> rows) {}

  private static Case write(Connection connection, String name, SplittableRandom random) {
    RandomTables tables = new RandomTables(random);
    List<DataType> types = new ArrayList<>();
    List<Boolean> nullable = new ArrayList<>();
    int columns = 1 + random.nextInt(12);
    for (int i = 0; i < columns; i++) {
      types.add(tables.type(random.nextInt(4)));
      nullable.add(random.nextInt(4) > 0);
    }
    String path = DATABASE + "." + name;
    create(connection, path, types, nullable);
    BatchCodec codec = BatchCodec.values()[random.nextInt(BatchCodec.values().length)];
    List<List<String>> rows = new ArrayList<>();
    try (AppendWriter writer =
        connection.table(path).appendWriter(WriterOptions.defaults().codec(codec))) {
      for (int row = 0; row < ROWS; row++) {
        Object[] values = new Object[columns];
        for (int i = 0; i < columns; i++) {
          values[i] = tables.valueOrNull(types.get(i), nullable.get(i));
        }
        Row written = Row.of(values);
        rows.add(texts(written, types));
        writer.append(written);
        if (random.nextInt(30) == 0) {
          writer.flush();
        }
      }
    }
    return new Case(path, types, nullable, rows);
  }

  private static void create(
      Connection connection, String path, List<DataType> types, List<Boolean> nullable) {
    connection.admin().createDatabase(DATABASE, true);
    TableSpec.Builder spec = TableSpec.of(path).buckets(1);
    for (int i = 0; i < types.size(); i++) {
      spec.column("c" + i, types.get(i), nullable.get(i));
    }
    connection.admin().createTable(spec.build());
  }

  private static List<List<String>> read(Connection connection, String path, List<DataType> types) {
    List<List<String>> rows = new ArrayList<>();
    Scans.read(
        connection.table(path).scan(),
        batch -> batch.rows().forEach(row -> rows.add(texts(row, types))));
    return rows;
  }

  private static List<String> texts(Row row, List<DataType> types) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      texts.add(RandomTables.text(row, i, types.get(i)));
    }
    return texts;
  }
}

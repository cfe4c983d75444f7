package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TypeWidening;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * evolve: tables of random columns that change at random between appends read like a model of them,
 * whole and by some columns; so do rows of writers that were opened some changes ago.
 */
final class RandomEvolutionIT {
  private static final String DATABASE = "random_evolution";
  private static final int TABLES = Boolean.getBoolean("sluice.soak") ? 200 : 8;
  private static final int ROUNDS = 6;

  private final LocalCluster cluster = LocalCluster.shared();

  @Test
  void rowsOfEverySchemaReadRightUnderTheNewest() {
    Seeds.run(
        TABLES,
        (seed, random) -> {
          TablePath path = TablePath.parse(DATABASE + ".t" + seed);
          try (Connection connection = cluster.connect();
              Connection late = cluster.connect()) {
            Model model = new Model(random);
            model.create(connection, path);
            List<ModelColumn> lateColumns = model.columns();
            AppendWriter lateWriter = late.table(path.toString()).appendWriter();
            for (int round = 0; round < ROUNDS; round++) {
              try (Connection fresh = cluster.connect()) {
                try (AppendWriter writer =
                    fresh.table(path.toString()).appendWriter(codec(random))) {
                  model.append(writer, model.columns());
                }
                model.append(lateWriter, lateColumns);
                lateWriter.flush();
              }
              model.change(connection, path);
              model.check(cluster, path);
            }
            lateWriter.close();
          }
        });
  }

  private static WriterOptions codec(SplittableRandom random) {
    BatchCodec[] codecs = BatchCodec.values();
    return WriterOptions.defaults().codec(codecs[random.nextInt(codecs.length)]);
  }

  /**
   * A column now; those of all times have different ids.
   *
   * @param initial what rows that were stored before it read as
   */
  private record ModelColumn(
      int id, String name, DataType type, boolean nullable, String initial) {}

  /** What a table must hold. */
  private static final class Model {
    private final SplittableRandom random;
    private final RandomTables values;
    private final List<ModelColumn> columns = new ArrayList<>();
    private final List<Map<Integer, Object>> rows = new ArrayList<>();
    private int nextId;

    Model(SplittableRandom random) {
      this.random = random;
      this.values = new RandomTables(random);
    }

    List<ModelColumn> columns() {
      return List.copyOf(columns);
    }

    void create(Connection connection, TablePath path) {
      connection.admin().createDatabase(DATABASE, true);
      TableSpec.Builder spec = TableSpec.of(path.toString()).buckets(1);
      for (int left = 2 + random.nextInt(5); left > 0; left--) {
        ModelColumn column = newColumn(random.nextInt(3) > 0, "NULL");
        columns.add(column);
        spec.column(column.name(), column.type(), column.nullable());
      }
      connection.admin().createTable(spec.build());
    }

    private ModelColumn newColumn(boolean nullable, String initial) {
      int id = nextId++;
      return new ModelColumn(id, "c" + id, values.type(random.nextInt(3)), nullable, initial);
    }

    void append(AppendWriter writer, List<ModelColumn> known) {
      for (int left = 1 + random.nextInt(30); left > 0; left--) {
        Map<Integer, Object> row = new HashMap<>();
        Object[] written = new Object[known.size()];
        for (int i = 0; i < written.length; i++) {
          ModelColumn column = known.get(i);
          written[i] = values.valueOrNull(column.type(), column.nullable());
          row.put(column.id(), written[i]);
        }
        rows.add(row);
        writer.append(Row.of(written));
      }
      writer.flush();
    }

    /** One to three changes at once. */
    void change(Connection connection, TablePath path) {
      List<SchemaChange> changes = new ArrayList<>();
      for (int left = 1 + random.nextInt(3); left > 0; left--) {
        changes.add(change());
      }
      connection.admin().alterTable(path, changes);
    }

    private SchemaChange change() {
      int at = random.nextInt(columns.size());
      ModelColumn column = columns.get(at);
      List<String> name = List.of(column.name());
      switch (random.nextInt(6)) {
        case 0:
          if (columns.size() > 1) {
            columns.remove(at);
            return new SchemaChange.Drop(name);
          }
          return add();
        case 1:
          String renamed = "r" + nextId++;
          columns.set(
              at,
              new ModelColumn(
                  column.id(), renamed, column.type(), column.nullable(), column.initial()));
          return new SchemaChange.Rename(name, renamed);
        case 2:
          DataType wide = wider(column.type());
          if (TypeWidening.allowed(column.type(), wide) && !wide.equals(column.type())) {
            columns.set(
                at,
                new ModelColumn(
                    column.id(), column.name(), wide, column.nullable(), column.initial()));
            return new SchemaChange.ChangeType(name, wide);
          }
          return add();
        case 3:
          columns.add(0, columns.remove(at));
          return new SchemaChange.Move(name, new SchemaChange.Position.First());
        default:
          return add();
      }
    }

    /** Nullable columns of any type, and such with a default of some types. */
    private SchemaChange add() {
      ModelColumn column = newColumn(true, "NULL");
      String given = null;
      if (column.type() instanceof IntegerType) {
        given = Integer.toString(random.nextInt(100));
      } else if (column.type() instanceof DataType.StringType) {
        given = "default of " + column.id();
      }
      boolean nullable = given == null;
      column =
          new ModelColumn(
              column.id(), column.name(), column.type(), nullable, given == null ? "NULL" : given);
      if (random.nextBoolean()) {
        columns.add(column);
        return added(column, given, new SchemaChange.Position.Last());
      }
      int behind = random.nextInt(columns.size());
      columns.add(behind + 1, column);
      return added(column, given, new SchemaChange.Position.After(columns.get(behind).name()));
    }

    private static SchemaChange added(
        ModelColumn column, String given, SchemaChange.Position position) {
      return new SchemaChange.Add(
          List.of(), column.name(), column.type(), column.nullable(), "", given, position);
    }

    private DataType wider(DataType type) {
      if (type instanceof IntegerType integer && integer.bits() < 64) {
        return new IntegerType(2 * integer.bits());
      }
      if (type instanceof DecimalType decimal && decimal.precision() < 38) {
        return new DecimalType(
            decimal.precision() + 1 + random.nextInt(38 - decimal.precision()), decimal.scale());
      }
      if (type instanceof DataType.TimeType time && time.precision() < 9) {
        return new DataType.TimeType(time.precision() + 1 + random.nextInt(9 - time.precision()));
      }
      if (type instanceof DataType.TimestampType time && time.precision() < 9) {
        return new DataType.TimestampType(
            time.precision() + 1 + random.nextInt(9 - time.precision()));
      }
      if (type instanceof DataType.TimestampLtzType time && time.precision() < 9) {
        return new DataType.TimestampLtzType(
            time.precision() + 1 + random.nextInt(9 - time.precision()));
      }
      if (type instanceof CharType) {
        return new DataType.StringType();
      }
      if (type instanceof DataType.BinaryType) {
        return new DataType.BytesType();
      }
      return type instanceof DataType.FloatType ? new DataType.DoubleType() : type;
    }

    /** Reads all columns, and some of them in another order. */
    void check(LocalCluster cluster, TablePath path) {
      try (Connection connection = cluster.connect()) {
        assertThat(
                ScannedRows.read(
                    connection.table(path.toString()).scan(), row -> texts(row, columns)))
            .as("%s %s", path, columns)
            .isEqualTo(expected(columns));
        List<ModelColumn> some = new ArrayList<>(columns);
        some.sort(Comparator.comparing(column -> -column.id()));
        List<ModelColumn> chosen = some.subList(0, 1 + random.nextInt(some.size()));
        String[] names = chosen.stream().map(ModelColumn::name).toArray(String[]::new);
        assertThat(
                ScannedRows.read(
                    connection.table(path.toString()).scan().columns(names),
                    row -> texts(row, chosen)))
            .as("%s %s", path, chosen)
            .isEqualTo(expected(chosen));
      }
    }

    private List<List<String>> expected(List<ModelColumn> wanted) {
      List<List<String>> expected = new ArrayList<>();
      for (Map<Integer, Object> row : rows) {
        List<String> texts = new ArrayList<>();
        for (ModelColumn column : wanted) {
          texts.add(
              row.containsKey(column.id())
                  ? RandomTables.text(Row.of(row.get(column.id())), 0, column.type())
                  : column.initial());
        }
        expected.add(texts);
      }
      return expected;
    }

    private static List<String> texts(Row row, List<ModelColumn> wanted) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        texts.add(RandomTables.text(row, i, wanted.get(i).type()));
      }
      return texts;
    }
  }
}

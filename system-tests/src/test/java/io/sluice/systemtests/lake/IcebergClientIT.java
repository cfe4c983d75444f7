package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Iceberg's own Java client, through the REST catalog. */
final class IcebergClientIT {
  private static final String DATABASE = "iceberg_client";

  private final LakeCluster cluster = LakeCluster.shared();
  private Connection connection;
  private Lake lake;

  @BeforeEach
  void connect() {
    connection = cluster.connect();
    lake = cluster.lake();
  }

  @AfterEach
  void disconnect() {
    lake.close();
    connection.close();
  }

  @Test
  void readsTheRowsOfTheLog() {
    TablePath path = new TablePath(DATABASE, "flights");
    connection
        .admin()
        .createTable(
            LakeTables.spec(connection, path)
                .column("date", "TIMESTAMP(0)")
                .column("delay", "INT")
                .column("origin", "STRING")
                .buckets(4)
                .build());
    try (AppendWriter writer = connection.table(path.toString()).appendWriter()) {
      for (int i = 0; i < 5000; i++) {
        writer.append(
            Row.of(
                java.time.LocalDateTime.of(2001, 1, 1, 0, 0).plusMinutes(i),
                i % 13 == 0 ? null : i % 200 - 20,
                "AP" + i % 30));
      }
    }
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(5000);
    LakeTables.append(connection, path, List.of(Row.of(null, 1, "LAST")));
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(5001);
  }

  @Test
  void valuesOfEveryScalarTypeAreTheSame() {
    TablePath path = new TablePath(DATABASE, "scalars");
    ScalarRows.create(LakeTables.spec(connection, path), connection);
    LakeTables.append(connection, path, ScalarRows.rows());
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(ScalarRows.rows().size());

    Table table = lake.table(path).iceberg();
    Map<String, String> types = new TreeMap<>();
    for (Types.NestedField field : table.schema().columns()) {
      types.put(field.name(), field.type() + (field.isRequired() ? " required" : ""));
    }
    assertThat(types).containsAllEntriesOf(ScalarRows.ICEBERG_TYPES);
    List<String> names = table.schema().columns().stream().map(Types.NestedField::name).toList();
    assertThat(names.subList(names.size() - 3, names.size()))
        .containsExactly(LakeTable.BUCKET, LakeTable.OFFSET, LakeTable.TIMESTAMP);
  }

  @Test
  void fieldIdsAreColumnIdsAndFilesCarryStatistics() throws IOException {
    TablePath path = new TablePath(DATABASE, "statistics");
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 100, 200);
    OnceInLake.settle(lake, connection, path);

    Table table = lake.table(path).iceberg();
    connection
        .admin()
        .describe(path)
        .schema()
        .columns()
        .forEach(
            column ->
                assertThat(table.schema().findField(column.name()).fieldId())
                    .isEqualTo(column.id()));
    int id = table.schema().findField("id").fieldId();
    List<Integer> lower = new ArrayList<>();
    try (CloseableIterable<FileScanTask> files = table.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask file : files) {
        lower.add(
            Conversions.fromByteBuffer(Types.IntegerType.get(), file.file().lowerBounds().get(id)));
        assertThat(file.file().nullValueCounts()).containsKey(id);
      }
    }
    assertThat(lower).isNotEmpty().contains(100);
  }

  @Test
  void anEmptyLakeTableReadsAsNoRows() throws IOException {
    TablePath path = new TablePath(DATABASE, "one_row");
    LakeTables.createPlain(connection, path, 8);
    LakeTables.appendPlain(connection, path, 0, 1);
    OnceInLake.settle(lake, connection, path);
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(lake.table(path).iceberg()).select("text").build()) {
      assertThat(rows).hasSize(1);
    }
  }

  @Test
  void managedTableRefusesChangesWithAHint() {
    TablePath path = new TablePath(DATABASE, "managed");
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 0, 10);
    OnceInLake.settle(lake, connection, path);
    Table table = lake.table(path).iceberg();
    TableIdentifier identifier = Lake.identifier(path);

    assertForbidden(
        () -> table.updateSchema().addColumn("extra", Types.IntegerType.get()).commit());
    assertForbidden(() -> table.updateProperties().set("owner", "somebody").commit());
    assertThatThrownBy(() -> table.updateProperties().set("sluice.offsets", "[]").commit())
        .isInstanceOf(ForbiddenException.class)
        .hasMessageContaining("sluice.offsets");
    assertForbidden(
        () ->
            table
                .newDelete()
                .deleteFromRowFilter(org.apache.iceberg.expressions.Expressions.alwaysTrue())
                .commit());
    DataFile strange =
        DataFiles.builder(table.spec())
            .withPath(table.locationProvider().newDataLocation("strange.parquet"))
            .withPartitionPath(LakeTable.BUCKET + "=0")
            .withFileSizeInBytes(100)
            .withRecordCount(1)
            .build();
    assertForbidden(() -> table.newFastAppend().appendFile(strange).commit());
    assertForbidden(() -> lake.catalog().dropTable(identifier, true));
    assertForbidden(
        () ->
            lake.catalog()
                .renameTable(identifier, TableIdentifier.of(identifier.namespace(), "taken")));
    assertThat(OnceInLake.check(lake, connection, path)).isEqualTo(10);

    LakeTables.appendPlain(connection, path, 10, 20);
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(20);
  }

  private static void assertForbidden(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(ForbiddenException.class)
        .hasMessageContaining(DATABASE)
        .hasMessageContaining("Sluice");
  }

  @Test
  void managedTableTakesTags() {
    TablePath path = new TablePath(DATABASE, "tagged");
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 0, 10);
    OnceInLake.settle(lake, connection, path);
    Table table = lake.table(path).iceberg();
    table.manageSnapshots().createTag("first", table.currentSnapshot().snapshotId()).commit();
    LakeTables.appendPlain(connection, path, 10, 20);
    OnceInLake.settle(lake, connection, path);
    assertThat(lake.table(path).iceberg().refs()).containsKey("first");
  }

  @Test
  void tablesOfOthersAreFullyWritable() throws IOException {
    Namespace namespace = Namespace.of("others");
    if (!lake.catalog().namespaceExists(namespace)) {
      lake.catalog().createNamespace(namespace);
    }
    TableIdentifier identifier = TableIdentifier.of(namespace, "free");
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.IntegerType.get()),
            Types.NestedField.optional(2, "text", Types.StringType.get()));
    Table table = lake.catalog().createTable(identifier, schema, PartitionSpec.unpartitioned());
    table.newAppend().appendFile(someFile(table)).commit();
    table.updateSchema().addColumn("more", Types.LongType.get()).commit();
    table.updateProperties().set("owner", "somebody").commit();

    Table loaded = lake.catalog().loadTable(identifier);
    assertThat(loaded.properties()).containsEntry("owner", "somebody");
    try (CloseableIterable<Record> rows = IcebergGenerics.read(loaded).build()) {
      assertThat(rows).singleElement().satisfies(row -> assertThat(row.getField("more")).isNull());
    }
    TableIdentifier renamed = TableIdentifier.of(namespace, "renamed");
    lake.catalog().renameTable(identifier, renamed);
    assertThat(lake.catalog().listTables(namespace)).containsExactly(renamed);
    assertThat(lake.catalog().dropTable(renamed, true)).isTrue();
    assertThatThrownBy(() -> lake.catalog().loadTable(renamed))
        .isInstanceOf(NoSuchTableException.class);
    assertThat(lake.catalog().dropNamespace(namespace)).isTrue();
  }

  /** A file of one row of the table's first two columns. */
  private static DataFile someFile(Table table) {
    try {
      String location = table.locationProvider().newDataLocation("file-of-a-test.parquet");
      DataWriter<Record> writer =
          Parquet.writeData(table.io().newOutputFile(location))
              .forTable(table)
              .createWriterFunc(GenericParquetWriter::create)
              .build();
      try (writer) {
        GenericRecord row = GenericRecord.create(table.schema());
        for (Types.NestedField field : table.schema().columns()) {
          if (field.type().equals(Types.IntegerType.get())) {
            row.setField(field.name(), 7);
          } else if (field.type().equals(Types.LongType.get())) {
            row.setField(field.name(), 7L);
          }
        }
        writer.write(row);
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new IllegalStateException("Cannot write a file", e);
    }
  }
}

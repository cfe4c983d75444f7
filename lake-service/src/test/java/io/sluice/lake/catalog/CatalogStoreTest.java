package io.sluice.lake.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogStoreTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final TableIdentifier TABLE = TableIdentifier.of("a", "t");

  @TempDir private Path directory;

  private CatalogStore open(String catalog) {
    return CatalogStore.open(directory.resolve(catalog), directory.resolve("warehouse"));
  }

  @Test
  void everyAnsweredChangeIsOnDiskAtOnce() throws IOException {
    try (CatalogStore store = open("catalog")) {
      store.catalog().createNamespace(Namespace.of("a"), Map.of("owner", "me"));
      Table table = store.catalog().createTable(TABLE, SCHEMA);
      for (int i = 0; i < 5; i++) {
        table.updateProperties().set("step", Integer.toString(i)).commit();
        // What the operating system has of the files now is all that a killed process leaves.
        copy(directory.resolve("catalog"), directory.resolve("copy-" + i));
        try (CatalogStore survivor = open("copy-" + i)) {
          assertThat(survivor.catalog().loadTable(TABLE).properties())
              .containsEntry("step", Integer.toString(i));
        }
      }
      store.catalog().renameTable(TABLE, TableIdentifier.of("a", "u"));
      copy(directory.resolve("catalog"), directory.resolve("renamed"));
      try (CatalogStore survivor = open("renamed")) {
        assertThat(survivor.catalog().listTables(Namespace.of("a")))
            .containsExactly(TableIdentifier.of("a", "u"));
      }
      store.catalog().dropTable(TableIdentifier.of("a", "u"), true);
      copy(directory.resolve("catalog"), directory.resolve("dropped"));
      try (CatalogStore survivor = open("dropped")) {
        assertThat(survivor.catalog().listTables(Namespace.of("a"))).isEmpty();
      }
    }
  }

  @Test
  void opensAgainWithWhatItHad() {
    for (int i = 0; i < 3; i++) {
      try (CatalogStore store = open("catalog")) {
        if (i == 0) {
          store.catalog().createNamespace(Namespace.of("a"), Map.of());
          store.catalog().createTable(TABLE, SCHEMA);
        }
        assertThat(store.catalog().tableExists(TABLE)).isTrue();
      }
    }
  }

  @Test
  void servesOneProcess() {
    try (CatalogStore store = open("catalog")) {
      assertThat(store.catalog()).isNotNull();
      assertThatThrownBy(() -> open("catalog"))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_ERROR);
                assertThat(e)
                    .hasMessageContaining("in use by process " + ProcessHandle.current().pid());
              });
    }
    open("catalog").close();
  }

  @Test
  void noTwoTablesShareADirectory() {
    try (CatalogStore store = open("catalog")) {
      LakeCatalog catalog = store.catalog();
      catalog.createNamespace(Namespace.of("a"), Map.of());
      String first = catalog.createTable(TABLE, SCHEMA).location();
      catalog.renameTable(TABLE, TableIdentifier.of("a", "other"));
      assertThat(catalog.createTable(TABLE, SCHEMA).location()).isNotEqualTo(first);
      String odd = catalog.createTable(TableIdentifier.of("a", "my täble+"), SCHEMA).location();
      assertThat(odd).matches("file:///[A-Za-z0-9_/.-]+/a/my_t_ble_-u[0-9a-f]{8}");
    }
  }

  @Test
  void aTableIsDroppedOnlyWhileItHasItsName() {
    try (CatalogStore store = open("catalog")) {
      LakeCatalog catalog = store.catalog();
      catalog.createNamespace(Namespace.of("a"), Map.of());
      UUID first = catalog.createTable(TABLE, SCHEMA).uuid();
      assertThat(catalog.dropTable(TABLE, first, true)).isTrue();
      UUID second = catalog.createTable(TABLE, SCHEMA).uuid();
      assertThat(catalog.dropTable(TABLE, first, true)).isFalse();
      assertThat(catalog.tableExists(TABLE)).isTrue();
      assertThat(catalog.dropTable(TABLE, second, false)).isTrue();
      assertThat(catalog.dropTable(TABLE, second, false)).isFalse();
    }
  }

  @Test
  void aPurgeLeavesTheFilesOfOtherTables() throws IOException {
    try (CatalogStore store = open("catalog")) {
      LakeCatalog catalog = store.catalog();
      catalog.createNamespace(Namespace.of("a"), Map.of());
      Table owner = catalog.createTable(TABLE, SCHEMA);
      Path managed = file(directory.resolve("warehouse/a/orders-7/data/1.parquet"));
      Path others = file(path(owner).resolve("data/1.parquet"));
      TableIdentifier name = TableIdentifier.of("a", "reader");
      Table reader = catalog.createTable(name, SCHEMA);
      Path own = file(path(reader).resolve("data/1.parquet"));
      append(reader, managed, others, own);
      assertThat(catalog.dropTable(name, true)).isTrue();
      assertThat(own).doesNotExist();
      assertThat(others).exists();
      assertThat(managed).exists();
      // Also when its location was moved above theirs.
      Table above = catalog.createTable(name, SCHEMA);
      append(above, managed);
      above.updateLocation().setLocation(Locations.of(directory.resolve("warehouse/a"))).commit();
      assertThat(catalog.dropTable(name, true)).isTrue();
      assertThat(managed).exists();
    }
  }

  @Test
  void noOtherTableGetsAPlaceInTheDirectoryOfOneOfSluices() {
    try (CatalogStore store = open("catalog")) {
      LakeCatalog catalog = store.catalog();
      Namespace nested = Namespace.of("a", "t-5");
      catalog.createNamespace(Namespace.of("a"), Map.of());
      catalog.createNamespace(nested, Map.of());
      Table table = catalog.createTable(TableIdentifier.of(nested, "x"), SCHEMA);
      Path managed = catalog.locations().path(catalog.managedLocation(TABLE, 5));
      assertThat(path(table).startsWith(managed)).isFalse();
      assertThat(catalog.locations().managedId(path(table))).isZero();
      assertThat(catalog.locations().managedId(managed.resolve("data"))).isEqualTo(5);
      assertThat(catalog.locations().managedId(managed.getParent())).isZero();
    }
  }

  private Path path(Table table) {
    return new Locations(directory.resolve("warehouse")).path(table.location());
  }

  private static Path file(Path path) throws IOException {
    Files.createDirectories(path.getParent());
    return Files.writeString(path, "x");
  }

  private static void append(Table table, Path... files) {
    AppendFiles append = table.newAppend();
    for (Path file : files) {
      append.appendFile(
          DataFiles.builder(table.spec())
              .withPath(Locations.of(file))
              .withFormat("parquet")
              .withFileSizeInBytes(1)
              .withRecordCount(1)
              .build());
    }
    append.commit();
  }

  @Test
  void refusesNamesThatCouldNotBeAddressed() {
    try (CatalogStore store = open("catalog")) {
      assertThatThrownBy(() -> store.catalog().createNamespace(Namespace.of("a.b"), Map.of()))
          .isInstanceOf(BadRequestException.class)
          .hasMessageContaining("has a dot");
      for (String name : new String[] {"x/y", "..", "", " a", "a\u0000", "b\\c"}) {
        assertThatThrownBy(() -> LakeNames.check(TableIdentifier.of("a", name)))
            .as(name)
            .isInstanceOf(RuntimeException.class);
      }
      LakeNames.check(TableIdentifier.of("a", "a.b"));
      LakeNames.check(TableIdentifier.of("a", "my table"));
    }
  }

  @Test
  void aFileIsThereWhenItIsWholeAndNotBefore() throws IOException {
    Locations locations = new Locations(directory.resolve("warehouse"));
    LocalFileIO files = new LocalFileIO(locations);
    String location = Locations.of(directory.resolve("warehouse/x/metadata/1.json"));
    OutputFile file = files.newOutputFile(location);
    try (OutputStream out = file.create()) {
      out.write("half".getBytes(StandardCharsets.UTF_8));
      out.flush();
      assertThat(file.toInputFile().exists()).isFalse();
      out.write("whole".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(directory.resolve("warehouse/x/metadata/1.json")).hasContent("halfwhole");
    assertThat(directory.resolve("warehouse/x/metadata").toFile().list()).hasSize(1);
    assertThatThrownBy(file::create).isInstanceOf(AlreadyExistsException.class);
    assertThat(file.location()).isEqualTo(location);
  }

  @Test
  void twoThatCreateTheSameFileDoNotBothSucceed() throws IOException {
    LocalFileIO files = new LocalFileIO(new Locations(directory));
    String location = Locations.of(directory.resolve("same"));
    OutputStream first = files.newOutputFile(location).create();
    OutputStream second = files.newOutputFile(location).create();
    first.write(1);
    second.write(2);
    first.close();
    assertThatThrownBy(second::close).isInstanceOf(AlreadyExistsException.class);
    assertThat(Files.readAllBytes(directory.resolve("same"))).containsExactly(1);
  }

  @Test
  void nothingOutsideOfTheWarehouseIsTouched() {
    LocalFileIO files = new LocalFileIO(new Locations(directory.resolve("warehouse")));
    for (String location :
        new String[] {
          "/etc/passwd",
          "file:///etc/passwd",
          "file://" + directory + "/warehouse/../secret",
          "file://host/a",
          "s3://bucket/a",
          "relative"
        }) {
      assertThatThrownBy(() -> files.newInputFile(location))
          .as(location)
          .isInstanceOf(BadRequestException.class);
      assertThatThrownBy(() -> files.deleteFile(location))
          .as(location)
          .isInstanceOf(BadRequestException.class);
    }
    assertThat(files.newInputFile("file:" + directory + "/warehouse/a").exists()).isFalse();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        Files.copy(entry, to.resolve(entry.getFileName()));
      }
    }
  }
}

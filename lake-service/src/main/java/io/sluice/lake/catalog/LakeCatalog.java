package io.sluice.lake.catalog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.JdbcClientPool;
import org.jspecify.annotations.Nullable;

/**
 * Iceberg's JDBC catalog with durable answers, a warehouse in which no two tables share a
 * directory, and names that can be addressed. Thread-safe.
 */
public final class LakeCatalog extends JdbcCatalog {
  private final Locations locations;
  private final Runnable force;
  private final UnaryOperator<TableOperations> beneath;
  private final Object names = new Object();

  /**
   * @param pool connections to the store
   * @param force makes what the store committed durable
   * @param beneath wraps the operations of each table under the settling ones
   */
  LakeCatalog(
      Locations locations,
      Function<Map<String, String>, JdbcClientPool> pool,
      Runnable force,
      UnaryOperator<TableOperations> beneath) {
    super(properties -> new LocalFileIO(locations), pool, true);
    this.locations = locations;
    this.force = force;
    this.beneath = beneath;
  }

  /** Where the files are. */
  public Locations locations() {
    return locations;
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier identifier) {
    return new SettledTableOperations(beneath.apply(super.newTableOps(identifier)), force);
  }

  /** Operations of a table that may not exist yet, for creating it with metadata made elsewhere. */
  public TableOperations operations(TableIdentifier identifier) {
    return newTableOps(identifier);
  }

  @Override
  protected String defaultWarehouseLocation(TableIdentifier identifier) {
    // Levels below the first share its directory's name: a managed table's directory lies in there.
    String levels =
        Arrays.stream(identifier.namespace().levels())
            .map(LakeNames::plain)
            .collect(Collectors.joining("."));
    Path directory = locations.root().resolve(levels);
    return Locations.of(directory.resolve(LakeNames.uniqueDirectory(identifier.name())));
  }

  /** Where the files of the table with that id go: no other table ever has this directory. */
  public String managedLocation(TableIdentifier identifier, long tableId) {
    return Locations.of(
        locations
            .root()
            .resolve(LakeNames.plain(identifier.namespace().level(0)))
            .resolve(LakeNames.plain(identifier.name()) + "-" + tableId));
  }

  /** One at a time: of two that create the same namespace one is told that it exists. */
  @Override
  public synchronized void createNamespace(Namespace namespace, Map<String, String> metadata) {
    LakeNames.check(namespace);
    super.createNamespace(namespace, metadata);
    force.run();
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    boolean dropped = super.dropNamespace(namespace);
    force.run();
    return dropped;
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties) {
    boolean set = super.setProperties(namespace, properties);
    force.run();
    return set;
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties) {
    boolean removed = super.removeProperties(namespace, properties);
    force.run();
    return removed;
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    LakeNames.check(to);
    synchronized (names) {
      super.renameTable(from, to);
      force.run();
    }
  }

  /**
   * Drops the table. With {@code purge} the files that it names go too as far as they are its own,
   * and the whole directory when this service made it for a Sluice table.
   */
  @Override
  public boolean dropTable(TableIdentifier identifier, boolean purge) {
    return drop(identifier, null, purge);
  }

  /** As {@link #dropTable(TableIdentifier, boolean)}, but not another table that has the name. */
  public boolean dropTable(TableIdentifier identifier, UUID uuid, boolean purge) {
    return drop(identifier, uuid.toString(), purge);
  }

  private boolean drop(TableIdentifier identifier, @Nullable String uuid, boolean purge) {
    TableMetadata metadata = null;
    boolean dropped;
    TableOperations operations = newTableOps(identifier);
    // Whoever frees a name waits here, so the table that is looked at is the one that goes.
    synchronized (names) {
      if (purge || uuid != null) {
        metadata = operations.refresh();
      }
      if (uuid != null && (metadata == null || !uuid.equals(metadata.uuid()))) {
        return false;
      }
      dropped = super.dropTable(identifier, false);
      force.run();
    }
    if (dropped && purge && metadata != null) {
      deleteFiles(identifier, operations.io(), metadata);
    }
    return dropped;
  }

  private void deleteFiles(TableIdentifier identifier, FileIO files, TableMetadata metadata) {
    Path directory = locations.path(metadata.location());
    long tableId = LakeKeys.tableId(metadata.properties());
    CatalogUtil.dropTableData(new OwnFiles(files, locations, directory, tableId), metadata);
    if (tableId != 0 && locations.isManagedRoot(directory, tableId)) {
      try {
        DurableDirectories.deleteTree(directory);
      } catch (IOException e) {
        throw new RuntimeIOException(
            e, "Table %s is dropped; its files in %s are not", identifier, directory);
      }
    }
  }
}

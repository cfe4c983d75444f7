package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.lake.catalog.LakeKeys;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.jspecify.annotations.Nullable;

/**
 * The lake tables of Sluice tables: namespace and table have the names of database and table. An
 * Iceberg table is a table's own when it carries its id. Thread-safe.
 */
public final class LakeTables {
  static final int FORMAT_VERSION = 2;

  private static final String METADATA_VERSIONS = "20";

  private final LakeCatalog catalog;

  /**
   * A lake table as it was loaded.
   *
   * @param identifier its name
   * @param operations its operations, refreshed
   */
  record Loaded(TableIdentifier identifier, TableOperations operations) {
    TableMetadata metadata() {
      return operations.current();
    }

    Lineage lineage() {
      return Lineage.of(metadata(), operations.io());
    }

    long tableId() {
      return LakeKeys.tableId(metadata().properties());
    }

    UUID uuid() {
      return UUID.fromString(metadata().uuid());
    }
  }

  public LakeTables(LakeCatalog catalog) {
    this.catalog = catalog;
  }

  /** The identifier of a table's lake table. */
  static TableIdentifier identifier(String database, String table) {
    return TableIdentifier.of(Namespace.of(database), table);
  }

  /** What lies under that name, null when nothing does. */
  @Nullable Loaded find(String database, String table) {
    TableIdentifier identifier = identifier(database, table);
    TableOperations operations = catalog.operations(identifier);
    // Iceberg's answer for a table that is not there is no metadata.
    return operations.refresh() == null ? null : new Loaded(identifier, operations);
  }

  /** The table's own lake table, null when there is none or it is somebody else's. */
  @Nullable Loaded own(TableInfo table) {
    return own(table.getTableId(), table.getDatabase(), table.getTable());
  }

  /** As {@link #own(TableInfo)}. */
  @Nullable Loaded own(long tableId, String database, String table) {
    Loaded loaded = find(database, table);
    return loaded != null && loaded.tableId() == tableId ? loaded : null;
  }

  /**
   * The lake table that was made for a table that is dropped by now, whatever its name is; null
   * when there is none. Looks at every table of the catalog.
   */
  @Nullable Loaded left(long tableId) {
    return leftIn(Namespace.empty(), tableId);
  }

  private @Nullable Loaded leftIn(Namespace parent, long tableId) {
    for (Namespace namespace : catalog.listNamespaces(parent)) {
      for (TableIdentifier identifier : catalog.listTables(namespace)) {
        TableOperations operations = catalog.operations(identifier);
        Loaded loaded = operations.refresh() == null ? null : new Loaded(identifier, operations);
        if (loaded != null && loaded.tableId() == tableId) {
          return loaded;
        }
      }
      Loaded below = leftIn(namespace, tableId);
      if (below != null) {
        return below;
      }
    }
    return null;
  }

  /**
   * The table's own lake table, made when nothing lies under its name. LAKE_TABLE_EXISTS when
   * something else does, UNSUPPORTED when the lake cannot hold its columns, INVALID_SCHEMA when it
   * has other columns than the table.
   */
  Loaded openOrCreate(TableInfo table) {
    Loaded found = find(table.getDatabase(), table.getTable());
    if (found == null) {
      create(table);
      found = find(table.getDatabase(), table.getTable());
    }
    if (found == null) {
      throw new SluiceException(
          ErrorCode.UNAVAILABLE, "Lake table " + name(table) + " was dropped while it was made");
    }
    if (found.tableId() != table.getTableId()) {
      throw new SluiceException(
          ErrorCode.LAKE_TABLE_EXISTS,
          "The lake holds a table "
              + name(table)
              + (found.tableId() == 0
                  ? " that Sluice did not make"
                  : " of table id "
                      + found.tableId()
                      + ", which is not table id "
                      + table.getTableId())
              + "; DROP TABLE IF EXISTS "
              + name(table)
              + " PURGE removes it");
    }
    checkSchema(found, table);
    return found;
  }

  private static void checkSchema(Loaded found, TableInfo table) {
    Schema expected = LakeSchemas.schema(Schemas.toSchema(table.getSchema()));
    Schema actual = found.metadata().schema();
    if (!expected.sameSchema(actual)) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Lake table "
              + name(table)
              + " has the columns "
              + actual.asStruct()
              + "; expected "
              + expected.asStruct());
    }
  }

  private void create(TableInfo table) {
    TableIdentifier identifier = identifier(table.getDatabase(), table.getTable());
    Schema schema = LakeSchemas.schema(Schemas.toSchema(table.getSchema()));
    PartitionSpec spec = LakeSchemas.spec(schema);
    // Not through the catalog's builder, which numbers the fields anew: a field's id is its
    // column's.
    TableMetadata metadata =
        TableMetadata.buildFromEmpty(FORMAT_VERSION)
            .assignUUID()
            .setLocation(catalog.managedLocation(identifier, table.getTableId()))
            .setCurrentSchema(schema, schema.highestFieldId())
            .setDefaultPartitionSpec(spec)
            .setDefaultSortOrder(SortOrder.unsorted())
            .setProperties(properties(table))
            .build();
    createNamespace(identifier.namespace());
    try {
      catalog.operations(identifier).commit(null, metadata);
    } catch (AlreadyExistsException e) {
      // Somebody was faster; whose it is shows when it is loaded.
      return;
    }
  }

  private void createNamespace(Namespace namespace) {
    if (catalog.namespaceExists(namespace)) {
      return;
    }
    try {
      catalog.createNamespace(namespace, Map.of());
    } catch (AlreadyExistsException | UncheckedSQLException e) {
      // Somebody was faster, or a statement was sent again and the database says "duplicate key".
      if (!catalog.namespaceExists(namespace)) {
        throw e;
      }
    }
  }

  private static Map<String, String> properties(TableInfo table) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(LakeKeys.TABLE_ID, Long.toString(table.getTableId()));
    properties.put(LakeKeys.FENCE, "0");
    properties.put(LakeKeys.OFFSETS, "{}");
    properties.put(TableProperties.PARQUET_COMPRESSION, "zstd");
    properties.put(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    properties.put(TableProperties.METADATA_PREVIOUS_VERSIONS_MAX, METADATA_VERSIONS);
    if (!table.getComment().isEmpty()) {
      properties.put("comment", table.getComment());
    }
    return properties;
  }

  static String name(TableInfo table) {
    return table.getDatabase() + "." + table.getTable();
  }
}

package io.sluice.lake.rest;

import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.lake.catalog.LakeKeys;
import io.sluice.lake.commit.ManagedTables;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotRefType;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Decides what clients may change. A table that Sluice tiers into is read, and may get tags;
 * anything else would break the chain of its rounds. Whether a table is one of those is the
 * coordinator's to say; when it cannot be asked, a table with our id is not changed.
 */
final class ChangeGuard {
  private final LakeCatalog catalog;
  private final ManagedTables managed;

  ChangeGuard(LakeCatalog catalog, ManagedTables managed) {
    this.catalog = catalog;
    this.managed = managed;
  }

  /** Refuses updates that a managed table does not take, and keys that are ours. */
  void update(TableIdentifier table, List<MetadataUpdate> updates) {
    for (MetadataUpdate update : updates) {
      if (update instanceof MetadataUpdate.SetProperties set) {
        properties(set.updated().keySet());
      }
    }
    Table existing = load(table);
    if (existing == null) {
      reserved(table);
    } else if (!onlyTags(existing, updates)) {
      free(existing, table, statement(updates, table));
    }
  }

  private static boolean onlyTags(Table table, List<MetadataUpdate> updates) {
    for (MetadataUpdate update : updates) {
      boolean tag =
          (update instanceof MetadataUpdate.SetSnapshotRef set
                  && set.type().equalsIgnoreCase(SnapshotRefType.TAG.name())
                  && isTagOrFree(table, set.name()))
              || (update instanceof MetadataUpdate.RemoveSnapshotRef remove
                  && isTagOrFree(table, remove.name()));
      if (!tag) {
        return false;
      }
    }
    return true;
  }

  private static boolean isTagOrFree(Table table, String name) {
    SnapshotRef ref = table.refs().get(name);
    return !name.equals(SnapshotRef.MAIN_BRANCH) && (ref == null || ref.isTag());
  }

  private static String statement(List<MetadataUpdate> updates, TableIdentifier table) {
    for (MetadataUpdate update : updates) {
      if (update instanceof MetadataUpdate.AddSnapshot) {
        return "write with INSERT INTO " + table + " through Sluice";
      }
      if (update instanceof MetadataUpdate.AddSchema) {
        return "ALTER TABLE " + table + " through Sluice changes columns";
      }
      if (update instanceof MetadataUpdate.SetProperties) {
        return "ALTER TABLE " + table + " SET through Sluice changes options";
      }
    }
    return "ALTER TABLE " + table + " through Sluice changes it";
  }

  /** Refuses to drop a managed table; the one that may be dropped, null when there is none. */
  @Nullable UUID drop(TableIdentifier table, boolean purge) {
    Table existing = load(table);
    if (existing == null) {
      return null;
    }
    free(
        existing,
        table,
        "DROP TABLE " + table + (purge ? " PURGE" : "") + " through Sluice drops it");
    return existing.uuid();
  }

  /** Refuses to rename a managed table, or another one into its place. */
  void rename(TableIdentifier from, TableIdentifier to) {
    Table existing = load(from);
    if (existing != null) {
      free(existing, from, "Sluice does not rename tables; create " + to + " and INSERT INTO it");
    }
    reserved(to);
  }

  /** Refuses a new table where one of Sluice's is going to be, and properties that are ours. */
  void create(TableIdentifier table, Collection<String> properties) {
    properties(properties);
    reserved(table);
  }

  /** Refuses to register the metadata of a managed table a second time. */
  void register(TableIdentifier table, Table registered) {
    free(registered, table, "read it under its own name");
    reserved(table);
  }

  /** Refuses a table whose id is that of a managed one. */
  private void free(Table existing, TableIdentifier table, String way) {
    long id = LakeKeys.tableId(existing.properties());
    if (ask(table, () -> managed.isManaged(id))) {
      throw new ForbiddenException(
          "Table %s is managed by Sluice (table id %s): clients read it and set tags; %s",
          table, id, way);
    }
  }

  private void reserved(TableIdentifier table) {
    Namespace namespace = table.namespace();
    if (namespace.length() != 1) {
      return;
    }
    if (ask(table, () -> managed.isReserved(namespace.level(0), table.name()))) {
      throw new ForbiddenException(
          "The name %s belongs to a table of Sluice that tiers into the lake; choose another",
          table);
    }
  }

  private static boolean ask(TableIdentifier table, java.util.function.BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (SluiceException e) {
      if (e.code().retriable()) {
        throw new ServiceUnavailableException(
            "Table %s is not changed now: no coordinator says whether Sluice manages it (%s)",
            table, e.getMessage());
      }
      throw e;
    }
  }

  private static void properties(Collection<String> keys) {
    for (String key : keys) {
      if (key.startsWith(LakeKeys.PREFIX)) {
        throw new ForbiddenException(
            "Property %s is Sluice's own; clients set properties without the prefix %s",
            key, LakeKeys.PREFIX);
      }
    }
  }

  /** The Sluice table that the lake table was made for, 0 when there is none. */
  long tableId(TableIdentifier table) {
    Table existing = load(table);
    return existing == null ? 0 : LakeKeys.tableId(existing.properties());
  }

  private @Nullable Table load(TableIdentifier table) {
    try {
      return catalog.loadTable(table);
    } catch (NoSuchTableException missing) {
      return null;
    }
  }
}

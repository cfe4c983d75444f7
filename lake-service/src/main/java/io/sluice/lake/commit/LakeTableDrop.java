package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.protocol.lake.v1.LakeTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds what lies under a table's name in the lake, and removes what nobody tiers into. */
public final class LakeTableDrop {
  private static final Logger LOG = LoggerFactory.getLogger(LakeTableDrop.class);

  private final LakeCatalog catalog;
  private final LakeTables tables;
  private final ManagedTables managed;
  private final Lanes lanes;

  LakeTableDrop(LakeCatalog catalog, LakeTables tables, ManagedTables managed, Lanes lanes) {
    this.catalog = catalog;
    this.tables = tables;
    this.managed = managed;
    this.lanes = lanes;
  }

  /** What lies there. UNAVAILABLE when that depends on a coordinator and none answers. */
  public LakeTable find(String database, String table) {
    LakeTables.Loaded loaded = tables.find(database, table);
    if (loaded == null) {
      return LakeTable.getDefaultInstance();
    }
    long tableId = loaded.tableId();
    return LakeTable.newBuilder()
        .setExists(true)
        .setTableId(tableId)
        .setManaged(managed.isManaged(tableId))
        .build();
  }

  /**
   * Drops the lake table of that name with its files; false when there is none. LAKE_TABLE_MANAGED
   * while a table tiers into it.
   */
  public boolean purge(String database, String table) {
    LakeTables.Loaded found = tables.find(database, table);
    if (found == null) {
      return false;
    }
    long tableId = found.tableId();
    return lanes.in(
        tableId,
        lane -> {
          // Looked up again: who was in the lane before may have purged it, and another table have
          // taken its name.
          LakeTables.Loaded loaded = tables.own(tableId, database, table);
          if (loaded == null) {
            return false;
          }
          if (managed.isManaged(tableId)) {
            throw new SluiceException(
                ErrorCode.LAKE_TABLE_MANAGED,
                "Lake table "
                    + loaded.identifier()
                    + " belongs to the table of id "
                    + tableId
                    + ", which tiers into it; drop that table first");
          }
          lane.resolved();
          boolean dropped = catalog.dropTable(loaded.identifier(), loaded.uuid(), true);
          if (dropped) {
            LOG.info("Purged lake table {} of table id {}", loaded.identifier(), tableId);
          }
          return dropped;
        });
  }
}

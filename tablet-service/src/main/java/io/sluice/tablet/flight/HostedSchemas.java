package io.sluice.tablet.flight;

import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replicas;
import org.jspecify.annotations.Nullable;

/** The schemas of a table as this server knows them now, and the one a call began with. */
final class HostedSchemas implements KvSchemas {
  private final Replicas replicas;
  private final long tableId;
  private final TableSchema first;

  /**
   * @param first a schema of the table, for when this server does not host it or no longer does
   */
  HostedSchemas(Replicas replicas, long tableId, TableSchema first) {
    this.replicas = replicas;
    this.tableId = tableId;
    this.first = first;
  }

  @Override
  public TableSchema current() {
    @Nullable HostedTable table = replicas.table(tableId);
    return table == null ? first : table.schema();
  }

  @Override
  public TableSchema schema(int schemaId) {
    @Nullable HostedTable table = replicas.table(tableId);
    return schemaId == first.schemaId() || table == null ? first : table.schema(schemaId);
  }
}

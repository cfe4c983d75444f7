package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.projection.MetadataColumns;
import io.sluice.format.projection.ProjectionPlan;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.RowBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The columns a scan returns.
 *
 * @param table schema in which rows are returned
 * @param columnIds ids of the table's columns in the order wanted
 * @param metadataColumns columns added at the end
 */
record ScanSchema(TableSchema table, List<Integer> columnIds, MetadataColumns metadataColumns) {
  private static final int EXPECTED_ROWS = 1024;

  ScanSchema {
    columnIds = List.copyOf(columnIds);
  }

  /** The columns that the ticket asks for; COLUMN_NOT_FOUND or INVALID_TICKET. */
  static ScanSchema of(TableSchema table, ScanTicket ticket) {
    return new ScanSchema(
        table,
        ids(table, ticket),
        new MetadataColumns(
            ticket.getWithOffset(), ticket.getWithTimestamp(), ticket.getWithChangeType()));
  }

  /** How batches stored under that schema become what the scan returns. */
  ProjectionPlan from(TableSchema stored) {
    return ProjectionPlan.of(stored, table, columnIds, metadataColumns);
  }

  /** The schema as readers see it. */
  Schema arrow() {
    return from(table).arrowSchema();
  }

  /** Batches of rows of this schema, without metadata columns; to be closed by the caller. */
  RowBatch rows(KvSchemas schemas, FlightContext context) {
    if (columnIds.isEmpty()) {
      return RowBatch.counting(schemas);
    }
    List<Column> columns = new ArrayList<>(columnIds.size());
    for (int id : columnIds) {
      table.columns().stream().filter(column -> column.id() == id).forEach(columns::add);
    }
    TableSchema wanted = new TableSchema(table.schemaId(), columns, List.of());
    return RowBatch.of(schemas, wanted, arrow(), context.allocator(), EXPECTED_ROWS);
  }

  private static List<Integer> ids(TableSchema table, ScanTicket ticket) {
    List<String> names = ticket.getColumnsList();
    if (ticket.getNoColumns()) {
      if (!names.isEmpty()) {
        throw new SluiceException(
            ErrorCode.INVALID_TICKET,
            "The ticket names columns " + names + " and says no_columns; use one of them");
      }
      return List.of();
    }
    if (names.isEmpty()) {
      return table.columns().stream().map(Column::id).toList();
    }
    Set<String> seen = new HashSet<>();
    List<Integer> ids = new ArrayList<>(names.size());
    for (String name : names) {
      if (!seen.add(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_TICKET, "The ticket names column '" + name + "' twice");
      }
      ids.add(table.column(name).id());
    }
    return ids;
  }
}

package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.projection.ColumnSelection;
import io.sluice.format.projection.MetadataColumns;
import io.sluice.format.projection.ProjectionPlan;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.RowBatch;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The columns a scan returns.
 *
 * @param selection the table's columns and nested fields, in the schema in which rows are returned
 * @param metadataColumns columns added at the end
 */
record ScanSchema(ColumnSelection selection, MetadataColumns metadataColumns) {
  private static final int EXPECTED_ROWS = 1024;

  /** The columns that the ticket asks for; COLUMN_NOT_FOUND or INVALID_TICKET. */
  static ScanSchema of(TableSchema table, ScanTicket ticket) {
    return new ScanSchema(
        selection(table, ticket),
        new MetadataColumns(
            ticket.getWithOffset(), ticket.getWithTimestamp(), ticket.getWithChangeType()));
  }

  /** The schema in which rows are returned. */
  TableSchema table() {
    return selection.schema();
  }

  /** How batches stored under that schema become what the scan returns. */
  ProjectionPlan from(TableSchema stored) {
    return ProjectionPlan.of(stored, selection, metadataColumns);
  }

  /** The schema as readers see it. */
  Schema arrow() {
    return from(table()).arrowSchema();
  }

  /** Whether a column is wanted in parts only. */
  boolean cutsColumns() {
    for (Column column : selection.columns()) {
      if (!table().column(column.name()).equals(column)) {
        return true;
      }
    }
    return false;
  }

  /** Batches of rows of this schema, without metadata columns; to be closed by the caller. */
  RowBatch rows(KvSchemas schemas, FlightContext context) {
    if (selection.columns().isEmpty()) {
      return RowBatch.counting(schemas);
    }
    TableSchema wanted = new TableSchema(table().schemaId(), selection.columns(), List.of());
    return RowBatch.of(schemas, wanted, arrow(), context.allocator(), EXPECTED_ROWS);
  }

  private static ColumnSelection selection(TableSchema table, ScanTicket ticket) {
    List<String> names = ticket.getColumnsList();
    if (ticket.getNoColumns()) {
      if (!names.isEmpty()) {
        throw new SluiceException(
            ErrorCode.INVALID_TICKET,
            "The ticket names columns " + names + " and says no_columns; use one of them");
      }
      return ColumnSelection.none(table);
    }
    if (names.isEmpty()) {
      return ColumnSelection.all(table);
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_TICKET, "The ticket names column '" + name + "' twice");
      }
    }
    try {
      return ColumnSelection.of(table, names);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      throw new SluiceException(
          ErrorCode.INVALID_TICKET, "The ticket is wrong: " + e.getMessage(), e);
    }
  }
}

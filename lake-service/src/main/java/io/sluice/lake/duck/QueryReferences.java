package io.sluice.lake.duck;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a query refers to.
 *
 * @param tables the tables it reads, in the order of the text, each place once
 * @param columns every name in it that may be a column's, in lower case
 * @param allColumns whether all columns of its tables count as named ({@code *}, NATURAL JOIN,
 *     PIVOT ...)
 * @param single the only table with the condition on its rows, null for a query of another form
 */
public record QueryReferences(
    List<TableReference> tables,
    Set<String> columns,
    boolean allColumns,
    @Nullable SingleTable single) {
  public QueryReferences {
    tables = List.copyOf(tables);
    columns = Set.copyOf(columns);
  }

  /**
   * A query with one place where it reads a table, and nothing but WHERE between the two.
   *
   * @param alias the name that stands for the table in it
   * @param where the syntax tree of its condition
   */
  public record SingleTable(String alias, JsonNode where) {}

  /**
   * A table as the query writes it.
   *
   * @param catalog what stands before the database, empty when not given
   * @param database its database, empty when not given
   * @param table its name, perhaps with the suffix of a view of it
   * @param bytePosition where it stands in the rendered text, in bytes; negative when not known
   */
  public record TableReference(String catalog, String database, String table, long bytePosition) {}
}

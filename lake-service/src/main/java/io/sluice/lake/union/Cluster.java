package io.sluice.lake.union;

import io.sluice.client.BucketOffsets;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.SchemaChange;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the SQL engine asks the cluster. Calls block within the client's time-outs. Thread-safe. */
public interface Cluster {
  /** Names of the databases. */
  List<String> databases();

  /** Creates a database; DATABASE_EXISTS unless that is ignored. */
  void createDatabase(String name, boolean ignoreIfExists);

  /** Drops a database, with its tables when asked to. Returns whether there was one. */
  boolean dropDatabase(String name, boolean ignoreIfMissing, boolean cascade);

  /** The tables of a database; DATABASE_NOT_FOUND when there is none. */
  List<TableDescription> tables(String database);

  /** A table as it is now; TABLE_NOT_FOUND when there is none. */
  TableDescription describe(TablePath path);

  /** Creates a table. */
  TableDescription createTable(TableSpec spec);

  /** Drops a table. Returns whether there was one. */
  boolean dropTable(TablePath path, boolean ignoreIfMissing);

  /** Changes columns, all changes or none; INVALID_ALTER with the rule that one breaks. */
  TableDescription alterTable(TablePath path, List<SchemaChange> changes);

  /** As {@link #alterTable(TablePath, List)}, and sets options in the same step. */
  TableDescription alterTable(
      TablePath path, List<SchemaChange> changes, Map<String, String> options);

  /** Sets options and takes others back to their defaults, all or none. */
  TableDescription alterOptions(TablePath path, Map<String, String> set, List<String> reset);

  /** Sets the comment of a table. */
  TableDescription alterComment(TablePath path, String comment);

  /** Creates a partition; PARTITION_EXISTS unless an existing one will do. */
  PartitionDescription createPartition(TablePath path, List<String> values, boolean ignoreIfExists);

  /** Drops a partition with its rows. Returns whether there was one. */
  boolean dropPartition(TablePath path, List<String> values, boolean ignoreIfMissing);

  /** The offsets of every bucket, of all partitions, as their leaders say now. */
  Map<TableBucket, BucketOffsets> offsets(TablePath path);

  /**
   * Opens a scan of exactly this table; TABLE_CHANGED when another has its name by now, or it has
   * other columns.
   */
  LogScanner open(TableDescription table, TableScan scan);

  /**
   * Looks rows of a primary-key table up.
   *
   * @param columns the columns of the rows, at least one
   * @param keys values of the primary key, in its order
   * @return for each key its row, when there is one
   */
  List<Optional<Row>> find(TableDescription table, List<String> columns, List<Key> keys);

  /**
   * A writer of this table.
   *
   * @param columns the columns that rows have; when empty all in their order, but for one that gets
   *     its values from the table. On a primary-key table fewer columns make partial updates
   */
  RowSink sink(TableDescription table, List<String> columns);

  /** Where a statement puts its rows. */
  interface RowSink extends AutoCloseable {
    /** Writes a row; may block while much is unanswered. Failures come here or in flush. */
    void write(Row row);

    /** Deletes the row of a key of a primary-key table; else as {@link #write}. */
    void delete(Key key);

    /** Waits until all rows are stored; throws the first failure. */
    void flush();

    @Override
    void close();
  }
}

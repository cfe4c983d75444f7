package io.sluice.lake.union;

import io.sluice.client.AppendWriter;
import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.PartitionDescription;
import io.sluice.client.Scan;
import io.sluice.client.Table;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.SchemaChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The cluster through its public client. Does not own the connection. */
public final class ClientCluster implements Cluster {
  private final Connection connection;

  public ClientCluster(Connection connection) {
    this.connection = connection;
  }

  @Override
  public List<String> databases() {
    return connection.admin().listDatabases();
  }

  @Override
  public void createDatabase(String name, boolean ignoreIfExists) {
    connection.admin().createDatabase(name, ignoreIfExists);
  }

  @Override
  public boolean dropDatabase(String name, boolean ignoreIfMissing, boolean cascade) {
    return cascade
        ? connection.admin().dropDatabaseWithTables(name, ignoreIfMissing)
        : connection.admin().dropDatabase(name, ignoreIfMissing);
  }

  @Override
  public List<TableDescription> tables(String database) {
    return connection.admin().listTables(database);
  }

  @Override
  public TableDescription describe(TablePath path) {
    return connection.admin().describe(path);
  }

  @Override
  public TableDescription createTable(TableSpec spec) {
    return connection.admin().createTable(spec);
  }

  @Override
  public boolean dropTable(TablePath path, boolean ignoreIfMissing) {
    return connection.admin().dropTable(path, ignoreIfMissing);
  }

  @Override
  public TableDescription alterTable(TablePath path, List<SchemaChange> changes) {
    return connection.admin().alterTable(path, changes);
  }

  @Override
  public TableDescription alterTable(
      TablePath path, List<SchemaChange> changes, Map<String, String> options) {
    return connection.admin().alterTable(path, changes, options);
  }

  @Override
  public TableDescription alterOptions(
      TablePath path, Map<String, String> set, List<String> reset) {
    return connection.admin().alterOptions(path, set, reset);
  }

  @Override
  public TableDescription alterComment(TablePath path, String comment) {
    return connection.admin().alterComment(path, comment);
  }

  @Override
  public PartitionDescription createPartition(
      TablePath path, List<String> values, boolean ignoreIfExists) {
    return connection.admin().createPartition(path, values, ignoreIfExists);
  }

  @Override
  public boolean dropPartition(TablePath path, List<String> values, boolean ignoreIfMissing) {
    return connection.admin().dropPartition(path, values, ignoreIfMissing);
  }

  @Override
  public Map<TableBucket, BucketOffsets> offsets(TablePath path) {
    return connection.admin().listBucketOffsets(path);
  }

  @Override
  public LogScanner open(TableDescription table, TableScan wanted) {
    Scan scan = same(table).scan();
    if (wanted.columns().isEmpty()) {
      scan.noColumns();
    } else {
      scan.columns(wanted.columns().toArray(String[]::new));
    }
    if (wanted.current()) {
      return scan.current().open();
    }
    scan.fromPositions(wanted.start()).toPositions(wanted.end());
    if (!wanted.skip().isEmpty()) {
      scan.skipBy(wanted.skip());
    }
    if (wanted.withOffset()) {
      scan.withOffset();
    }
    if (wanted.withTimestamp()) {
      scan.withTimestamp();
    }
    if (wanted.withChangeType()) {
      scan.withChangeType();
    }
    return scan.open();
  }

  @Override
  public List<Optional<Row>> find(TableDescription table, List<String> columns, List<Key> keys) {
    List<CompletableFuture<Optional<Row>>> lookups = new ArrayList<>(keys.size());
    List<Optional<Row>> rows = new ArrayList<>(keys.size());
    try (Lookuper lookuper = same(table).lookuper(columns.toArray(String[]::new))) {
      keys.forEach(key -> lookups.add(lookuper.lookup(key)));
      lookups.forEach(lookup -> rows.add(lookup.join()));
    } catch (CompletionException e) {
      throw e.getCause() instanceof SluiceException failure ? failure : e;
    }
    return rows;
  }

  @Override
  public RowSink sink(TableDescription table, List<String> columns) {
    Table opened = same(table);
    if (table.schema().primaryKey().isEmpty()) {
      return new AppendSink(opened.appendWriter());
    }
    WriterOptions options = WriterOptions.defaults();
    return new UpsertSink(
        opened.upsertWriter(
            columns.isEmpty() ? options : options.partial(columns.toArray(String[]::new))));
  }

  /** The table as the statement was planned with it: columns are given by their places. */
  private Table same(TableDescription table) {
    Table opened = connection.table(table.path());
    boolean same = opened.description().tableId() == table.tableId();
    if (same && opened.description().schema().schemaId() == table.schema().schemaId()) {
      return opened;
    }
    throw new SluiceException(
        ErrorCode.TABLE_CHANGED,
        "Table "
            + table.path()
            + (same ? " got other columns" : " was dropped and created again")
            + " while the statement ran; run it again");
  }

  /** The first failure of rows that are on their way, so that a long INSERT ends early. */
  private static final class FirstFailure {
    private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

    <R> void watch(CompletableFuture<R> future) {
      future.whenComplete(
          (result, failure) -> {
            if (failure != null) {
              first.compareAndSet(null, failure);
            }
          });
    }

    boolean happened() {
      return first.get() != null;
    }
  }

  private static final class AppendSink implements RowSink {
    private final AppendWriter writer;
    private final FirstFailure failure = new FirstFailure();

    AppendSink(AppendWriter writer) {
      this.writer = writer;
    }

    @Override
    public void write(Row row) {
      if (failure.happened()) {
        writer.flush();
      }
      failure.watch(writer.append(row));
    }

    @Override
    public void delete(Key key) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED, "Rows of a table without a primary key cannot be deleted");
    }

    @Override
    public void flush() {
      writer.flush();
    }

    @Override
    public void close() {
      writer.close();
    }
  }

  private static final class UpsertSink implements RowSink {
    private final UpsertWriter writer;
    private final FirstFailure failure = new FirstFailure();

    UpsertSink(UpsertWriter writer) {
      this.writer = writer;
    }

    @Override
    public void write(Row row) {
      if (failure.happened()) {
        writer.flush();
      }
      failure.watch(writer.upsert(row));
    }

    @Override
    public void delete(Key key) {
      if (failure.happened()) {
        writer.flush();
      }
      failure.watch(writer.delete(key));
    }

    @Override
    public void flush() {
      writer.flush();
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}

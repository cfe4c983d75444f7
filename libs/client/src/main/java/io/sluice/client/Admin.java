package io.sluice.client;

import io.sluice.client.TableSpec.ColumnSpec;
import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.Coordinators;
import io.sluice.client.internal.Descriptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.metadata.SchemaChanges;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.DropDatabaseRequest;
import io.sluice.protocol.metadata.v1.DropPartitionRequest;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.SetOption;
import io.sluice.protocol.metadata.v1.TableChange;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Administration. Every call blocks within the request time-out. Thread-safe.
 *
 * <p>A coordinator that is lost on the way is followed by the one that leads next. When the request
 * had reached it, the next one may find the change made: a drop then succeeds, and a creation or an
 * alteration that is refused says so, with the detail {@code outcome=unknown}.
 */
public final class Admin {
  private final ClientCore core;

  Admin(ClientCore core) {
    this.core = core;
  }

  /** Creates a database; DATABASE_EXISTS when there is one, unless that is ignored. */
  public void createDatabase(String name, boolean ignoreIfExists) {
    CreateDatabaseRequest request =
        CreateDatabaseRequest.newBuilder().setName(name).setIgnoreIfExists(ignoreIfExists).build();
    core.coordinators().change("Creating database " + name, stub -> stub.createDatabase(request));
  }

  /** Drops an empty database. Returns whether there was one. */
  public boolean dropDatabase(String name, boolean ignoreIfMissing) {
    return drop(name, ignoreIfMissing, false);
  }

  /** Drops a database with its tables. Returns whether there was one. */
  public boolean dropDatabaseWithTables(String name, boolean ignoreIfMissing) {
    return drop(name, ignoreIfMissing, true);
  }

  private boolean drop(String name, boolean ignoreIfMissing, boolean cascade) {
    DropDatabaseRequest request =
        DropDatabaseRequest.newBuilder()
            .setName(name)
            .setIgnoreIfMissing(ignoreIfMissing)
            .setCascade(cascade)
            .build();
    return dropped(
        ErrorCode.DATABASE_NOT_FOUND,
        () ->
            core.coordinators()
                .change("Dropping database " + name, stub -> stub.dropDatabase(request))
                .getDropped());
  }

  /** What is missing after a try without a known outcome was dropped by that one. */
  private static boolean dropped(ErrorCode missing, BooleanSupplier drop) {
    try {
      return drop.getAsBoolean();
    } catch (SluiceException e) {
      if (e.code() == missing && Coordinators.mayHaveBeenDone(e)) {
        return true;
      }
      throw e;
    }
  }

  /** Names of the databases. */
  public List<String> listDatabases() {
    return core
        .coordinators()
        .call(
            "Listing databases",
            stub -> stub.listDatabases(ListDatabasesRequest.getDefaultInstance()))
        .getDatabasesList()
        .stream()
        .map(DatabaseInfo::getName)
        .toList();
  }

  /** Creates a table and returns what it became. */
  public TableDescription createTable(TableSpec spec) {
    CreateTableRequest.Builder request =
        CreateTableRequest.newBuilder()
            .setDatabase(spec.path().database())
            .setTable(spec.path().table())
            .addAllPrimaryKey(spec.primaryKey())
            .addAllPartitionKeys(spec.partitionKeys())
            .putAllOptions(spec.options())
            .setComment(spec.comment())
            .setIgnoreIfExists(spec.ignoreIfExists());
    for (ColumnSpec column : spec.columns()) {
      request.addColumns(definition(column));
    }
    CreateTableRequest built = request.build();
    TableInfo created =
        core.coordinators()
            .change("Creating table " + spec.path(), stub -> stub.createTable(built));
    return Descriptions.table(created);
  }

  private static ColumnDef definition(ColumnSpec column) {
    ColumnDef.Builder definition =
        ColumnDef.newBuilder()
            .setName(column.name())
            .setType(column.type().toString())
            .setNotNull(!column.nullable())
            .setComment(column.comment());
    if (column.defaultValue() != null) {
      definition.setWriteDefault(column.defaultValue());
    }
    return definition.build();
  }

  /**
   * Changes a table's columns, all changes or none, and returns what it became. INVALID_ALTER says
   * which rule a change breaks.
   */
  public TableDescription alterTable(TablePath path, List<SchemaChange> changes) {
    return alter(path, changes.stream().map(SchemaChanges::toProto).toList());
  }

  /**
   * As {@link #alterTable(TablePath, List)}, and sets options in the same step: those of a new
   * column can be set with it alone.
   *
   * @param options new values by key
   */
  public TableDescription alterTable(
      TablePath path, List<SchemaChange> changes, Map<String, String> options) {
    List<TableChange> all = new ArrayList<>(changes.size() + options.size());
    changes.forEach(change -> all.add(SchemaChanges.toProto(change)));
    options.forEach((key, value) -> all.add(setOption(key, value)));
    return alter(path, all);
  }

  /**
   * Sets options of an existing table and takes others back to their defaults, all or none.
   *
   * @param set new values by key
   * @param reset keys of options that get their defaults
   */
  public TableDescription alterOptions(
      TablePath path, Map<String, String> set, Collection<String> reset) {
    List<TableChange> changes = new ArrayList<>(set.size() + reset.size());
    set.forEach((key, value) -> changes.add(setOption(key, value)));
    reset.forEach(key -> changes.add(TableChange.newBuilder().setResetOption(key).build()));
    return alter(path, changes);
  }

  /** Sets the comment of a table. */
  public TableDescription alterComment(TablePath path, String comment) {
    return alter(path, List.of(TableChange.newBuilder().setTableComment(comment).build()));
  }

  private static TableChange setOption(String key, String value) {
    return TableChange.newBuilder()
        .setSetOption(SetOption.newBuilder().setKey(key).setValue(value))
        .build();
  }

  private TableDescription alter(TablePath path, List<TableChange> changes) {
    AlterTableRequest request =
        AlterTableRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .addAllChanges(changes)
            .build();
    TableInfo altered =
        core.coordinators().change("Altering table " + path, stub -> stub.alterTable(request));
    core.tables().forget(path);
    return Descriptions.table(altered);
  }

  /**
   * Creates a partition.
   *
   * @param values canonical texts of its values, one for each partition column
   * @param ignoreIfExists whether an existing one will do, else PARTITION_EXISTS
   */
  public PartitionDescription createPartition(
      TablePath path, List<String> values, boolean ignoreIfExists) {
    CreatePartitionRequest request =
        CreatePartitionRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .addAllValues(values)
            .setIgnoreIfExists(ignoreIfExists)
            .build();
    PartitionInfo created =
        core.coordinators()
            .change(
                "Creating partition " + values + " of " + path,
                stub -> stub.createPartition(request));
    return Descriptions.partition(describe(path).partitionKeys(), created);
  }

  /** Drops a partition with its rows. Returns whether there was one. */
  public boolean dropPartition(TablePath path, List<String> values, boolean ignoreIfMissing) {
    DropPartitionRequest request =
        DropPartitionRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .addAllValues(values)
            .setIgnoreIfMissing(ignoreIfMissing)
            .build();
    boolean dropped =
        dropped(
            ErrorCode.PARTITION_NOT_FOUND,
            () ->
                core.coordinators()
                    .change(
                        "Dropping partition " + values + " of " + path,
                        stub -> stub.dropPartition(request))
                    .getDropped());
    core.tables().forget(path);
    return dropped;
  }

  /** The partitions of a table in the order of their ids, none when it is not partitioned. */
  public List<PartitionDescription> listPartitions(TablePath path) {
    return describe(path).partitions();
  }

  /** Drops a table. Returns whether there was one. */
  public boolean dropTable(TablePath path, boolean ignoreIfMissing) {
    DropTableRequest request =
        DropTableRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .setIgnoreIfMissing(ignoreIfMissing)
            .build();
    boolean dropped =
        dropped(
            ErrorCode.TABLE_NOT_FOUND,
            () ->
                core.coordinators()
                    .change("Dropping table " + path, stub -> stub.dropTable(request))
                    .getDropped());
    core.tables().forget(path);
    return dropped;
  }

  /** The table as it is now; TABLE_NOT_FOUND when there is none. */
  public TableDescription describe(TablePath path) {
    return core.tables().load(path);
  }

  /** The tables of a database, of all databases when it is null. */
  public List<TableDescription> listTables(@Nullable String database) {
    ListTablesRequest request =
        ListTablesRequest.newBuilder().setDatabase(database == null ? "" : database).build();
    return core
        .coordinators()
        .call("Listing tables", stub -> stub.listTables(request))
        .getTablesList()
        .stream()
        .map(Descriptions::table)
        .toList();
  }

  /** The tablet servers. */
  public List<ServerDescription> servers() {
    return core
        .coordinators()
        .call("Listing servers", stub -> stub.listServers(ListServersRequest.getDefaultInstance()))
        .getServersList()
        .stream()
        .map(Descriptions::server)
        .toList();
  }

  /**
   * The offsets of every bucket of a table that is not partitioned, by bucket number, as their
   * leaders say now; INVALID_ARGUMENT for a partitioned table, see {@link #listBucketOffsets}.
   */
  public Map<Integer, BucketOffsets> listOffsets(TablePath path) {
    TableDescription table = describe(path);
    if (table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Table "
              + path
              + " is partitioned, so that the number of a bucket is not enough; use"
              + " listBucketOffsets");
    }
    Map<Integer, BucketOffsets> offsets = new TreeMap<>();
    offsets(table).forEach((bucket, found) -> offsets.put(bucket.bucket(), found));
    return offsets;
  }

  /** The offsets of every bucket, of all partitions, as their leaders say now. */
  public Map<TableBucket, BucketOffsets> listBucketOffsets(TablePath path) {
    return offsets(describe(path));
  }

  private Map<TableBucket, BucketOffsets> offsets(TableDescription table) {
    List<TableBucket> buckets =
        table.buckets().stream().map(bucket -> bucket.tableBucket(table.tableId())).toList();
    Map<TableBucket, BucketOffsets> offsets = new TreeMap<>();
    core.leaders()
        .offsets(table, buckets, StartAt.START_LATEST, 0)
        .forEach(
            (bucket, found) ->
                offsets.put(
                    bucket,
                    new BucketOffsets(
                        found.getLogStart(),
                        found.getVisible(),
                        found.getStable(),
                        found.getLogEnd(),
                        found.getLeaderEpoch(),
                        found.getSizeBytes(),
                        found.getRowCount())));
    return offsets;
  }
}

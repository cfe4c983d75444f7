package io.sluice.client;

import io.sluice.client.TableSpec.ColumnSpec;
import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.Descriptions;
import io.sluice.common.TablePath;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.DropDatabaseRequest;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Administration. Every call blocks within the request time-out. Thread-safe. */
public final class Admin {
  private final ClientCore core;

  Admin(ClientCore core) {
    this.core = core;
  }

  /** Creates a database; DATABASE_EXISTS when there is one, unless that is ignored. */
  public void createDatabase(String name, boolean ignoreIfExists) {
    CreateDatabaseRequest request =
        CreateDatabaseRequest.newBuilder().setName(name).setIgnoreIfExists(ignoreIfExists).build();
    core.coordinators().call("Creating database " + name, stub -> stub.createDatabase(request));
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
    return core.coordinators()
        .call("Dropping database " + name, stub -> stub.dropDatabase(request))
        .getDropped();
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
            .putAllOptions(spec.options())
            .setComment(spec.comment())
            .setIgnoreIfExists(spec.ignoreIfExists());
    for (ColumnSpec column : spec.columns()) {
      request.addColumns(
          ColumnDef.newBuilder()
              .setName(column.name())
              .setType(column.type().toString())
              .setNotNull(!column.nullable())
              .setComment(column.comment()));
    }
    CreateTableRequest built = request.build();
    TableInfo created =
        core.coordinators().call("Creating table " + spec.path(), stub -> stub.createTable(built));
    return Descriptions.table(created);
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
        core.coordinators()
            .call("Dropping table " + path, stub -> stub.dropTable(request))
            .getDropped();
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

  /** The offsets of every bucket, as their leaders say now. */
  public Map<Integer, BucketOffsets> listOffsets(TablePath path) {
    TableDescription table = describe(path);
    List<Integer> buckets = table.buckets().stream().map(BucketDescription::bucket).toList();
    Map<Integer, BucketOffsets> offsets = new TreeMap<>();
    core.leaders()
        .listOffsets(table, buckets, StartAt.START_LATEST, 0)
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
                        found.getSizeBytes())));
    return offsets;
  }
}

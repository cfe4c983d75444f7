package io.sluice.coordinator.grpc;

import io.grpc.stub.StreamObserver;
import io.sluice.common.TablePath;
import io.sluice.coordinator.control.Alterations;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.TableDefinition;
import io.sluice.coordinator.control.Versioned;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Table;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.DropDatabaseRequest;
import io.sluice.protocol.metadata.v1.DropDatabaseResponse;
import io.sluice.protocol.metadata.v1.DropPartitionRequest;
import io.sluice.protocol.metadata.v1.DropPartitionResponse;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.DropTableResponse;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesResponse;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListServersResponse;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.ListTablesResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.concurrent.CompletableFuture;

/** {@code sluice.metadata.v1.MetadataService} over the {@link Catalog}. */
public final class MetadataGrpcService extends MetadataServiceGrpc.MetadataServiceImplBase {
  private final Catalog catalog;

  public MetadataGrpcService(Catalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public void createDatabase(CreateDatabaseRequest request, StreamObserver<DatabaseInfo> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .createDatabase(request.getName(), request.getComment(), request.getIgnoreIfExists())
            .thenApply(
                created -> MetadataMessages.database(created.image().state(), created.value())));
  }

  @Override
  public void dropDatabase(
      DropDatabaseRequest request, StreamObserver<DropDatabaseResponse> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .dropDatabase(request.getName(), request.getIgnoreIfMissing(), request.getCascade())
            .thenApply(dropped -> DropDatabaseResponse.newBuilder().setDropped(dropped).build()));
  }

  @Override
  public void listDatabases(
      ListDatabasesRequest request, StreamObserver<ListDatabasesResponse> answers) {
    UnaryAnswers.answer(
        answers, catalog.image().thenApply(image -> MetadataMessages.databases(image.state())));
  }

  @Override
  public void createTable(CreateTableRequest request, StreamObserver<TableInfo> answers) {
    TableDefinition definition =
        new TableDefinition(
            new TablePath(request.getDatabase(), request.getTable()),
            Schemas.newSchema(request.getColumnsList(), request.getPrimaryKeyList()),
            request.getPartitionKeysList(),
            request.getOptionsMap(),
            request.getComment());
    UnaryAnswers.answer(
        answers,
        catalog
            .createTable(definition, request.getIgnoreIfExists())
            .thenApply(MetadataGrpcService::tableInfo));
  }

  @Override
  public void alterTable(AlterTableRequest request, StreamObserver<TableInfo> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .alterTable(
                new TablePath(request.getDatabase(), request.getTable()),
                request.getTableId(),
                Alterations.of(request.getChangesList()))
            .thenApply(MetadataGrpcService::tableInfo));
  }

  @Override
  public void createPartition(
      CreatePartitionRequest request, StreamObserver<PartitionInfo> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .createPartition(
                new TablePath(request.getDatabase(), request.getTable()),
                request.getTableId(),
                request.getValuesList(),
                request.getIgnoreIfExists())
            .thenApply(MetadataMessages::partition));
  }

  @Override
  public void dropPartition(
      DropPartitionRequest request, StreamObserver<DropPartitionResponse> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .dropPartition(
                new TablePath(request.getDatabase(), request.getTable()),
                request.getValuesList(),
                request.getIgnoreIfMissing())
            .thenApply(dropped -> DropPartitionResponse.newBuilder().setDropped(dropped).build()));
  }

  @Override
  public void dropTable(DropTableRequest request, StreamObserver<DropTableResponse> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .dropTable(
                new TablePath(request.getDatabase(), request.getTable()),
                request.getIgnoreIfMissing())
            .thenApply(dropped -> DropTableResponse.newBuilder().setDropped(dropped).build()));
  }

  @Override
  public void getTable(GetTableRequest request, StreamObserver<TableInfo> answers) {
    CompletableFuture<Versioned<Table>> found =
        request.getTableId() != 0
            ? catalog.table(request.getTableId())
            : catalog.table(new TablePath(request.getDatabase(), request.getTable()));
    UnaryAnswers.answer(answers, found.thenApply(MetadataGrpcService::tableInfo));
  }

  @Override
  public void listTables(ListTablesRequest request, StreamObserver<ListTablesResponse> answers) {
    String database = request.getDatabase();
    CompletableFuture<MetadataImage> image =
        database.isEmpty()
            ? catalog.image()
            : catalog.database(database).thenApply(Versioned::image);
    UnaryAnswers.answer(
        answers, image.thenApply(found -> MetadataMessages.tables(found.state(), database)));
  }

  @Override
  public void listServers(ListServersRequest request, StreamObserver<ListServersResponse> answers) {
    UnaryAnswers.answer(
        answers, catalog.image().thenApply(image -> MetadataMessages.servers(image.state())));
  }

  @Override
  public void initWriter(InitWriterRequest request, StreamObserver<InitWriterResponse> answers) {
    UnaryAnswers.answer(
        answers,
        catalog
            .initWriter(request.getName())
            .thenApply(
                accepted ->
                    InitWriterResponse.newBuilder()
                        .setWriterId(accepted.id())
                        .setWriterEpoch(accepted.epoch())
                        .build()));
  }

  private static TableInfo tableInfo(Versioned<Table> found) {
    return MetadataMessages.table(found.image().state(), found.value());
  }
}

package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DropPartitionRequest;
import io.sluice.protocol.metadata.v1.DropPartitionResponse;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.SchemaDef;
import io.sluice.protocol.metadata.v1.TableChange;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What alterations and partitions become on the wire, and what comes back of them. */
@Timeout(60)
class AdminTest {
  private static final TablePath PATH = new TablePath("demo", "t");

  private final Coordinator coordinator = new Coordinator();
  private Server server;
  private Connection connection;

  /** Answers every question with one partitioned table and keeps what it was asked. */
  private static final class Coordinator extends MetadataServiceGrpc.MetadataServiceImplBase {
    private static final PartitionInfo PARTITION =
        PartitionInfo.newBuilder().setPartitionId(9).addValues("a/b").setCreatedMs(5).build();
    private static final TableInfo TABLE =
        TableInfo.newBuilder()
            .setTableId(7)
            .setDatabase("demo")
            .setTable("t")
            .setSchema(
                SchemaDef.newBuilder()
                    .setSchemaId(3)
                    .addColumns(
                        ColumnDef.newBuilder()
                            .setId(1)
                            .setName("dt")
                            .setType("STRING")
                            .setInitialDefault("x")
                            .setWriteDefault("y")))
            .setBucketCount(1)
            .setReplicationFactor(1)
            .addPartitionKeys("dt")
            .addPartitions(PARTITION)
            .addBuckets(BucketInfo.newBuilder().setPartitionId(9).setBucket(0))
            .build();

    private CreateTableRequest created;
    private AlterTableRequest altered;
    private CreatePartitionRequest partition;
    private DropPartitionRequest dropped;

    @Override
    public void createTable(CreateTableRequest request, StreamObserver<TableInfo> answers) {
      created = request;
      answer(answers, TABLE);
    }

    @Override
    public void getTable(GetTableRequest request, StreamObserver<TableInfo> answers) {
      answer(answers, TABLE);
    }

    @Override
    public void alterTable(AlterTableRequest request, StreamObserver<TableInfo> answers) {
      altered = request;
      if (request.getChangesCount() == 0) {
        answers.onError(
            StatusMapping.toStatus(new SluiceException(ErrorCode.INVALID_ALTER, "no change")));
      } else {
        answer(answers, TABLE);
      }
    }

    @Override
    public void createPartition(
        CreatePartitionRequest request, StreamObserver<PartitionInfo> answers) {
      partition = request;
      answer(answers, PARTITION);
    }

    @Override
    public void dropPartition(
        DropPartitionRequest request, StreamObserver<DropPartitionResponse> answers) {
      dropped = request;
      answer(answers, DropPartitionResponse.newBuilder().setDropped(true).build());
    }

    private static <M> void answer(StreamObserver<M> answers, M message) {
      answers.onNext(message);
      answers.onCompleted();
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(coordinator)
            .build()
            .start();
    connection = Connection.open(ClientConfig.of("127.0.0.1:" + server.getPort()));
  }

  @AfterEach
  void stop() {
    connection.close();
    server.shutdownNow();
  }

  @Test
  void aTableIsCreatedWithPartitionColumnsAndDefaults() {
    TableDescription created =
        connection
            .admin()
            .createTable(
                TableSpec.of("demo.t")
                    .column("n", new DataType.IntegerType(32), false, "7")
                    .column("dt", "STRING")
                    .partitionedBy("dt")
                    .build());
    assertThat(coordinator.created.getPartitionKeysList()).containsExactly("dt");
    assertThat(coordinator.created.getColumns(0).getWriteDefault()).isEqualTo("7");
    assertThat(coordinator.created.getColumns(1).hasWriteDefault()).isFalse();
    assertThat(created.partitioned()).isTrue();
    assertThat(created.partitionKeys()).containsExactly("dt");
    assertThat(created.partitions())
        .containsExactly(new PartitionDescription(9, List.of("a/b"), "dt=a%2Fb", 5));
    assertThat(created.buckets().get(0).tableBucket(7)).isEqualTo(new TableBucket(7, 9, 0));
    assertThat(created.schema().column("dt").initialDefault()).isEqualTo("x");
    assertThat(created.schema().column("dt").writeDefault()).isEqualTo("y");
  }

  @Test
  void columnsOptionsAndCommentAreAltered() {
    Admin admin = connection.admin();
    TableDescription altered =
        admin.alterTable(PATH, List.of(new SchemaChange.Rename(List.of("a", "b"), "c")));
    assertThat(altered.schema().schemaId()).isEqualTo(3);
    assertThat(coordinator.altered.getDatabase()).isEqualTo("demo");
    assertThat(coordinator.altered.getChanges(0).getRenameColumn().getPathList())
        .containsExactly("a", "b");
    admin.alterOptions(PATH, Map.of("table.log.ttl", "1 d"), List.of("owner"));
    assertThat(coordinator.altered.getChanges(0).getSetOption().getValue()).isEqualTo("1 d");
    assertThat(coordinator.altered.getChanges(1).getResetOption()).isEqualTo("owner");
    admin.alterComment(PATH, "");
    assertThat(coordinator.altered.getChangesList())
        .containsExactly(TableChange.newBuilder().setTableComment("").build());
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> admin.alterTable(PATH, List.of()));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ALTER);
  }

  @Test
  void partitionsAreCreatedListedAndDropped() {
    Admin admin = connection.admin();
    PartitionDescription created = admin.createPartition(PATH, List.of("a/b"), true);
    assertThat(created.name()).isEqualTo("dt=a%2Fb");
    assertThat(coordinator.partition.getIgnoreIfExists()).isTrue();
    assertThat(coordinator.partition.getValuesList()).containsExactly("a/b");
    assertThat(admin.listPartitions(PATH)).containsExactly(created);
    assertThat(admin.dropPartition(PATH, List.of("a/b"), false)).isTrue();
    assertThat(coordinator.dropped.getIgnoreIfMissing()).isFalse();
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> admin.listOffsets(PATH));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refused).hasMessageContaining("listBucketOffsets");
  }
}

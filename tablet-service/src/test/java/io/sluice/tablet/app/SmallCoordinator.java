package io.sluice.tablet.app;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.TableState;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.SchemaDef;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A coordinator with one table, {@code demo.events (id BIGINT)}, of one bucket on one tablet. */
final class SmallCoordinator implements AutoCloseable {
  private static final SchemaDef SCHEMA =
      SchemaDef.newBuilder()
          .setSchemaId(1)
          .addColumns(
              ColumnDef.newBuilder().setId(1).setName("id").setType("BIGINT").setNotNull(true))
          .build();

  final List<RegisterTablet> registrations = new CopyOnWriteArrayList<>();
  private final AtomicInteger epoch = new AtomicInteger();
  private final Server server;

  SmallCoordinator(ClusterSecret secret) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .intercept(
                ClusterTokenServerInterceptor.guarding(
                    secret, TimeSource.SYSTEM, Set.of(ClusterServiceGrpc.SERVICE_NAME)))
            .addService(new Sessions())
            .addService(new Tables())
            .build()
            .start();
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow().awaitTermination();
  }

  private final class Sessions extends ClusterServiceGrpc.ClusterServiceImplBase {
    @Override
    public StreamObserver<TabletMessage> tabletSession(StreamObserver<CoordinatorMessage> out) {
      return new StreamObserver<>() {
        @Override
        public void onNext(TabletMessage message) {
          if (message.hasRegister()) {
            registrations.add(message.getRegister());
            out.onNext(
                CoordinatorMessage.newBuilder()
                    .setImage(image(message.getRegister().getServerId()))
                    .build());
          }
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {
          out.onCompleted();
        }
      };
    }

    private Image image(int server) {
      int now = epoch.incrementAndGet();
      return Image.newBuilder()
          .setClusterId("small-cluster")
          .setIndex(now)
          .addTables(
              TableState.newBuilder()
                  .setTableId(1)
                  .setDatabase("demo")
                  .setTable("events")
                  .addSchemas(SCHEMA)
                  .setBucketCount(1))
          .addReplicas(
              ReplicaState.newBuilder()
                  .setBucket(BucketId.newBuilder().setTableId(1))
                  .setLeaderServerId(server)
                  .setLeaderEpoch(now)
                  .addReplicas(server)
                  .addIsr(server))
          .build();
    }
  }

  private final class Tables extends MetadataServiceGrpc.MetadataServiceImplBase {
    @Override
    public void getTable(GetTableRequest request, StreamObserver<TableInfo> answer) {
      RegisterTablet tablet = registrations.get(registrations.size() - 1);
      answer.onNext(
          TableInfo.newBuilder()
              .setTableId(1)
              .setDatabase("demo")
              .setTable("events")
              .setSchema(SCHEMA)
              .setBucketCount(1)
              .addBuckets(
                  BucketInfo.newBuilder()
                      .setLeaderServerId(tablet.getServerId())
                      .setLeader(
                          Endpoint.newBuilder()
                              .setHost(tablet.getHost())
                              .setFlightPort(tablet.getFlightPort())))
              .build());
      answer.onCompleted();
    }
  }
}

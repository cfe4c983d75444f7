package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.DropTableResponse;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListServersResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InterceptorsTest {
  private static final ClusterSecret SECRET = ClusterSecret.of(new byte[32]);

  private Server server;
  private ManagedChannel channel;
  private MetadataServiceGrpc.MetadataServiceBlockingStub metadata;

  @BeforeEach
  void start() throws Exception {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(intercepted(new FailingMetadata()))
            .addService(intercepted(new EchoCluster()))
            .addService(intercepted(new LookupServiceGrpc.LookupServiceImplBase() {}))
            .build()
            .start();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    metadata = MetadataServiceGrpc.newBlockingStub(channel);
  }

  private static io.grpc.ServerServiceDefinition intercepted(BindableService service) {
    InternalServiceGuard guard =
        new InternalServiceGuard(
            ClusterTokenServerInterceptor.guardingAll(SECRET, TimeSource.SYSTEM));
    // The last one named is the outermost.
    return ServerInterceptors.intercept(service, guard, new ErrorMappingInterceptor());
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  @Test
  void aThrownFailureKeepsItsCodeMessageAndDetails() {
    SluiceException failure =
        StatusMapping.fromStatus(
            catchThrowableOfType(
                StatusRuntimeException.class,
                () -> metadata.getTable(GetTableRequest.getDefaultInstance())));
    assertThat(failure.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(failure).hasMessage("thrown");
    assertThat(failure.details()).containsEntry("leader", "h:1");
  }

  @Test
  void aFailureGivenToTheObserverIsMappedToo() {
    SluiceException failure =
        StatusMapping.fromStatus(
            catchThrowableOfType(
                StatusRuntimeException.class,
                () -> metadata.dropTable(DropTableRequest.getDefaultInstance())));
    assertThat(failure.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void aDefectIsInternal() {
    StatusRuntimeException failure =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> metadata.listServers(ListServersRequest.getDefaultInstance()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(StatusMapping.fromStatus(failure).code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @Test
  void anInternalServiceNeedsTheTokenAndAPublicOneDoesNot() throws Exception {
    assertThat(openSession(channel)).isEqualTo(Status.Code.UNAUTHENTICATED);
    Channel known =
        ClientInterceptors.intercept(
            channel, new ClusterTokenClientInterceptor(SECRET, TimeSource.SYSTEM));
    assertThat(openSession(known)).isEqualTo(Status.Code.OK);
    Channel forged =
        ClientInterceptors.intercept(
            channel,
            new ClusterTokenClientInterceptor(
                ClusterSecret.of("x".repeat(32).getBytes()), TimeSource.SYSTEM));
    assertThat(openSession(forged)).isEqualTo(Status.Code.UNAUTHENTICATED);
  }

  @Test
  void lookupsArePublic() {
    StatusRuntimeException failure =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingUnaryCall(
                    channel,
                    LookupServiceGrpc.getLookupMethod(),
                    CallOptions.DEFAULT,
                    LookupRequest.getDefaultInstance()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
  }

  private static Status.Code openSession(Channel over) throws InterruptedException {
    BlockingQueue<Status> ended = new LinkedBlockingQueue<>();
    StreamObserver<TabletMessage> up =
        ClusterServiceGrpc.newStub(over)
            .tabletSession(
                new StreamObserver<>() {
                  @Override
                  public void onNext(CoordinatorMessage message) {}

                  @Override
                  public void onError(Throwable failure) {
                    ended.add(Status.fromThrowable(failure));
                  }

                  @Override
                  public void onCompleted() {
                    ended.add(Status.OK);
                  }
                });
    up.onCompleted();
    Status status = ended.poll(10, TimeUnit.SECONDS);
    return status == null ? Status.Code.DEADLINE_EXCEEDED : status.getCode();
  }

  private static final class FailingMetadata extends MetadataServiceGrpc.MetadataServiceImplBase {
    @Override
    public void getTable(GetTableRequest request, StreamObserver<TableInfo> answers) {
      throw new SluiceException(ErrorCode.NOT_LEADER, "thrown", Map.of("leader", "h:1"), null);
    }

    @Override
    public void dropTable(DropTableRequest request, StreamObserver<DropTableResponse> answers) {
      answers.onError(new SluiceException(ErrorCode.TABLE_NOT_FOUND, "given"));
    }

    @Override
    public void listServers(
        ListServersRequest request, StreamObserver<ListServersResponse> answers) {
      throw new IllegalStateException("a defect, on purpose");
    }
  }

  private static final class EchoCluster extends ClusterServiceGrpc.ClusterServiceImplBase {
    @Override
    public StreamObserver<TabletMessage> tabletSession(StreamObserver<CoordinatorMessage> down) {
      return new StreamObserver<>() {
        @Override
        public void onNext(TabletMessage message) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
          down.onCompleted();
        }
      };
    }
  }
}

package io.sluice.protocol.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListServersResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.testkit.MovedClock;
import java.net.InetSocketAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterTokenInterceptorTest {
  private final MovedClock clock = new MovedClock(1_700_000_000_000L);
  private final ClusterSecret secret = ClusterSecret.of(new byte[32]);

  private static final class Service extends MetadataServiceGrpc.MetadataServiceImplBase {
    @Override
    public void listServers(
        ListServersRequest request, StreamObserver<ListServersResponse> answer) {
      answer.onNext(ListServersResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private void call(ServerInterceptor server, ClientInterceptor... client) throws Exception {
    Server running =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(new Service())
            .intercept(server)
            .build()
            .start();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", running.getPort())
            .usePlaintext()
            .intercept(client)
            .build();
    try {
      MetadataServiceGrpc.newBlockingStub(channel)
          .listServers(ListServersRequest.getDefaultInstance());
    } catch (RuntimeException e) {
      throw StatusMapping.fromStatus(e);
    } finally {
      channel.shutdownNow();
      running.shutdownNow().awaitTermination();
    }
  }

  @Test
  void letsCallsWithATokenPass() throws Exception {
    call(
        ClusterTokenServerInterceptor.guardingAll(secret, clock),
        new ClusterTokenClientInterceptor(secret, clock));
  }

  @Test
  void refusesCallsWithoutATokenOrWithAnother() {
    ServerInterceptor server = ClusterTokenServerInterceptor.guardingAll(secret, clock);
    assertThatThrownBy(() -> call(server))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
        .hasMessageContaining("ListServers")
        .hasMessageContaining("sluice-cluster-token");
    ClusterSecret other = ClusterSecret.of("another secret of 32 bytes or so!".getBytes());
    assertThatThrownBy(() -> call(server, new ClusterTokenClientInterceptor(other, clock)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
  }

  @Test
  void leavesServicesAloneThatItDoesNotGuard() throws Exception {
    call(
        ClusterTokenServerInterceptor.guarding(
            secret, clock, Set.of("sluice.cluster.v1.ClusterService")));
    assertThatThrownBy(
            () ->
                call(
                    ClusterTokenServerInterceptor.guarding(
                        secret, clock, Set.of(MetadataServiceGrpc.SERVICE_NAME))))
        .isInstanceOf(SluiceException.class);
  }
}

package io.sluice.tiering.app;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.tiering.commit.GrpcLake;
import io.sluice.tiering.commit.Lake;
import io.sluice.tiering.read.FlightLogSource;
import io.sluice.tiering.read.LogSource;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The connections to tablets and to lake-service, made on first use. */
@Configuration(proxyBeanMethods = false)
final class NeighboursConfiguration {
  private static final long KEEP_ALIVE_SECONDS = 20;
  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;

  @Bean
  Connection connection(TieringProperties properties) {
    return Connection.open(
        ClientConfig.of(String.join(",", properties.coordinators()))
            .withScanBufferBytes(properties.scanBufferBytes().toBytes()));
  }

  @Bean
  LogSource logSource(Connection connection) {
    return new FlightLogSource(connection);
  }

  @Bean(destroyMethod = "shutdownNow")
  ManagedChannel lakeChannel(TieringProperties properties, ClusterSecret secret, TimeSource time) {
    return NettyChannelBuilder.forTarget(properties.lake())
        .usePlaintext()
        .intercept(new ClusterTokenClientInterceptor(secret, time))
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .build();
  }

  @Bean
  Lake lake(ManagedChannel lakeChannel, TieringProperties properties) {
    return new GrpcLake(lakeChannel, properties.lakeTimeout());
  }
}

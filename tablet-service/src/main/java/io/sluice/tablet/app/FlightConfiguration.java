package io.sluice.tablet.app;

import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.TimeSource;
import io.sluice.protocol.lookup.LookupMethods;
import io.sluice.protocol.replication.ReplicationMethods;
import io.sluice.protocol.transport.BulkTransport;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.Metadata;
import io.sluice.tablet.flight.FlightContext;
import io.sluice.tablet.flight.FlightMeters;
import io.sluice.tablet.flight.FlightSettings;
import io.sluice.tablet.flight.TabletFlightService;
import io.sluice.tablet.lookup.KvMeters;
import io.sluice.tablet.lookup.LookupService;
import io.sluice.tablet.lookup.RowLookups;
import io.sluice.tablet.replica.ReplicaSet;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.ServerBuilderCustomizer;

/** Arrow Flight on Spring's gRPC server. */
@Configuration(proxyBeanMethods = false)
final class FlightConfiguration {
  @Bean
  FlightMeters flightMeters(MeterRegistry registry) {
    return new FlightMeters(registry);
  }

  @Bean
  RowLookups rowLookups(TabletProperties properties, ReplicaSet replicas, MeterRegistry registry) {
    return new RowLookups(replicas, new KvMeters(registry), properties.lookupThreads());
  }

  @Bean
  LookupService lookupService(RowLookups lookups) {
    return new LookupService(lookups);
  }

  @Bean
  TabletFlightService flightService(
      TabletProperties properties,
      ServiceIdentity identity,
      ReplicaSet replicas,
      RowLookups lookups,
      Metadata metadata,
      AppliedSignal applied,
      BufferAllocator allocator,
      FlightMeters meters,
      TimeSource time) {
    FlightSettings settings =
        new FlightSettings(
            properties.id(),
            identity.version(),
            properties.unansweredBytes().toBytes(),
            Math.toIntExact(properties.scanBufferBytes().toBytes()),
            properties.maxScans(),
            properties.scanThreads(),
            properties.putTimeout());
    return new TabletFlightService(
        new FlightContext(
            settings,
            replicas,
            lookups,
            metadata,
            applied,
            allocator,
            PooledByteBufAllocator.DEFAULT,
            meters,
            replicas::clusterId,
            time));
  }

  /** Ends streams before the gRPC server waits for them; what was put is still answered. */
  @Bean
  ServiceLifecycle flightLifecycle(TabletFlightService flight) {
    return new ServiceLifecycle("flight", LifecyclePhase.SERVING, () -> {}, flight::stopAccepting);
  }

  // Closed after the gRPC server, whose lifecycle ends before beans are destroyed.
  @Bean
  BulkTransport bulkTransport() {
    return BulkTransport.open("flight-io", Runtime.getRuntime().availableProcessors());
  }

  @Bean
  ServerBuilderCustomizer<NettyServerBuilder> flightServer(BulkTransport transport) {
    return builder ->
        transport
            .use(builder)
            .maxInboundMessageSize(FlightSettings.MAX_MESSAGE_BYTES)
            .flowControlWindow(FlightSettings.FLOW_CONTROL_WINDOW_BYTES)
            .callExecutor(
                CallsOnTransport.of(
                    LookupMethods.lookup(),
                    ReplicationMethods.fetchServer(),
                    FlightServiceGrpc.getDoPutMethod()));
  }
}

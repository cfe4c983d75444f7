package io.sluice.tablet.flight;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.protocol.transport.BulkTransport;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.MetadataClient;
import io.sluice.tablet.lookup.KvMeters;
import io.sluice.tablet.lookup.LookupService;
import io.sluice.tablet.lookup.RowLookups;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Tablets with replicas in memory and a coordinator in memory, on loopback ports. */
final class FlightHarness implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(20);

  /** Prefix of the names of the threads that move bytes. */
  static final String LOOP_THREADS = "flight-io";

  static final TablePath EVENTS = new TablePath("demo", "events");

  // It prints a stack trace for every stream that a test cancels while data is on its way.
  private static final Logger STREAM_ERRORS = Logger.getLogger("io.grpc.netty.NettyServerHandler");

  static {
    STREAM_ERRORS.setLevel(Level.SEVERE);
  }

  /** One tablet server. */
  static final class Tablet implements AutoCloseable {
    final int id;
    final FakeReplicas replicas = new FakeReplicas();
    final BufferAllocator allocator = new RootAllocator(256L << 20);
    final UnpooledByteBufAllocator scanBuffers = new UnpooledByteBufAllocator(true, true);
    final FlightMeters meters = new FlightMeters(new SimpleMeterRegistry());
    final RowLookups lookups;
    final TabletFlightService service;
    final BulkTransport transport;
    final Server server;
    final CoordinatorChannels channels;

    Tablet(int id, String coordinator, FlightSettings settings) throws IOException {
      this.id = id;
      ClusterSecret secret = ClusterSecret.of(new byte[32]);
      channels =
          new CoordinatorChannels(
              List.of(coordinator), new ClusterTokenClientInterceptor(secret, TimeSource.SYSTEM));
      lookups = new RowLookups(replicas, new KvMeters(new SimpleMeterRegistry()), 2);
      service =
          new TabletFlightService(
              new FlightContext(
                  settings,
                  replicas,
                  lookups,
                  new MetadataClient(channels, TimeSource.SYSTEM, Duration.ofSeconds(5)),
                  new AppliedSignal(),
                  allocator,
                  scanBuffers,
                  meters,
                  () -> "test-cluster",
                  TimeSource.SYSTEM));
      transport = BulkTransport.open(LOOP_THREADS, 2);
      server =
          transport
              .use(NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)))
              .maxInboundMessageSize(FlightSettings.MAX_MESSAGE_BYTES)
              .flowControlWindow(FlightSettings.FLOW_CONTROL_WINDOW_BYTES)
              .addService(service)
              .addService(new LookupService(lookups))
              .build()
              .start();
    }

    int port() {
      return server.getPort();
    }

    /**
     * Waits until no stream is open and no memory of either kind is in use, but for encoders that
     * wait for the next upload.
     */
    void awaitIdle() {
      Await.until(
          "nothing in use: " + allocator.getAllocatedMemory(),
          SOON,
          () ->
              service.openStreams() == 0
                  && allocator.getAllocatedMemory() == service.idleBytes()
                  && scanBuffers.metric().usedDirectMemory() == 0);
    }

    @Override
    public void close() {
      service.close();
      lookups.close();
      server.shutdownNow();
      try {
        server.awaitTermination();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      transport.close();
      channels.close();
    }
  }

  final FakeCoordinator coordinator = new FakeCoordinator();
  final BufferAllocator clientAllocator = new RootAllocator();
  final List<Tablet> tablets = new ArrayList<>();
  private final Server coordinatorServer;
  private final List<AutoCloseable> opened = new ArrayList<>();

  FlightHarness() throws IOException {
    this(FlightSettings.defaults(1), 1);
  }

  FlightHarness(FlightSettings first, int count) throws IOException {
    coordinatorServer =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(coordinator)
            .build()
            .start();
    for (int id = 1; id <= count; id++) {
      FlightSettings settings = id == 1 ? first : FlightSettings.defaults(id);
      Tablet tablet = new Tablet(id, "127.0.0.1:" + coordinatorServer.getPort(), settings);
      tablets.add(tablet);
      coordinator.add(new FakeCoordinator.Tablet(id, tablet.port(), tablet.replicas));
    }
  }

  Tablet tablet() {
    return tablets.get(0);
  }

  /** The table of most tests: {@code id BIGINT NOT NULL, name STRING, amount DOUBLE}. */
  static TableSchema eventsSchema() {
    return new TableSchema(
        1,
        List.of(
            Column.of(1, "id", DataTypeParser.parse("BIGINT"), false),
            Column.of(2, "name", DataTypeParser.parse("STRING"), true),
            Column.of(3, "amount", DataTypeParser.parse("DOUBLE"), true)),
        List.of());
  }

  TableInfo createEvents(int buckets, String... key) {
    return coordinator.create(EVENTS, eventsSchema(), buckets, List.of(key));
  }

  FakeReplica replica(TableInfo table, int bucket) {
    int tablet = bucket % tablets.size();
    return tablets.get(tablet).replicas.replica(table.getTableId(), bucket);
  }

  /** A stock client of the first tablet. */
  FlightClient client() {
    return client(tablet().port());
  }

  FlightClient client(int port) {
    FlightClient client =
        FlightClient.builder(clientAllocator, Location.forGrpcInsecure("127.0.0.1", port)).build();
    opened.add(client);
    return client;
  }

  /** A plain channel to the first tablet. */
  ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", tablet().port())
            .usePlaintext()
            .disableRetry()
            .maxInboundMessageSize(FlightSettings.MAX_MESSAGE_BYTES)
            .build();
    opened.add(channel::shutdownNow);
    return channel;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    tablets.forEach(Tablet::close);
    coordinatorServer.shutdownNow().awaitTermination();
    for (Tablet tablet : tablets) {
      tablet.awaitIdle();
      tablet.allocator.close();
    }
    clientAllocator.close();
  }
}

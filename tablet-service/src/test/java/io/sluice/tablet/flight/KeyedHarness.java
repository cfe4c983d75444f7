package io.sluice.tablet.flight;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.MetadataClient;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.LogConfig;
import io.sluice.tablet.lookup.KvMeters;
import io.sluice.tablet.lookup.LookupService;
import io.sluice.tablet.lookup.RowLookups;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.KvHost;
import io.sluice.tablet.replica.ReplicaRole;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicaUpdate;
import io.sluice.tablet.replica.TabletStorageConfig;
import io.sluice.testkit.Await;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A tablet with real replicas and a coordinator in memory, on loopback ports; {@link #another} adds
 * a tablet to the same coordinator.
 */
final class KeyedHarness implements AutoCloseable, FakeCoordinator.Hosting {
  static final TablePath AIRPORTS = new TablePath("demo", "airports");

  final FakeCoordinator coordinator;
  final BufferAllocator clientAllocator = new RootAllocator();
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final BufferAllocator allocator = new RootAllocator(256L << 20);
  private final UnpooledByteBufAllocator scanBuffers = new UnpooledByteBufAllocator(true, true);
  final ReplicaSet replicas;
  private final KvHost kv;
  private final RowLookups lookups;
  private final TabletFlightService service;
  private final CoordinatorChannels channels;
  private final int server;
  private final boolean ownsCoordinator;
  private final Server coordinatorServer;
  private final Server flight;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private long index;

  KeyedHarness(Path directory) throws Exception {
    this(directory, 1, new FakeCoordinator(), null);
  }

  /** Another tablet, with the next server id; closed by its caller, before this one. */
  KeyedHarness another(Path directory) throws Exception {
    return new KeyedHarness(directory, server + 1, coordinator, coordinatorServer);
  }

  private KeyedHarness(
      Path directory, int server, FakeCoordinator coordinator, @Nullable Server running)
      throws Exception {
    this.server = server;
    this.coordinator = coordinator;
    this.ownsCoordinator = running == null;
    this.coordinatorServer =
        running != null
            ? running
            : NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(coordinator)
                .build()
                .start();
    kv =
        KvHost.open(
            new KvSettings(16 << 20, 8 << 20, 4 << 20, 32, 1, 60_000, 32 << 20),
            allocator,
            TimeSource.SYSTEM,
            coordinator::grantIds);
    replicas =
        ReplicaSet.open(
            new TabletStorageConfig(
                server,
                directory,
                LogConfig.DEFAULT,
                DiskLimits.DEFAULT,
                2,
                8 << 20,
                2,
                16,
                1000,
                10_000,
                10_000),
            TimeSource.SYSTEM,
            new FormatBatchSlicer(allocator),
            kv);
    replicas.apply(
        new ReplicaUpdate.Image("test-cluster", ++index, List.of(), List.of(), List.of()));
    lookups = new RowLookups(replicas, new KvMeters(registry), 2);
    channels =
        new CoordinatorChannels(
            List.of("127.0.0.1:" + coordinatorServer.getPort()),
            new ClusterTokenClientInterceptor(ClusterSecret.of(new byte[32]), TimeSource.SYSTEM));
    service =
        new TabletFlightService(
            new FlightContext(
                FlightSettings.defaults(server),
                replicas,
                lookups,
                new MetadataClient(channels, TimeSource.SYSTEM, Duration.ofSeconds(5)),
                new AppliedSignal(),
                allocator,
                scanBuffers,
                new FlightMeters(registry),
                () -> "test-cluster",
                TimeSource.SYSTEM));
    flight =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .maxInboundMessageSize(FlightSettings.MAX_MESSAGE_BYTES)
            .addService(service)
            .addService(new LookupService(lookups))
            .callExecutor(LookupService.callsOnTransport())
            .build()
            .start();
    coordinator.add(new FakeCoordinator.Tablet(server, flight.getPort(), this));
  }

  /** {@code iata STRING, name STRING, elevation INT}, key iata. */
  static TableSchema airportsSchema() {
    return new TableSchema(
        1,
        List.of(
            Column.of(1, "iata", DataTypeParser.parse("STRING"), false),
            Column.of(2, "name", DataTypeParser.parse("STRING"), true),
            Column.of(3, "elevation", DataTypeParser.parse("INT"), true)),
        List.of("iata"));
  }

  TableInfo createAirports(int buckets) {
    return coordinator.create(AIRPORTS, airportsSchema(), buckets, List.of("iata"));
  }

  @Override
  public void host(HostedTable table, int... buckets) {
    hostPartition(table, TableBucket.NO_PARTITION, buckets);
  }

  @Override
  public void dropPartition(HostedTable table, long partitionId, int... buckets) {
    Set<TableBucket> gone = new HashSet<>();
    for (int bucket : buckets) {
      gone.add(new TableBucket(table.tableId(), partitionId, bucket));
    }
    replicas.apply(
        new ReplicaUpdate.Delta(++index, List.of(table), Set.of(), List.of(), gone, List.of()));
  }

  @Override
  public void hostPartition(HostedTable table, long partitionId, int... buckets) {
    List<ReplicaRole> roles = new ArrayList<>();
    for (int bucket : buckets) {
      roles.add(
          new ReplicaRole(
              new TableBucket(table.tableId(), partitionId, bucket),
              server,
              1,
              List.of(server),
              List.of(server),
              1));
    }
    replicas.apply(
        new ReplicaUpdate.Delta(++index, List.of(table), Set.of(), roles, Set.of(), List.of()));
    for (ReplicaRole role : roles) {
      Await.until(
          "leads " + role.bucket(),
          FlightHarness.SOON,
          () -> TableDirectory.leads(replicas.require(role.bucket())));
    }
  }

  /** Another server, which never asks for anything, is in sync of a bucket that this one leads. */
  void joinedByASilentServer(TableBucket bucket) {
    List<Integer> both = List.of(server, server + 1);
    ReplicaRole role = new ReplicaRole(bucket, server, 1, both, both, 2);
    replicas.apply(
        new ReplicaUpdate.Delta(++index, List.of(), Set.of(), List.of(role), Set.of(), List.of()));
  }

  @Override
  public void drop(long tableId) {
    replicas.apply(
        new ReplicaUpdate.Delta(
            ++index, List.of(), Set.of(tableId), List.of(), Set.of(), List.of()));
  }

  String address() {
    return "127.0.0.1:" + flight.getPort();
  }

  FlightClient client() {
    FlightClient client =
        FlightClient.builder(
                clientAllocator, Location.forGrpcInsecure("127.0.0.1", flight.getPort()))
            .build();
    opened.add(client);
    return client;
  }

  ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", flight.getPort())
            .usePlaintext()
            .disableRetry()
            .build();
    opened.add(channel::shutdownNow);
    return channel;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    service.close();
    lookups.close();
    flight.shutdownNow().awaitTermination();
    channels.close();
    if (ownsCoordinator) {
      coordinatorServer.shutdownNow().awaitTermination();
    }
    replicas.close();
    kv.close();
    Await.until(
        "no memory in use: " + allocator.getAllocatedMemory(),
        FlightHarness.SOON,
        () -> allocator.getAllocatedMemory() == 0 && scanBuffers.metric().usedDirectMemory() == 0);
    allocator.close();
    clientAllocator.close();
  }
}

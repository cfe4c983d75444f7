package io.sluice.tablet.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.tablet.flight.TabletFlightService;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

final class TabletApplicationIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final FlightDescriptor EVENTS = FlightDescriptor.path("demo", "events");

  @TempDir private Path directory;

  private ConfigurableApplicationContext start(SmallCoordinator coordinator, Path secret) {
    return SpringApplication.run(
        TabletApplication.class,
        "--sluice.tablet.id=7",
        "--sluice.tablet.data-dir=" + directory.resolve("data"),
        "--sluice.tablet.coordinators=" + coordinator.address(),
        "--sluice.cluster.secret-file=" + secret,
        "--spring.grpc.server.port=0",
        "--server.port=0");
  }

  private static String http(ConfigurableApplicationContext tablet, String path)
      throws IOException, InterruptedException {
    String port = tablet.getEnvironment().getRequiredProperty("local.server.port");
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static FlightClient client(BufferAllocator allocator, SmallCoordinator coordinator) {
    int last = coordinator.registrations.size() - 1;
    int port = coordinator.registrations.get(last).getFlightPort();
    return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port)).build();
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void becomesReadyServesStopsInOrderAndServesTheSameRowsAgain() throws Exception {
    Path secretFile = directory.resolve("secret");
    ClusterSecret secret = ClusterSecret.readOrCreate(secretFile);
    try (SmallCoordinator coordinator = new SmallCoordinator(secret);
        BufferAllocator allocator = new RootAllocator()) {
      try (ConfigurableApplicationContext tablet = start(coordinator, secretFile)) {
        Await.until(
            "ready",
            SOON,
            () -> http(tablet, "/actuator/health/readiness").contains("\"registered\":\"ok\""));
        try (FlightClient client = client(allocator, coordinator)) {
          put(client, allocator, 1000);
          assertThat(count(client)).isEqualTo(1000);
        }
        assertThat(http(tablet, "/api/v1/replicas"))
            .contains("\"table\":\"demo.events\"")
            .contains("\"visible\":1000")
            .contains("\"leader\":true");
        assertThat(lookup(coordinator).getError().getMessage())
            .contains("demo.events is a log table");
        assertThat(http(tablet, "/actuator/prometheus"))
            .contains("sluice_kv_stores 0.0")
            .contains("sluice_kv_block_cache_bytes")
            .contains("sluice_kv_applied_lag 0.0")
            .contains("sluice_kv_gets_total 0.0")
            .contains("sluice_append_rows_total 1000.0")
            .contains("sluice_session_connected 1.0");
        long kept = tablet.getBean(TabletFlightService.class).idleBytes();
        assertThat(http(tablet, "/actuator/prometheus"))
            .as("nothing but memory for the next upload")
            .contains("sluice_allocator_used_bytes " + (double) kept);
      }
      try (ConfigurableApplicationContext tablet = start(coordinator, secretFile)) {
        Await.until("second registration", SOON, () -> coordinator.registrations.size() == 2);
        assertThat(coordinator.registrations.get(0).getClusterId()).isEmpty();
        assertThat(coordinator.registrations.get(1).getClusterId()).isEqualTo("small-cluster");
        assertThat(coordinator.registrations.get(1).getCleanStop()).isTrue();
        assertThat(coordinator.registrations.get(1).getDirectoriesList()).hasSize(1);
        assertThat(coordinator.registrations.get(1).getIncarnation())
            .isNotEqualTo(coordinator.registrations.get(0).getIncarnation());
        assertThat(tablet.isRunning()).isTrue();
        try (FlightClient client = client(allocator, coordinator)) {
          Await.until("all rows", SOON, () -> count(client) == 1000);
        }
      }
    }
  }

  private static void put(FlightClient client, BufferAllocator allocator, int rows) {
    Schema schema =
        new Schema(
            java.util.List.of(
                new Field("id", FieldType.notNullable(new ArrowType.Int(64, true)), null)));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      BigIntVector ids = (BigIntVector) root.getVector("id");
      ids.allocateNew(rows);
      for (int row = 0; row < rows; row++) {
        ids.set(row, row);
      }
      root.setRowCount(rows);
      FlightClient.ClientStreamListener upload =
          client.startPut(EVENTS, root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  /** The answer of the lookup service about the table of the test, which has no key. */
  private static LookupResponse lookup(SmallCoordinator coordinator) throws Exception {
    int last = coordinator.registrations.size() - 1;
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                "127.0.0.1", coordinator.registrations.get(last).getFlightPort())
            .usePlaintext()
            .build();
    CompletableFuture<LookupResponse> answer = new CompletableFuture<>();
    try {
      StreamObserver<LookupRequest> stream =
          LookupServiceGrpc.newStub(channel)
              .lookup(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(LookupResponse response) {
                      answer.complete(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      answer.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {}
                  });
      stream.onNext(LookupRequest.newBuilder().setRequestId(1).setTableId(1).build());
      LookupResponse response = answer.get(30, TimeUnit.SECONDS);
      stream.onCompleted();
      return response;
    } finally {
      channel.shutdownNow();
    }
  }

  private static long count(FlightClient client) throws Exception {
    FlightInfo info = client.getInfo(EVENTS);
    long rows = 0;
    try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
      while (stream.next()) {
        rows += stream.getRoot().getRowCount();
      }
    }
    return rows;
  }
}

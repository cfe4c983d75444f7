package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arrow's own Java FlightClient, nothing of ours, works with the tablets. */
final class StockFlightClientIT {
  private static final Schema UPLOAD =
      new Schema(
          List.of(
              Field.nullable("name", ArrowType.Utf8.INSTANCE),
              Field.nullable("id", new ArrowType.Int(64, true))));

  private final LocalCluster cluster = LocalCluster.shared();
  private BufferAllocator allocator;
  private FlightClient client;

  @BeforeEach
  void connect() {
    allocator = new RootAllocator();
    client = connect(cluster.flightPort(1));
    action("create-database", "{\"name\":\"stock\",\"ignoreIfExists\":true}");
  }

  @AfterEach
  void disconnect() throws InterruptedException {
    client.close();
    allocator.close();
  }

  @Test
  void listsTablesWithTheirSchema() {
    createTable("listed", 1);
    List<FlightInfo> found = new ArrayList<>();
    client.listFlights(Criteria.ALL).forEach(found::add);
    assertThat(found)
        .anySatisfy(
            info -> {
              assertThat(info.getDescriptor().getPath()).containsExactly("stock", "listed");
              assertThat(info.getSchemaOptional().orElseThrow().getFields())
                  .extracting(Field::getName)
                  .containsExactly("id", "name");
            });
    assertThat(client.getSchema(FlightDescriptor.path("stock", "listed")).getSchema().getFields())
        .hasSize(2);
  }

  @Test
  void uploadsToBucketsOfBothTabletsAndReadsThemBack() throws Exception {
    createTable("uploaded", 4);
    upload("uploaded", 0, 10_000, 2_500);
    List<Long> ids = new ArrayList<>();
    FlightInfo info = client.getInfo(FlightDescriptor.path("stock", "uploaded"));
    assertThat(info.getEndpoints()).hasSize(4);
    for (FlightEndpoint endpoint : info.getEndpoints()) {
      ids.addAll(read(endpoint));
    }
    assertThat(ids.stream().sorted().toList())
        .isEqualTo(java.util.stream.LongStream.range(0, 10_000).boxed().toList());
  }

  @Test
  void followsATableWhileItGrows() throws Exception {
    createTable("followed", 1);
    upload("followed", 0, 10, 10);
    FlightEndpoint endpoint =
        client.getInfo(FlightDescriptor.path("stock", "followed")).getEndpoints().get(0);
    String ticket =
        "{\"database\":\"stock\",\"table\":\"followed\",\"columns\":[\"id\"],"
            + "\"buckets\":[{\"bucket\":0,\"endAt\":\"END_NONE\"}]}";
    try (FlightClient leader = connect(endpoint.getLocations().get(0).getUri().getPort());
        FlightStream stream =
            leader.getStream(new Ticket(ticket.getBytes(StandardCharsets.UTF_8)))) {
      List<Long> ids = new ArrayList<>();
      collect(stream, ids, 10);
      upload("followed", 10, 15, 5);
      collect(stream, ids, 15);
      assertThat(ids).isEqualTo(java.util.stream.LongStream.range(0, 15).boxed().toList());
      stream.cancel("seen enough", null);
    }
  }

  @Test
  void listsOffsets() throws Exception {
    createTable("offsets", 1);
    upload("offsets", 0, 7, 7);
    FlightEndpoint endpoint =
        client.getInfo(FlightDescriptor.path("stock", "offsets")).getEndpoints().get(0);
    try (FlightClient leader = connect(endpoint.getLocations().get(0).getUri().getPort())) {
      String answer =
          action(
              leader,
              "list-offsets",
              "{\"database\":\"stock\",\"table\":\"offsets\",\"at\":\"START_LATEST\"}");
      assertThat(answer).contains("\"visible\":").contains("\"7\"");
    }
  }

  @Test
  void refusesAnUnknownColumnAndGoesOn() {
    createTable("strict", 1);
    Schema wrong =
        new Schema(
            List.of(
                Field.nullable("id", new ArrowType.Int(64, true)),
                Field.nullable("nmae", ArrowType.Utf8.INSTANCE)));
    assertThatThrownBy(
            () -> {
              try (VectorSchemaRoot root = VectorSchemaRoot.create(wrong, allocator)) {
                root.allocateNew();
                root.setRowCount(1);
                put("strict", root);
              }
            })
        .isInstanceOf(FlightRuntimeException.class)
        .hasMessageContaining("nmae")
        .hasMessageContaining("id, name");
  }

  @Test
  void refusesATableThatDoesNotExist() {
    assertThatThrownBy(() -> client.getInfo(FlightDescriptor.path("stock", "missing")))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.NOT_FOUND))
        .hasMessageContaining("stock.missing");
  }

  @Test
  void refusesBucketNumbersOutOfRange() {
    for (String count : List.of("0", "5000", "-1", "many")) {
      assertThatThrownBy(
              () ->
                  action(
                      "create-table",
                      "{\"database\":\"stock\",\"table\":\"b\",\"columns\":[{\"name\":\"id\","
                          + "\"type\":\"INT\"}],\"options\":{\"bucket.num\":\""
                          + count
                          + "\"}}"))
          .isInstanceOf(FlightRuntimeException.class)
          .hasMessageContaining("bucket.num")
          .hasMessageContaining(count)
          .hasMessageContaining("4096");
    }
  }

  private void createTable(String name, int buckets) {
    action(
        "create-table",
        "{\"database\":\"stock\",\"table\":\""
            + name
            + "\",\"columns\":[{\"name\":\"id\",\"type\":\"BIGINT\",\"notNull\":true},"
            + "{\"name\":\"name\",\"type\":\"STRING\"}],\"options\":{\"bucket.num\":\""
            + buckets
            + "\"}}");
  }

  private void upload(String table, int from, int to, int rowsPerBatch) throws Exception {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(UPLOAD, allocator)) {
      FlightClient.ClientStreamListener writer =
          client.startPut(FlightDescriptor.path("stock", table), root, new AsyncPutListener());
      for (int start = from; start < to; start += rowsPerBatch) {
        fill(root, start, Math.min(to, start + rowsPerBatch));
        writer.putNext();
      }
      writer.completed();
      writer.getResult();
    }
  }

  private void put(String table, VectorSchemaRoot root) {
    FlightClient.ClientStreamListener writer =
        client.startPut(FlightDescriptor.path("stock", table), root, new AsyncPutListener());
    writer.putNext();
    writer.completed();
    writer.getResult();
  }

  private static void fill(VectorSchemaRoot root, int from, int to) {
    root.clear();
    VarCharVector names = (VarCharVector) root.getVector("name");
    BigIntVector ids = (BigIntVector) root.getVector("id");
    for (int id = from; id < to; id++) {
      ids.setSafe(id - from, id);
      if (id % 3 != 0) {
        names.setSafe(id - from, ("row " + id).getBytes(StandardCharsets.UTF_8));
      }
    }
    root.setRowCount(to - from);
  }

  private List<Long> read(FlightEndpoint endpoint) throws Exception {
    try (FlightClient leader = connect(endpoint.getLocations().get(0).getUri().getPort());
        FlightStream stream = leader.getStream(endpoint.getTicket())) {
      List<Long> ids = new ArrayList<>();
      while (stream.next()) {
        VectorSchemaRoot root = stream.getRoot();
        BigIntVector id = (BigIntVector) root.getVector("id");
        VarCharVector name = (VarCharVector) root.getVector("name");
        for (int i = 0; i < root.getRowCount(); i++) {
          ids.add(id.get(i));
          String expected = id.get(i) % 3 == 0 ? null : "row " + id.get(i);
          assertThat(name.isNull(i) ? null : name.getObject(i).toString()).isEqualTo(expected);
        }
      }
      return ids;
    }
  }

  private static void collect(FlightStream stream, List<Long> ids, int until) {
    while (ids.size() < until && stream.next()) {
      BigIntVector id = (BigIntVector) stream.getRoot().getVector("id");
      for (int i = 0; i < stream.getRoot().getRowCount(); i++) {
        ids.add(id.get(i));
      }
    }
  }

  private FlightClient connect(int port) {
    return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port)).build();
  }

  private String action(String type, String json) {
    return action(client, type, json);
  }

  private static String action(FlightClient client, String type, String json) {
    Iterator<Result> results =
        client.doAction(new Action(type, json.getBytes(StandardCharsets.UTF_8)));
    return String.join(
        "\n",
        StreamSupport.stream(((Iterable<Result>) () -> results).spliterator(), false)
            .map(result -> new String(result.getBody(), StandardCharsets.UTF_8))
            .toList());
  }
}

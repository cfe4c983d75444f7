package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.WriterStateRequest;
import io.sluice.protocol.flight.v1.WriterStateResponse;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FlightMetadataServiceTest {
  private FlightHarness harness;
  private FlightClient client;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private void put(long rows) {
    try (VectorSchemaRoot root = Events.root(harness.clientAllocator)) {
      FlightClient.ClientStreamListener upload =
          client.startPut(FlightDescriptor.path("demo", "events"), root, new AsyncPutListener());
      Events.fill(root, 0, rows);
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private byte[] act(String name, byte[] body) {
    Iterator<Result> results = client.doAction(new Action(name, body));
    return results.next().getBody();
  }

  private String actJson(String name, String body) {
    return new String(act(name, body.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  @Test
  void listsTablesWithAnEndpointForEachBucket() {
    harness.createEvents(3);
    harness.coordinator.create(
        new TablePath("other", "things"), FlightHarness.eventsSchema(), 1, List.of());
    List<FlightInfo> all = new ArrayList<>();
    client.listFlights(Criteria.ALL).forEach(all::add);
    assertThat(all).hasSize(2);
    List<FlightInfo> other = new ArrayList<>();
    client.listFlights(new Criteria("other".getBytes(StandardCharsets.UTF_8))).forEach(other::add);
    assertThat(other).hasSize(1);
    assertThat(other.get(0).getDescriptor().getPath()).containsExactly("other", "things");
    assertThat(all.get(0).getEndpoints()).hasSize(3);
    assertThat(all.get(0).getEndpoints().get(0).getLocations().get(0).getUri().toString())
        .isEqualTo("grpc+tcp://127.0.0.1:" + harness.tablet().port());
  }

  @Test
  void planKnowsRowsAndSchema() throws Exception {
    harness.createEvents(1);
    put(100);
    FlightInfo info = client.getInfo(FlightDescriptor.path("demo", "events"));
    assertThat(info.getRecords()).isEqualTo(100);
    assertThat(info.getBytes()).isPositive();
    assertThat(info.getSchema().getFields())
        .extracting(each -> each.getName())
        .containsExactly("id", "name", "amount");
    FlightDescriptor projected =
        FlightDescriptor.command(
            Command.newBuilder()
                .setScan(
                    ScanTicket.newBuilder()
                        .setDatabase("demo")
                        .setTable("events")
                        .addColumns("amount")
                        .setWithOffset(true))
                .build()
                .toByteArray());
    assertThat(client.getSchema(projected).getSchema().getFields())
        .extracting(each -> each.getName())
        .containsExactly("amount", "_offset");
    try (var stream =
        client.getStream(client.getInfo(projected).getEndpoints().get(0).getTicket())) {
      assertThat(Events.read(stream)).hasSize(100).contains(List.of(10.0, 40L));
    }
  }

  @Test
  void plansFromItsOwnBucketsWhileTheCoordinatorIsAway() {
    harness.createEvents(2);
    put(10);
    harness.coordinator.fail(new SluiceException(ErrorCode.UNAVAILABLE, "away"));
    FlightInfo info = client.getInfo(FlightDescriptor.path("demo", "events"));
    assertThat(info.getEndpoints()).hasSize(2);
    put(10);
  }

  @Test
  void answersActionsInTheEncodingOfTheRequest() throws Exception {
    TableInfo table = harness.createEvents(2);
    put(10);
    ListOffsetsResponse offsets =
        ListOffsetsResponse.parseFrom(
            act(
                "list-offsets",
                ListOffsetsRequest.newBuilder()
                    .setDatabase("demo")
                    .setTable("events")
                    .build()
                    .toByteArray()));
    assertThat(offsets.getBucketsList()).hasSize(2);
    assertThat(offsets.getBucketsList().stream().mapToLong(each -> each.getVisible()).sum())
        .isEqualTo(10);
    assertThat(actJson("list-offsets", "{\"database\":\"demo\",\"table\":\"events\"}"))
        .contains("\"visible\":\"10\"");
    assertThat(actJson("whoami", "")).contains("\"serverId\":1").contains("test-cluster");
    assertThat(actJson("describe", "{\"database\":\"demo\",\"table\":\"events\"}"))
        .contains("\"type\":\"BIGINT\"");
    assertThat(actJson("list-databases", "{}")).contains("demo");
    WriterStateResponse state =
        WriterStateResponse.parseFrom(
            act(
                "writer-state",
                WriterStateRequest.newBuilder()
                    .setTableId(table.getTableId())
                    .setWriterId(5)
                    .build()
                    .toByteArray()));
    assertThat(state.getBucketsList()).allMatch(each -> each.getLastSequence() == -1);
  }

  @Test
  void makesAndDropsTables() {
    String made =
        actJson(
            "create-table",
            "{\"database\":\"demo\",\"table\":\"fresh\","
                + "\"columns\":[{\"name\":\"a\",\"type\":\"INT\"}]}");
    assertThat(made).contains("\"fresh\"");
    assertThat(client.getInfo(FlightDescriptor.path("demo", "fresh")).getEndpoints()).hasSize(1);
    assertThat(actJson("drop-table", "{\"database\":\"demo\",\"table\":\"fresh\"}"))
        .contains("true");
    assertThatThrownBy(() -> client.getInfo(FlightDescriptor.path("demo", "fresh")))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.NOT_FOUND));
  }

  @Test
  void namesWhatIsWrongWithAnAction() {
    assertThatThrownBy(() -> actJson("list-offset", "{}")).hasMessageContaining("list-offsets");
    assertThatThrownBy(() -> actJson("list-offsets", "{\"databas\":\"demo\"}"))
        .hasMessageContaining("databas");
    assertThatThrownBy(() -> act("list-offsets", new byte[] {1, 2, 3}))
        .hasMessageContaining("ListOffsetsRequest");
    assertThat(client.listActions()).hasSize(12);
  }
}

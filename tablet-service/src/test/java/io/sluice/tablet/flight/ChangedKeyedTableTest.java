package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.Lookup;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A primary-key table whose columns were changed while it has rows, as clients see it. */
final class ChangedKeyedTableTest {
  private static final TableSchema FIRST = KeyedHarness.airportsSchema();
  private static final Field IATA = Field.nullable("iata", ArrowType.Utf8.INSTANCE);
  private static final Field NAME = Field.nullable("name", ArrowType.Utf8.INSTANCE);

  /** {@code (iata STRING, name STRING, elevation BIGINT, runways INT NOT NULL DEFAULT 1)}. */
  private static final TableSchema SECOND =
      SchemaEvolution.apply(
          List.of(FIRST),
          List.of(
              new SchemaChange.ChangeType(List.of("elevation"), DataTypeParser.parse("BIGINT")),
              new SchemaChange.Add(
                  List.of(),
                  "runways",
                  DataTypeParser.parse("INT"),
                  false,
                  "",
                  "1",
                  new SchemaChange.Position.Last())),
          Set.of("iata"));

  @TempDir private Path temp;

  private KeyedHarness harness;
  private FlightClient client;
  private TableInfo table;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(temp);
    table = harness.createAirports(2);
    client = harness.client();
    upload("SFO", "San Francisco");
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private HostedTable alter() {
    return harness.coordinator.alter(KeyedHarness.AIRPORTS, List.of(FIRST, SECOND));
  }

  private void upload(String iata, String name) {
    FlightDescriptor path = FlightDescriptor.path("demo", "airports");
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(new Schema(List.of(IATA, NAME)), harness.clientAllocator)) {
      ((VarCharVector) root.getVector(0)).setSafe(0, iata.getBytes(StandardCharsets.UTF_8));
      ((VarCharVector) root.getVector(1)).setSafe(0, name.getBytes(StandardCharsets.UTF_8));
      root.setRowCount(1);
      FlightClient.ClientStreamListener upload =
          client.startPut(path, root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private LookupResponse lookup(String iata, int schemaId) {
    int bucket = BucketFunction.of(FIRST, List.of("iata"), 2).bucket(Row.of(iata, null, null));
    byte[] key = KeyEncoder.of(FIRST).encode(Row.of(iata, null, null));
    List<LookupResponse> answers = new CopyOnWriteArrayList<>();
    StreamObserver<LookupRequest> stream =
        LookupServiceGrpc.newStub(harness.channel())
            .lookup(
                new StreamObserver<>() {
                  @Override
                  public void onNext(LookupResponse answer) {
                    answers.add(answer);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answers.add(LookupResponse.newBuilder().setRequestId(-1).build());
                  }

                  @Override
                  public void onCompleted() {}
                });
    stream.onNext(
        LookupRequest.newBuilder()
            .setRequestId(1)
            .setTableId(table.getTableId())
            .setBucket(bucket)
            .setSchemaId(schemaId)
            .addKeys(ByteString.copyFrom(key))
            .build());
    Await.until("an answer", FlightHarness.SOON, () -> !answers.isEmpty());
    stream.onCompleted();
    return answers.get(0);
  }

  @Test
  void lookupsGiveRowsInTheSchemaAskedFor() {
    harness.coordinator.tell(alter());
    byte[] second = lookup("SFO", 2).getValues(0).toByteArray();
    assertThat(RowCodec.of(SECOND).decode(second).getInt(3)).isEqualTo(1);
    byte[] stored = lookup("SFO", 0).getValues(0).toByteArray();
    assertThat(RowCodec.schemaId(stored)).isEqualTo(1);
    upload("SFO", "San Francisco International");
    assertThat(lookup("SFO", 1).getError().getCode()).isEqualTo("SCHEMA_CHANGED");
    assertThat(RowCodec.schemaId(lookup("SFO", 0).getValues(0).toByteArray())).isEqualTo(2);
  }

  @Test
  void aSchemaThatHasNotArrivedIsAskedForAgain() {
    assertThat(lookup("SFO", 2).getError().getCode()).isEqualTo("LEADER_NOT_READY");
  }

  @Test
  void exchangesAndScansShowDefaultsAndWiderTypes() throws Exception {
    harness.coordinator.tell(alter());
    ScanTicket scan =
        ScanTicket.newBuilder().setDatabase("demo").setTable("airports").setKvScan(true).build();
    try (FlightStream rows = client.getStream(new Ticket(scan.toByteArray()))) {
      assertThat(Events.read(rows)).containsExactly(row("SFO", "San Francisco", null, 1));
    }
    Lookup lookup = Lookup.newBuilder().setDatabase("demo").setTable("airports").build();
    FlightDescriptor command =
        FlightDescriptor.command(Command.newBuilder().setLookup(lookup).build().toByteArray());
    try (FlightClient.ExchangeReaderWriter exchange = client.doExchange(command);
        VectorSchemaRoot keys =
            VectorSchemaRoot.create(new Schema(List.of(IATA)), harness.clientAllocator)) {
      ((VarCharVector) keys.getVector(0)).setSafe(0, "SFO".getBytes(StandardCharsets.UTF_8));
      keys.setRowCount(1);
      exchange.getWriter().start(keys);
      exchange.getWriter().putNext();
      exchange.getWriter().completed();
      assertThat(Events.read(exchange.getReader()))
          .containsExactly(row("SFO", "San Francisco", null, 1, "true"));
    }
  }

  private static List<Object> row(Object... values) {
    List<Object> row = new ArrayList<>();
    for (Object value : values) {
      row.add(value);
    }
    return row;
  }

  /** The coordinator tells a client of the change before it tells this server. */
  @Test
  void aPutUnderASchemaThatHasNotArrivedWaitsForIt() {
    HostedTable changed = alter();
    CompletableFuture<Void> put = CompletableFuture.runAsync(() -> upload("JFK", "Kennedy"));
    harness.coordinator.tell(changed);
    put.join();
    byte[] value = lookup("JFK", 2).getValues(0).toByteArray();
    assertThat(RowCodec.of(SECOND).decode(value).getInt(3)).isEqualTo(1);
  }
}

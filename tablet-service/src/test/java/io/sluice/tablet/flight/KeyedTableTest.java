package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StockPut;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A primary-key table as clients see it: stock Arrow Flight, native puts and lookups. */
final class KeyedTableTest {
  private static final FlightDescriptor PATH = FlightDescriptor.path("demo", "airports");
  private static final TableSchema SCHEMA = KeyedHarness.airportsSchema();

  @TempDir private Path temp;

  private KeyedHarness harness;
  private FlightClient client;
  private TableInfo table;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(temp);
    table = harness.createAirports(2);
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  // Stock clients

  private static Field field(String name, ArrowType type) {
    return Field.nullable(name, type);
  }

  private static final Field OP = field("_op", ArrowType.Utf8.INSTANCE);
  private static final Field IATA = field("iata", ArrowType.Utf8.INSTANCE);
  private static final Field NAME = field("name", ArrowType.Utf8.INSTANCE);
  private static final Field ELEVATION = field("elevation", new ArrowType.Int(32, true));

  private VectorSchemaRoot root(List<Field> fields, List<List<@Nullable Object>> rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), harness.clientAllocator);
    root.allocateNew();
    for (int row = 0; row < rows.size(); row++) {
      for (int column = 0; column < fields.size(); column++) {
        Object value = rows.get(row).get(column);
        FieldVector vector = root.getVector(column);
        if (value == null) {
          vector.setNull(row);
        } else if (vector instanceof VarCharVector text) {
          text.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
        } else {
          ((IntVector) vector).setSafe(row, (Integer) value);
        }
      }
    }
    root.setRowCount(rows.size());
    return root;
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  @SafeVarargs
  private void upload(List<Field> fields, List<@Nullable Object>... rows) {
    upload(PATH, fields, rows);
  }

  @SafeVarargs
  private void upload(
      FlightDescriptor descriptor, List<Field> fields, List<@Nullable Object>... rows) {
    try (VectorSchemaRoot root = root(fields, List.of(rows))) {
      FlightClient.ClientStreamListener upload =
          client.startPut(descriptor, root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private void uploadThree() {
    upload(
        List.of(IATA, NAME, ELEVATION),
        row("SFO", "San Francisco", 13),
        row("JFK", "Kennedy", 13),
        row("DEN", "Denver", 5431));
  }

  private List<List<Object>> read(ScanTicket.Builder ticket) throws Exception {
    Ticket bytes =
        new Ticket(ticket.setDatabase("demo").setTable("airports").build().toByteArray());
    try (FlightStream stream = client.getStream(bytes)) {
      return Events.read(stream);
    }
  }

  private List<List<Object>> rows() throws Exception {
    return read(ScanTicket.newBuilder().setKvScan(true));
  }

  @Test
  void stockUploadsUpsertAndDelete() throws Exception {
    uploadThree();
    upload(
        List.of(OP, IATA, NAME, ELEVATION),
        row("+U", "SFO", "San Francisco International", 13),
        row("-D", "JFK", null, null),
        row("-D", "ZZZ", null, null),
        row("+I", "BOS", "Logan", null));
    assertThat(rows())
        .containsExactlyInAnyOrder(
            row("SFO", "San Francisco International", 13),
            row("DEN", "Denver", 5431),
            row("BOS", "Logan", null));
    List<List<Object>> changes =
        read(ScanTicket.newBuilder().addColumns("iata").addColumns("name").setWithChangeType(true));
    assertThat(changes)
        .containsExactlyInAnyOrder(
            row("SFO", "San Francisco", "+I"),
            row("JFK", "Kennedy", "+I"),
            row("DEN", "Denver", "+I"),
            row("SFO", "San Francisco", "-U"),
            row("SFO", "San Francisco International", "+U"),
            row("JFK", "Kennedy", "-D"),
            row("BOS", "Logan", "+I"));
  }

  @Test
  void aMissingNullableColumnIsNullAndSameRowsChangeNothing() throws Exception {
    upload(List.of(IATA, ELEVATION), row("SFO", 13));
    upload(List.of(IATA, ELEVATION), row("SFO", 13));
    assertThat(rows()).containsExactly(row("SFO", null, 13));
    assertThat(read(ScanTicket.newBuilder())).hasSize(1);
  }

  @Test
  void aNamedUploadThatIsRepeatedChangesNothing() throws Exception {
    FlightDescriptor named =
        FlightDescriptor.command(
            Command.newBuilder()
                .setStockPut(
                    StockPut.newBuilder()
                        .setDatabase("demo")
                        .setTable("airports")
                        .setWriterName("loader"))
                .build()
                .toByteArray());
    for (int times = 0; times < 2; times++) {
      upload(
          named,
          List.of(OP, IATA, NAME),
          row("+U", "SFO", "one"),
          row("-D", "SFO", null),
          row("+U", "JFK", "two"),
          row("+U", "SFO", "three"));
    }
    assertThat(rows())
        .containsExactlyInAnyOrder(row("SFO", "three", null), row("JFK", "two", null));
    assertThat(read(ScanTicket.newBuilder().addColumns("iata"))).hasSize(4);
  }

  @Test
  void wrongUploadsAreRefusedAndChangeNothing() throws Exception {
    uploadThree();
    assertThatThrownBy(() -> upload(List.of(IATA, NAME), row("BOS", "x"), row(null, "y")))
        .hasMessageContaining("iata")
        .hasMessageContaining("NULL");
    assertThatThrownBy(() -> upload(List.of(NAME), row("y")))
        .hasMessageContaining("no column 'iata'");
    assertThatThrownBy(
            () -> upload(List.of(IATA, field("nmae", ArrowType.Utf8.INSTANCE)), row("a", "b")))
        .hasMessageContaining("nmae");
    assertThatThrownBy(() -> upload(List.of(OP, IATA), row("-U", "SFO")))
        .hasMessageContaining("Column '_op' is '-U' in row 0")
        .hasMessageContaining("'-D' to delete");
    assertThat(rows()).hasSize(3);
  }

  @Test
  void flightInfoTellsTheKeyAndPlansScansOfTheRows() throws Exception {
    uploadThree();
    FlightInfo info = client.getInfo(PATH);
    assertThat(info.getSchema().getCustomMetadata()).containsEntry("sluice.primary-key", "iata");
    FlightInfo planned =
        client.getInfo(
            FlightDescriptor.command(
                "{\"scan\": {\"database\": \"demo\", \"table\": \"airports\", \"kvScan\": true}}"
                    .getBytes(StandardCharsets.UTF_8)));
    List<List<Object>> all = new ArrayList<>();
    for (var endpoint : planned.getEndpoints()) {
      try (FlightStream stream = client.getStream(endpoint.getTicket())) {
        assertThat(stream.getSchema()).isEqualTo(planned.getSchema());
        all.addAll(Events.read(stream));
      }
    }
    assertThat(all).hasSize(3);
  }

  @Test
  void scansOfTheRowsSayTheirOffsetAndTakeColumnsAndLimits() throws Exception {
    uploadThree();
    assertThat(read(ScanTicket.newBuilder().setKvScan(true).addColumns("elevation").setLimit(2)))
        .hasSize(2)
        .allSatisfy(each -> assertThat(each).hasSize(1));
    int rows = 0;
    try (FlightStream stream =
        client.getStream(
            new Ticket(
                ScanTicket.newBuilder()
                    .setDatabase("demo")
                    .setTable("airports")
                    .setKvScan(true)
                    .setNoColumns(true)
                    .build()
                    .toByteArray()))) {
      while (stream.next()) {
        rows += stream.getRoot().getRowCount();
        byte[] bytes = new byte[(int) stream.getLatestMetadata().readableBytes()];
        stream.getLatestMetadata().getBytes(0, bytes);
        ScanMetadata metadata = ScanMetadata.parseFrom(bytes);
        TableBucket bucket = TableBucket.of(table.getTableId(), metadata.getBucket());
        assertThat(metadata.getNextOffset())
            .isEqualTo(harness.replicas.require(bucket).offsets().visible());
      }
    }
    assertThat(rows).isEqualTo(3);
  }

  @Test
  void scansOfTheRowsHaveNoPositionsAndNeedAKey() {
    harness.coordinator.create(FlightHarness.EVENTS, FlightHarness.eventsSchema(), 1, List.of());
    assertThatThrownBy(() -> read(ScanTicket.newBuilder().setKvScan(true).setWithOffset(true)))
        .hasMessageContaining("kv_scan");
    Ticket log =
        new Ticket(
            ScanTicket.newBuilder()
                .setDatabase("demo")
                .setTable("events")
                .setKvScan(true)
                .build()
                .toByteArray());
    assertThatThrownBy(() -> client.getStream(log).next()).hasMessageContaining("demo.events");
  }

  // DoExchange

  private List<List<Object>> exchange(String command, List<Field> fields, List<List<Object>> keys)
      throws Exception {
    FlightDescriptor descriptor =
        FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8));
    try (FlightClient.ExchangeReaderWriter exchange = client.doExchange(descriptor);
        VectorSchemaRoot root = root(fields, keys)) {
      exchange.getWriter().start(root);
      exchange.getWriter().putNext();
      exchange.getWriter().putNext();
      exchange.getWriter().completed();
      List<List<Object>> found = Events.read(exchange.getReader());
      assertThat(found).hasSize(2 * keys.size());
      assertThat(found.subList(0, keys.size())).isEqualTo(found.subList(keys.size(), found.size()));
      return found.subList(0, keys.size());
    }
  }

  @Test
  void exchangesAnswerKeysInTheirOrder() throws Exception {
    uploadThree();
    List<List<Object>> keys = List.of(row("DEN"), row("ZZZ"), row("SFO"), row("DEN"));
    assertThat(
            exchange(
                "{\"lookup\": {\"database\": \"demo\", \"table\": \"airports\"}}",
                List.of(IATA),
                keys))
        .containsExactly(
            row("DEN", "Denver", 5431, "true"),
            row(null, null, null, "false"),
            row("SFO", "San Francisco", 13, "true"),
            row("DEN", "Denver", 5431, "true"));
    assertThat(
            exchange(
                "{\"lookup\": {\"database\": \"demo\", \"table\": \"airports\","
                    + " \"columns\": [\"elevation\"]}}",
                List.of(IATA),
                keys))
        .containsExactly(row(5431, "true"), row(null, "false"), row(13, "true"), row(5431, "true"));
  }

  @Test
  void exchangesAskTheTabletsThatLeadTheKeys(@TempDir Path other) throws Exception {
    try (KeyedHarness second = harness.another(other)) {
      harness.coordinator.create(new TablePath("demo", "spread"), SCHEMA, 4, List.of("iata"));
      List<List<Object>> rows = new ArrayList<>();
      List<List<Object>> keys = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        rows.add(row("K" + i, "name " + i, i));
        keys.add(row("K" + (i * 7) % 80));
      }
      try (VectorSchemaRoot root = root(List.of(IATA, NAME, ELEVATION), rows)) {
        FlightClient.ClientStreamListener upload =
            client.startPut(FlightDescriptor.path("demo", "spread"), root, new AsyncPutListener());
        upload.putNext();
        upload.completed();
        upload.getResult();
      }
      List<List<Object>> expected = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        int key = (i * 7) % 80;
        expected.add(key < 60 ? row("name " + key, "true") : row(null, "false"));
      }
      String command =
          "{\"lookup\": {\"database\": \"demo\", \"table\": \"spread\","
              + " \"columns\": [\"name\"]}}";
      assertThat(exchange(command, List.of(IATA), keys)).isEqualTo(expected);
      // Both have some of the keys.
      assertThat(second.registry.counter("sluice.kv.gets").count()).isBetween(10.0, 110.0);
      assertThat(harness.registry.counter("sluice.kv.gets").count()).isBetween(10.0, 110.0);
    }
  }

  @Test
  void wrongExchangesSaySo() {
    harness.coordinator.create(FlightHarness.EVENTS, FlightHarness.eventsSchema(), 1, List.of());
    String airports = "{\"lookup\": {\"database\": \"demo\", \"table\": \"airports\"";
    assertThatThrownBy(
            () ->
                exchange(
                    "{\"lookup\": {\"database\": \"demo\", \"table\": \"events\"}}",
                    List.of(IATA),
                    List.of(row("x"))))
        .hasMessageContaining("demo.events is a log table");
    assertThatThrownBy(
            () ->
                exchange(
                    airports + ", \"columns\": [\"nope\"]}}", List.of(IATA), List.of(row("x"))))
        .hasMessageContaining("nope");
    assertThatThrownBy(() -> exchange(airports + "}}", List.of(NAME), List.of(row("x"))))
        .hasMessageContaining("name");
    assertThatThrownBy(() -> exchange(airports + "}}", List.of(IATA), List.of(row((Object) null))))
        .hasMessageContaining("NULL");
    assertThatThrownBy(
            () ->
                exchange(
                    "{\"scan\": {\"database\": \"demo\", \"table\": \"airports\"}}",
                    List.of(IATA),
                    List.of(row("x"))))
        .hasMessageContaining("lookup");
  }

  // Native puts and lookups

  private record Change(ChangeType type, Row row) {}

  private FlightData message(TableSchema shape, int bucket, BatchWriter writer, Change... changes) {
    ByteBuffer types = ByteBuffer.allocate(changes.length);
    try (VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(shape), harness.clientAllocator);
        LogBatchEncoder encoder =
            new LogBatchEncoder(harness.clientAllocator, CompressionSettings.defaults())) {
      ColumnWriters writers = ColumnWriters.of(shape, root, changes.length);
      for (Change change : changes) {
        writers.write(change.row());
        types.put(change.type().code());
      }
      try (EncodedBatch batch = encoder.encode(writers.finish(), shape, types.flip(), writer)) {
        PutMetadata metadata =
            PutMetadata.newBuilder()
                .setRequestId(1)
                .setBucket(bucket)
                .setAckedThrough(-1)
                .setHeader(ByteString.copyFrom(batch.header().bytes()))
                .setChangeTypes(ByteString.copyFrom(batch.changeTypes()))
                .setStatistics(ByteString.copyFrom(batch.statistics()))
                .setChecksums(ByteString.copyFrom(batch.checksums()))
                .build();
        return FlightData.newBuilder()
            .setAppMetadata(metadata.toByteString())
            .setDataHeader(ByteString.copyFrom(batch.metadata()))
            .setDataBody(ByteString.copyFrom(batch.bodyBytes()))
            .build();
      }
    }
  }

  private NativePut.Builder command() {
    return NativePut.newBuilder().setTableId(table.getTableId()).setSchemaId(1).setWriterId(-1);
  }

  private PutAnswer put(NativePut command, FlightData message) {
    NativeUpload upload = new NativeUpload(harness.channel(), command);
    upload.send(message);
    PutAnswer answer = upload.answers(1).get(0);
    upload.call().halfClose();
    return answer;
  }

  private static int bucketOf(String iata) {
    return io.sluice.format.bucket.BucketFunction.of(SCHEMA, List.of("iata"), 2)
        .bucket(Row.of(iata, null, null));
  }

  private static byte[] key(String iata) {
    return KeyEncoder.of(SCHEMA).encode(Row.of(iata, null, null));
  }

  private List<LookupResponse> lookup(LookupRequest... requests) {
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
    Arrays.stream(requests).forEach(stream::onNext);
    Await.until("answers", FlightHarness.SOON, () -> answers.size() >= requests.length);
    stream.onCompleted();
    return answers;
  }

  private LookupRequest request(int id, int bucket, String... iata) {
    LookupRequest.Builder request =
        LookupRequest.newBuilder()
            .setRequestId(id)
            .setTableId(table.getTableId())
            .setBucket(bucket);
    for (String each : iata) {
      request.addKeys(ByteString.copyFrom(key(each)));
    }
    return request.build();
  }

  private @Nullable String nameOf(String iata) {
    LookupResponse answer = lookup(request(1, bucketOf(iata), iata)).get(0);
    assertThat(answer.hasError()).as("%s", answer.getError()).isFalse();
    ByteString value = answer.getValues(0);
    return value.isEmpty() ? null : RowCodec.of(SCHEMA).decode(value.toByteArray()).getString(1);
  }

  @Test
  void anAnsweredPutIsSeenByTheNextLookup() {
    int bucket = bucketOf("SFO");
    Change first = new Change(ChangeType.UPDATE_AFTER, Row.of("SFO", "one", 1));
    PutAnswer answer = put(command().build(), message(SCHEMA, bucket, BatchWriter.NONE, first));
    assertThat(answer.hasError()).as("%s", answer.getError()).isFalse();
    assertThat(nameOf("SFO")).isEqualTo("one");
    TableSchema part =
        new TableSchema(
            1, List.of(SCHEMA.columns().get(0), SCHEMA.columns().get(2)), List.of("iata"));
    NativePut partial = command().addTargetColumns(1).addTargetColumns(3).build();
    Change second = new Change(ChangeType.UPDATE_AFTER, Row.of("SFO", 2));
    assertThat(put(partial, message(part, bucket, BatchWriter.NONE, second)).hasError()).isFalse();
    assertThat(nameOf("SFO")).isEqualTo("one");
    Change delete = new Change(ChangeType.DELETE, Row.of("SFO", null, null));
    PutAnswer gone = put(command().build(), message(SCHEMA, bucket, BatchWriter.NONE, delete));
    assertThat(gone.getRows()).isEqualTo(1);
    assertThat(nameOf("SFO")).isNull();
    assertThat(harness.registry.counter("sluice.kv.puts").count()).isEqualTo(3);
    assertThat(harness.registry.counter("sluice.kv.gets").count()).isEqualTo(3);
  }

  @Test
  void aPutWithOneBadRowIsRefusedWhole() {
    int bucket = bucketOf("SFO");
    Change good = new Change(ChangeType.UPDATE_AFTER, Row.of("SFO", "one", 1));
    String other = bucketOf("JFK") == bucket ? elsewhere(bucket) : "JFK";
    Change foreign = new Change(ChangeType.UPDATE_AFTER, Row.of(other, "two", 2));
    PutAnswer answer =
        put(command().build(), message(SCHEMA, bucket, BatchWriter.NONE, good, foreign));
    assertThat(answer.getError().getCode()).isEqualTo("INVALID_ARGUMENT");
    assertThat(answer.getError().getMessage()).contains("ow 1");
    Change before = new Change(ChangeType.UPDATE_BEFORE, Row.of("SFO", "one", 1));
    assertThat(
            put(command().build(), message(SCHEMA, bucket, BatchWriter.NONE, good, before))
                .hasError())
        .isTrue();
    assertThat(nameOf("SFO")).isNull();
  }

  private static String elsewhere(int bucket) {
    for (char c = 'A'; ; c++) {
      if (bucketOf("X" + c) != bucket) {
        return "X" + c;
      }
    }
  }

  @Test
  void wrongNativePutsAreRefused() {
    Change change = new Change(ChangeType.UPDATE_AFTER, Row.of("SFO", "one", 1));
    FlightData message = message(SCHEMA, bucketOf("SFO"), BatchWriter.NONE, change);
    PutAnswer early =
        put(command().setAcks(io.sluice.protocol.flight.v1.Acks.ACKS_LEADER).build(), message);
    assertThat(early.getError().getCode()).isEqualTo("UNSUPPORTED");
    PutAnswer keyless = put(command().addTargetColumns(2).build(), message);
    assertThat(keyless.getError().getMessage()).contains("'iata' must be a target column");
  }

  @Test
  void lookupsArePipelinedAndFailOneByOne() {
    uploadThree();
    int bucket = bucketOf("SFO");
    List<LookupResponse> answers =
        lookup(
            request(1, bucket, "SFO"),
            request(2, 1 - bucket, "SFO"),
            request(3, bucket),
            request(4, 7, "SFO"),
            request(5, bucket, "SFO", "SFO").toBuilder()
                .addKeys(ByteString.copyFromUtf8("rubbish"))
                .build(),
            request(6, bucket, "SFO", "SFO"));
    assertThat(code(answers, 1)).isEmpty();
    assertThat(code(answers, 2)).isEqualTo("INVALID_ARGUMENT");
    assertThat(code(answers, 3)).isEmpty();
    assertThat(code(answers, 4)).isEqualTo("BUCKET_NOT_FOUND");
    assertThat(code(answers, 5)).isEqualTo("INVALID_VALUE");
    assertThat(code(answers, 6)).isEmpty();
    assertThat(answer(answers, 6).getValuesCount()).isEqualTo(2);
  }

  @Test
  void tabletsAskOneAnother() {
    uploadThree();
    TableBucket bucket = TableBucket.of(table.getTableId(), bucketOf("SFO"));
    try (PeerChannels channels = new PeerChannels()) {
      PeerLookups peers = new PeerLookups(channels);
      List<byte @Nullable []> found =
          ask(peers, harness.address(), bucket, key("SFO"), key("SFO")).values();
      assertThat(found).hasSize(2).doesNotContainNull();
      TableBucket other = TableBucket.of(table.getTableId(), 1 - bucket.bucket());
      assertThatThrownBy(() -> ask(peers, harness.address(), other, key("SFO")))
          .hasMessageContaining("belongs to bucket " + bucket.bucket());
      assertThatThrownBy(() -> ask(peers, "127.0.0.1:1", bucket, key("SFO")))
          .hasMessageContaining("127.0.0.1:1");
    }
  }

  private static LookupAnswer ask(
      PeerLookups peers, String address, TableBucket bucket, byte[]... keys) {
    return peers.ask(address, bucket, LookupKind.LOOKUP_ROW, List.of(keys), 1, 0);
  }

  @Test
  void lookupsInALogTableAreUnsupported() {
    TableInfo events =
        harness.coordinator.create(
            FlightHarness.EVENTS, FlightHarness.eventsSchema(), 1, List.of());
    LookupResponse answer =
        lookup(request(1, 0, "x").toBuilder().setTableId(events.getTableId()).build()).get(0);
    assertThat(answer.getError().getCode()).isEqualTo("UNSUPPORTED");
    assertThat(answer.getError().getMessage()).contains("demo.events");
  }

  @Test
  void aDroppedTableTakesItsRowsAlong() {
    uploadThree();
    harness.drop(table.getTableId());
    LookupResponse answer = lookup(request(1, 0, "SFO")).get(0);
    assertThat(answer.getError().getCode()).isEqualTo("BUCKET_NOT_FOUND");
    assertThat(harness.replicas.directories()).isEmpty();
  }

  private static LookupResponse answer(List<LookupResponse> answers, long id) {
    return answers.stream().filter(each -> each.getRequestId() == id).findFirst().orElseThrow();
  }

  private static String code(List<LookupResponse> answers, long id) {
    return answer(answers, id).getError().getCode();
  }
}

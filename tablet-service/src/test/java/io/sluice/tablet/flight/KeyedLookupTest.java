package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.KeyPrefix;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
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

/** Lookups of prefixes, lookups that make missing rows, and counts of rows, as clients see them. */
final class KeyedLookupTest {
  private static final TablePath ORDERS = new TablePath("demo", "orders");
  private static final TablePath DAYS = new TablePath("demo", "days");
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "customer", DataTypeParser.parse("STRING"), false),
              Column.of(2, "number", DataTypeParser.parse("INT"), false),
              Column.of(3, "text", DataTypeParser.parse("STRING"), true)),
          List.of("customer", "number"));
  private static final TableSchema DAYS_SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "day", DataTypeParser.parse("STRING"), false),
              Column.of(2, "customer", DataTypeParser.parse("STRING"), false),
              Column.of(3, "number", DataTypeParser.parse("INT"), false),
              Column.of(4, "id", DataTypeParser.parse("BIGINT"), true)),
          List.of("day", "customer", "number"));

  private static final Field DAY = Field.nullable("day", ArrowType.Utf8.INSTANCE);
  private static final Field CUSTOMER = Field.nullable("customer", ArrowType.Utf8.INSTANCE);
  private static final Field NUMBER = Field.nullable("number", new ArrowType.Int(32, true));
  private static final Field TEXT = Field.nullable("text", ArrowType.Utf8.INSTANCE);

  @TempDir private Path temp;

  private KeyedHarness harness;
  private FlightClient client;
  private TableInfo orders;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(temp);
    orders = harness.coordinator.create(ORDERS, SCHEMA, 2, List.of("customer"));
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

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

  private void upload(TablePath path, List<Field> fields, List<List<@Nullable Object>> rows) {
    try (VectorSchemaRoot root = root(fields, rows)) {
      FlightClient.ClientStreamListener upload =
          client.startPut(
              FlightDescriptor.path(path.database(), path.table()), root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  /** Customer a has the numbers 3, 1, 2; b has 9; aa has 5. */
  private void uploadOrders() {
    upload(
        ORDERS,
        List.of(CUSTOMER, NUMBER, TEXT),
        List.of(
            row("a", 3, "three"),
            row("b", 9, "nine"),
            row("a", 1, "one"),
            row("aa", 5, null),
            row("a", 2, "two")));
  }

  // gRPC

  private static byte[] prefix(String customer) {
    return KeyPrefix.of(ORDERS, SCHEMA, List.of(), List.of("customer"))
        .encoder()
        .encode(Row.of(customer));
  }

  private static byte[] key(String customer, int number) {
    return KeyEncoder.of(SCHEMA).encode(Row.of(customer, number, null));
  }

  private static int bucketOf(String customer) {
    return BucketFunction.of(SCHEMA, List.of("customer"), 2).bucket(Row.of(customer, 0, null));
  }

  private LookupRequest request(int id, int bucket, LookupKind kind, byte[]... keys) {
    LookupRequest.Builder request =
        LookupRequest.newBuilder()
            .setRequestId(id)
            .setTableId(orders.getTableId())
            .setBucket(bucket)
            .setKind(kind);
    for (byte[] each : keys) {
      request.addKeys(ByteString.copyFrom(each));
    }
    return request.build();
  }

  private StreamObserver<LookupRequest> stream(List<LookupResponse> answers) {
    return LookupServiceGrpc.newStub(harness.channel())
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
              public void onCompleted() {
                answers.add(LookupResponse.newBuilder().setRequestId(-2).build());
              }
            });
  }

  /** The answers, in any order; half-closes at once and waits for the end of the call. */
  private List<LookupResponse> lookup(LookupRequest... requests) {
    List<LookupResponse> answers = new CopyOnWriteArrayList<>();
    StreamObserver<LookupRequest> stream = stream(answers);
    Arrays.stream(requests).forEach(stream::onNext);
    stream.onCompleted();
    Await.until("answers", FlightHarness.SOON, () -> answers.size() > requests.length);
    assertThat(answers.remove(answers.size() - 1).getRequestId()).isEqualTo(-2);
    return answers;
  }

  private static List<Integer> numbers(LookupResponse answer) {
    assertThat(answer.hasError()).as("%s", answer.getError()).isFalse();
    return answer.getValuesList().stream()
        .map(value -> RowCodec.of(SCHEMA).decode(value.toByteArray()).getInt(1))
        .toList();
  }

  @Test
  void prefixesAreAnsweredWithAllTheirRowsInKeyOrder() {
    uploadOrders();
    int bucket = bucketOf("a");
    LookupResponse answer =
        lookup(request(1, bucket, LookupKind.LOOKUP_PREFIX, prefix("a"), prefix("a"))).get(0);
    assertThat(numbers(answer)).containsExactly(1, 2, 3, 1, 2, 3);
    assertThat(answer.getRowCountsList()).containsExactly(3, 3);
    LookupRequest limited =
        request(1, bucket, LookupKind.LOOKUP_PREFIX, prefix("a")).toBuilder().setLimit(2).build();
    assertThat(numbers(lookup(limited).get(0))).containsExactly(1, 2);
    LookupResponse none =
        lookup(request(1, bucketOf("zz"), LookupKind.LOOKUP_PREFIX, prefix("zz"))).get(0);
    assertThat(numbers(none)).isEmpty();
    assertThat(none.getRowCountsList()).containsExactly(0);
    assertThat(harness.registry.counter("sluice.kv.prefix.rows").count()).isEqualTo(8);
  }

  @Test
  void wrongQuestionsAreRefusedOneByOne() {
    int bucket = bucketOf("a");
    LookupRequest good = request(1, bucket, LookupKind.LOOKUP_PREFIX, prefix("a"));
    TableInfo airports = harness.createAirports(1);
    List<LookupResponse> answers =
        lookup(
            good,
            request(2, 1 - bucket, LookupKind.LOOKUP_PREFIX, prefix("a")),
            request(3, bucket, LookupKind.LOOKUP_PREFIX, key("a", 1)),
            request(4, bucket, LookupKind.LOOKUP_ROW, prefix("a")),
            good.toBuilder().setRequestId(5).setLimit(-1).build(),
            good.toBuilder().setRequestId(6).setKindValue(9).build(),
            good.toBuilder().setRequestId(7).setTableId(airports.getTableId()).setBucket(0).build(),
            request(8, 1 - bucket, LookupKind.LOOKUP_INSERT_IF_ABSENT, key("a", 1)),
            good.toBuilder().setRequestId(9).setSchemaId(7).build(),
            good.toBuilder().setRequestId(10).build());
    assertThat(codes(answers))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                1L, "",
                2L, "INVALID_ARGUMENT",
                3L, "INVALID_VALUE",
                4L, "INVALID_VALUE",
                5L, "INVALID_ARGUMENT",
                6L, "UNSUPPORTED",
                7L, "UNSUPPORTED",
                8L, "INVALID_ARGUMENT",
                9L, "LEADER_NOT_READY",
                10L, ""));
  }

  private static Map<Long, String> codes(List<LookupResponse> answers) {
    Map<Long, String> codes = new java.util.HashMap<>();
    answers.forEach(each -> codes.put(each.getRequestId(), each.getError().getCode()));
    return codes;
  }

  @Test
  void concurrentCallersOfMissingKeysMakeEachRowOnce() {
    uploadOrders();
    int bucket = bucketOf("a");
    long before = harness.replicas.require(bucket(bucket)).offsets().visible();
    byte[][] keys = new byte[24][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key("a", i);
    }
    List<List<LookupResponse>> answers = new ArrayList<>();
    for (int caller = 0; caller < 16; caller++) {
      List<LookupResponse> own = new CopyOnWriteArrayList<>();
      answers.add(own);
      StreamObserver<LookupRequest> stream = stream(own);
      stream.onNext(request(1, bucket, LookupKind.LOOKUP_INSERT_IF_ABSENT, keys));
      stream.onCompleted();
    }
    Await.until(
        "answers", FlightHarness.SOON, () -> answers.stream().allMatch(own -> own.size() == 2));
    Set<Integer> made = new HashSet<>();
    for (List<LookupResponse> own : answers) {
      assertThat(numbers(own.get(0))).hasSize(24).doesNotHaveDuplicates();
      assertThat(own.get(0).getValuesList()).isEqualTo(answers.get(0).get(0).getValuesList());
      made.addAll(own.get(0).getMissingList());
    }
    // Those with the numbers 1, 2 and 3 were there.
    assertThat(made).hasSize(21).doesNotContain(1, 2, 3);
    assertThat(harness.replicas.require(bucket(bucket)).offsets().visible()).isEqualTo(before + 21);
  }

  private TableBucket bucket(int number) {
    return TableBucket.of(orders.getTableId(), number);
  }

  @Test
  void oneKeyTwiceInAQuestionIsMadeOnce() {
    int bucket = bucketOf("x");
    LookupResponse answer =
        lookup(
                request(
                    1,
                    bucket,
                    LookupKind.LOOKUP_INSERT_IF_ABSENT,
                    key("x", 1),
                    key("x", 2),
                    key("x", 1)))
            .get(0);
    assertThat(numbers(answer)).containsExactly(1, 2, 1);
    assertThat(answer.getMissingList()).containsExactly(0, 1, 2);
    assertThat(harness.replicas.require(bucket(bucket)).offsets().visible()).isEqualTo(2);
  }

  @Test
  void answersAreBoundedAndSayTheWayOut() {
    String large = "x".repeat(1 << 20);
    for (String customer : List.of("a", "b", "c")) {
      for (int number = 0; number < 12; number++) {
        upload(ORDERS, List.of(CUSTOMER, NUMBER, TEXT), List.of(row(customer, number, large)));
      }
    }
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> prefixes = new ArrayList<>();
    for (String customer : List.of("a", "b", "c", "a", "b", "c")) {
      if (bucketOf(customer) == bucketOf("a")) {
        prefixes.add(prefix(customer));
      }
    }
    while (prefixes.size() < 3) {
      prefixes.add(prefix("a"));
    }
    for (int i = 0; i < 36; i++) {
      keys.add(key("a", i % 12));
    }
    int bucket = bucketOf("a");
    List<LookupResponse> answers =
        lookup(
            request(1, bucket, LookupKind.LOOKUP_PREFIX, prefixes.toArray(new byte[0][])),
            request(2, bucket, LookupKind.LOOKUP_PREFIX, prefix("a")).toBuilder()
                .setLimit(2)
                .build(),
            request(3, bucket, LookupKind.LOOKUP_ROW, keys.toArray(new byte[0][])),
            request(4, bucket, LookupKind.LOOKUP_ROW, key("a", 1)));
    assertThat(codes(answers))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(1L, "BATCH_TOO_LARGE", 2L, "", 3L, "BATCH_TOO_LARGE", 4L, ""));
    assertThat(answers)
        .anySatisfy(each -> assertThat(each.getError().getMessage()).contains("give a limit"));
  }

  // DoExchange

  private List<List<Object>> exchange(
      TablePath path, String more, List<Field> fields, List<List<@Nullable Object>> keys)
      throws Exception {
    String command =
        "{\"lookup\": {\"database\": \"demo\", \"table\": \"" + path.table() + "\"" + more + "}}";
    try (FlightClient.ExchangeReaderWriter exchange =
            client.doExchange(FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8)));
        VectorSchemaRoot root = root(fields, keys)) {
      exchange.getWriter().start(root);
      exchange.getWriter().putNext();
      exchange.getWriter().completed();
      return Events.read(exchange.getReader());
    }
  }

  @Test
  void stockClientsLookPrefixesUp() throws Exception {
    uploadOrders();
    List<List<@Nullable Object>> keys = List.of(row("b"), row("zz"), row("a"));
    assertThat(exchange(ORDERS, ", \"prefix\": true", List.of(CUSTOMER), keys))
        .containsExactly(
            row(0, "b", 9, "nine"),
            row(2, "a", 1, "one"),
            row(2, "a", 2, "two"),
            row(2, "a", 3, "three"));
    assertThat(
            exchange(
                ORDERS,
                ", \"prefix\": true, \"limit\": 1, \"columns\": [\"text\"]",
                List.of(CUSTOMER),
                keys))
        .containsExactly(row(0, "nine"), row(2, "one"));
    assertThatThrownBy(
            () -> exchange(ORDERS, ", \"limit\": 1", List.of(CUSTOMER, NUMBER), List.of()))
        .hasMessageContaining("a limit goes with prefix only");
    assertThatThrownBy(
            () ->
                exchange(
                    ORDERS,
                    ", \"prefix\": true, \"insertIfAbsent\": true",
                    List.of(CUSTOMER),
                    List.of()))
        .hasMessageContaining("both prefix and insert_if_absent");
    assertThatThrownBy(
            () ->
                exchange(
                    ORDERS, ", \"prefix\": true", List.of(CUSTOMER, NUMBER), List.of(row("a", 1))))
        .hasMessageContaining("demo.orders")
        .hasMessageContaining("number");
    assertThatThrownBy(
            () -> exchange(ORDERS, ", \"prefix\": true", List.of(NUMBER), List.of(row(1))))
        .hasMessageContaining("number");
    List<@Nullable Object> nothing = row((Object) null);
    assertThatThrownBy(
            () -> exchange(ORDERS, ", \"prefix\": true", List.of(CUSTOMER), List.of(nothing)))
        .hasMessageContaining("customer")
        .hasMessageContaining("NULL");
  }

  @Test
  void stockClientsMakeMissingRowsAndLearnWhichWereThere() throws Exception {
    uploadOrders();
    List<List<@Nullable Object>> keys = List.of(row("a", 2), row("new", 7), row("b", 9));
    String insert = ", \"insertIfAbsent\": true";
    assertThat(exchange(ORDERS, insert, List.of(CUSTOMER, NUMBER), keys))
        .containsExactly(
            row("a", 2, "two", "true"), row("new", 7, null, "false"), row("b", 9, "nine", "true"));
    assertThat(exchange(ORDERS, insert, List.of(CUSTOMER, NUMBER), keys))
        .allSatisfy(row -> assertThat(row.get(3)).isEqualTo("true"));
  }

  @Test
  void partitionsAreMadeOnlyForRowsThatAreMade(@TempDir Path other) throws Exception {
    try (KeyedHarness second = harness.another(other)) {
      harness.coordinator.createPartitioned(
          DAYS,
          DAYS_SCHEMA,
          4,
          List.of("day"),
          List.of("customer"),
          Map.of("auto-increment.fields", "id"));
      List<List<@Nullable Object>> prefixes = List.of(row("monday", "a"));
      String byPrefix = ", \"prefix\": true";
      assertThat(exchange(DAYS, byPrefix, List.of(DAY, CUSTOMER), prefixes)).isEmpty();
      assertThat(harness.coordinator.table(DAYS).getPartitionsCount()).isZero();
      List<List<@Nullable Object>> keys = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        keys.add(row(i % 2 == 0 ? "monday" : "sunday", i % 4 == 0 ? "a" : "c" + i, i));
      }
      List<List<Object>> made =
          exchange(DAYS, ", \"insertIfAbsent\": true", List.of(DAY, CUSTOMER, NUMBER), keys);
      assertThat(made).hasSize(40).allSatisfy(row -> assertThat(row.get(4)).isEqualTo("false"));
      assertThat(made).extracting(row -> row.get(3)).doesNotContainNull().doesNotHaveDuplicates();
      assertThat(harness.coordinator.table(DAYS).getPartitionsCount()).isEqualTo(2);
      assertThat(exchange(DAYS, byPrefix, List.of(DAY, CUSTOMER), prefixes))
          .hasSize(10)
          .extracting(row -> row.get(3))
          .isSorted();
      assertThatThrownBy(
              () ->
                  exchange(
                      DAYS,
                      ", \"insertIfAbsent\": true",
                      List.of(DAY, CUSTOMER, NUMBER),
                      List.of(row("forbidden", "a", 1))))
          .hasMessageContaining("'forbidden' is malformed");
      harness.coordinator.dropPartition(DAYS, List.of("monday"));
      assertThat(exchange(DAYS, byPrefix, List.of(DAY, CUSTOMER), prefixes)).isEmpty();
    }
  }

  // Counts

  private List<BucketOffsets> offsets(ListOffsetsRequest.Builder request) {
    Action action =
        new Action(
            "list-offsets",
            request.setDatabase("demo").setAt(StartAt.START_LATEST).build().toByteArray());
    byte[] body = client.doAction(action).next().getBody();
    return WireMessages.parse(ByteString.copyFrom(body), ListOffsetsResponse.getDefaultInstance())
        .getBucketsList();
  }

  @Test
  void offsetsTellTheNumberOfRows() {
    uploadOrders();
    assertThat(offsets(ListOffsetsRequest.newBuilder().setTable("orders")))
        .hasSize(2)
        .extracting(BucketOffsets::getRowCount)
        .satisfies(counts -> assertThat(counts.get(0) + counts.get(1)).isEqualTo(5));
    harness.coordinator.create(FlightHarness.EVENTS, FlightHarness.eventsSchema(), 1, List.of());
    assertThat(offsets(ListOffsetsRequest.newBuilder().setTable("events")).get(0).getRowCount())
        .isEqualTo(-1);
  }

  @Test
  void offsetsOfOnePartition() throws Exception {
    harness.coordinator.createPartitioned(
        DAYS, DAYS_SCHEMA, 2, List.of("day"), List.of("customer"), Map.of());
    upload(
        DAYS,
        List.of(DAY, CUSTOMER, NUMBER),
        List.of(row("monday", "a", 1), row("sunday", "a", 1), row("monday", "b", 1)));
    long monday =
        harness.coordinator.table(DAYS).getPartitionsList().stream()
            .filter(each -> each.getValues(0).equals("monday"))
            .findFirst()
            .orElseThrow()
            .getPartitionId();
    ListOffsetsRequest.Builder days = ListOffsetsRequest.newBuilder().setTable("days");
    assertThat(offsets(days)).hasSize(4);
    assertThat(offsets(days.setPartitionId(monday)))
        .hasSize(2)
        .allSatisfy(each -> assertThat(each.getPartitionId()).isEqualTo(monday));
    assertThat(offsets(days.addBuckets(1))).hasSize(1);
    assertThatThrownBy(() -> offsets(days.setPartitionId(12345)))
        .hasMessageContaining("no partition 12345");
    assertThatThrownBy(
            () -> offsets(ListOffsetsRequest.newBuilder().setTable("orders").setPartitionId(1)))
        .hasMessageContaining("demo.orders is not partitioned");
  }
}

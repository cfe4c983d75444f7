package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.StockPut;
import io.sluice.protocol.flight.v1.StockPutMetadata;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StockPutStreamTest {
  private static final FlightDescriptor PATH = FlightDescriptor.path("demo", "events");

  private FlightHarness harness;
  private FlightClient client;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness(FlightSettings.defaults(1), 2);
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  /** Keeps the answers of an upload. */
  private static final class Answers extends AsyncPutListener {
    final List<PutAnswer> all = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void onNext(PutResult result) {
      ArrowBuf bytes = result.getApplicationMetadata();
      byte[] copy = new byte[(int) bytes.readableBytes()];
      bytes.getBytes(0, copy);
      try {
        all.add(PutAnswer.parseFrom(copy));
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static FlightDescriptor named(String writer) {
    return FlightDescriptor.command(
        Command.newBuilder()
            .setStockPut(
                StockPut.newBuilder().setDatabase("demo").setTable("events").setWriterName(writer))
            .build()
            .toByteArray());
  }

  /** Puts events in messages of so many rows. */
  private List<PutAnswer> put(FlightDescriptor descriptor, long from, long to, int step) {
    return put(descriptor, from, to, step, -1);
  }

  private List<PutAnswer> put(
      FlightDescriptor descriptor, long from, long to, int step, long sequence) {
    Answers answers = new Answers();
    try (VectorSchemaRoot root = Events.root(harness.clientAllocator)) {
      FlightClient.ClientStreamListener upload = client.startPut(descriptor, root, answers);
      for (long at = from; at < to; at += step) {
        Events.fill(root, at, Math.min(to, at + step));
        if (sequence >= 0 && at == from) {
          byte[] bytes = StockPutMetadata.newBuilder().setSequence(sequence).build().toByteArray();
          ArrowBuf metadata = harness.clientAllocator.buffer(Math.max(1, bytes.length));
          metadata.writeBytes(bytes);
          upload.putNext(metadata);
        } else {
          upload.putNext();
        }
      }
      upload.completed();
      upload.getResult();
    }
    return answers.all;
  }

  private List<List<Object>> scan() throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    FlightInfo info = client.getInfo(PATH);
    for (var endpoint : info.getEndpoints()) {
      int port = endpoint.getLocations().get(0).getUri().getPort();
      try (FlightStream stream = harness.client(port).getStream(endpoint.getTicket())) {
        rows.addAll(Events.read(stream));
      }
    }
    return rows;
  }

  private static List<List<Object>> rows(long from, long to) {
    return LongStream.range(from, to).mapToObj(Events::row).toList();
  }

  @Test
  void aSequenceThatLeavesNoRoomForTheRowsIsRefusedByValue() throws Exception {
    harness.createEvents(2, "id");
    assertThatThrownBy(() -> put(named("loader"), 0, 10, 10, Long.MAX_VALUE - 5))
        .hasMessageContaining("sequence " + (Long.MAX_VALUE - 5))
        .hasMessageContaining("10 rows");
    assertThat(scan()).isEmpty();
  }

  @Test
  void storesPlainArrowInBucketsOfSeveralTabletsByKey() throws Exception {
    TableInfo table = harness.createEvents(4, "id");
    List<PutAnswer> answers = put(PATH, 0, 1000, 100);
    assertThat(answers).hasSize(10);
    assertThat(answers).extracting(PutAnswer::getRows).containsOnly(100L);
    assertThat(scan()).containsExactlyInAnyOrderElementsOf(rows(0, 1000)).hasSize(1000);
    for (int bucket = 0; bucket < 4; bucket++) {
      assertThat(harness.replica(table, bucket).offsets().visible()).isPositive();
    }
    put(PATH, 0, 1, 1);
    int bucketsGrown = 0;
    for (int bucket = 0; bucket < 4; bucket++) {
      bucketsGrown += harness.replica(table, bucket).batchCount() == 11 ? 1 : 0;
    }
    assertThat(bucketsGrown).as("the same key goes to one bucket").isEqualTo(1);
  }

  @Test
  void spreadsKeylessMessagesOverTheBuckets() throws Exception {
    TableInfo table = harness.createEvents(2);
    List<PutAnswer> answers = put(PATH, 0, 40, 10);
    assertThat(answers).extracting(PutAnswer::getBucket).containsExactlyInAnyOrder(0, 0, 1, 1);
    assertThat(answers).allMatch(each -> each.getBaseOffset() >= 0);
    assertThat(scan()).hasSize(40);
    assertThat(harness.replica(table, 0).offsets().visible()).isEqualTo(20);
  }

  @Test
  void aNamedWriterThatStartsAgainStoresEveryRowOnce() throws Exception {
    harness.createEvents(4, "id");
    put(named("loader"), 0, 3000, 500);
    put(named("loader"), 0, 5000, 700);
    List<PutAnswer> repeated = put(named("loader"), 0, 5000, 1111);
    assertThat(repeated).allMatch(PutAnswer::getDuplicate);
    assertThat(scan()).containsExactlyInAnyOrderElementsOf(rows(0, 5000)).hasSize(5000);
  }

  @Test
  void aNamedWriterOfAKeylessTableStoresEveryRowOnceInTheSameBucket() throws Exception {
    TableInfo table = harness.createEvents(3);
    put(named("loader"), 0, 5000, 500);
    put(named("loader"), 0, 8000, 3000);
    assertThat(scan()).containsExactlyInAnyOrderElementsOf(rows(0, 8000)).hasSize(8000);
    assertThat(harness.replica(table, 0).offsets().visible()).isEqualTo(3 * 1024);
  }

  @Test
  void aNamedWriterMaySayWhereItGoesOn() throws Exception {
    harness.createEvents(2, "id");
    put(named("loader"), 0, 100, 50);
    put(named("loader"), 80, 200, 50, 80);
    assertThat(scan()).containsExactlyInAnyOrderElementsOf(rows(0, 200)).hasSize(200);
  }

  @Test
  void cutsLargeMessagesIntoBatches() throws Exception {
    TableInfo table = harness.createEvents(1);
    put(PATH, 0, 400_000, 400_000);
    assertThat(harness.replica(table, 0).batchCount()).isGreaterThan(1);
    for (int batch = 0; batch < harness.replica(table, 0).batchCount(); batch++) {
      assertThat(harness.replica(table, 0).storedHeader(batch).length()).isLessThan(3_670_017);
    }
    assertThat(harness.replica(table, 0).offsets().visible()).isEqualTo(400_000);
  }

  @Test
  void retriesWhatMayBeRetriedAndEndsWithTheFirstRefusal() throws Exception {
    TableInfo table = harness.createEvents(1);
    FakeReplica replica = harness.replica(table, 0);
    replica.refuseNext(new SluiceException(ErrorCode.BACKPRESSURE, "busy"));
    replica.refuseNext(new SluiceException(ErrorCode.LEADER_NOT_READY, "soon"));
    put(PATH, 0, 10, 10);
    assertThat(replica.offsets().visible()).isEqualTo(10);
    replica.refuseNext(new SluiceException(ErrorCode.INVALID_VALUE, "never"));
    assertThatThrownBy(() -> put(PATH, 0, 10, 1))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("never");
    assertThat(replica.offsets().visible()).isLessThan(20);
  }

  @Test
  void anUploadThatFindsNoMemoryMayBeTriedAgain() throws Exception {
    harness.createEvents(1);
    BufferAllocator memory = harness.tablet().allocator;
    long enough = memory.getLimit();
    // The message finds room, which is given out in powers of two, but nothing made of it does.
    memory.setLimit((2 << 20) + (64 << 10));
    assertThatThrownBy(() -> put(PATH, 0, 40_000, 40_000))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("sluice.tablet.allocator-bytes")
        .hasMessageContaining("try again");
    memory.setLimit(enough);
    put(PATH, 0, 40_000, 40_000);
    assertThat(scan()).hasSize(40_000);
  }

  @Test
  void uploadsThatAreOpenAndIdleShareTheMemoryOfOneEncoder() throws Exception {
    harness.createEvents(1);
    FlightHarness.Tablet tablet = harness.tablet();
    List<FlightClient.ClientStreamListener> uploads = new ArrayList<>();
    try (VectorSchemaRoot root = Events.root(harness.clientAllocator)) {
      Events.fill(root, 0, 40_000);
      for (int i = 0; i < 10; i++) {
        Answers answers = new Answers();
        FlightClient.ClientStreamListener upload = client.startPut(PATH, root, answers);
        uploads.add(upload);
        upload.putNext();
        Await.until("an answer", FlightHarness.SOON, () -> answers.all.size() == 1);
        Await.until(
            "only memory for the next upload",
            FlightHarness.SOON,
            () -> tablet.allocator.getAllocatedMemory() == tablet.service.idleBytes());
        assertThat(tablet.service.idleBytes()).isBetween(1L, 4L << 20);
      }
      for (FlightClient.ClientStreamListener upload : uploads) {
        upload.completed();
        upload.getResult();
      }
    }
    assertThat(scan()).hasSize(400_000);
  }

  private static FlightSettings impatientWithPeers(Duration putTimeout) {
    return new FlightSettings(
        1, "test", 64L << 20, 1 << 20, 10, 2, putTimeout, Duration.ofSeconds(2));
  }

  @Test
  void aTabletThatDoesNotAnswerEndsTheUploadAndTakesTheNextOne() throws Exception {
    try (FlightHarness tablets = new FlightHarness(impatientWithPeers(Duration.ZERO), 2)) {
      TableInfo table = tablets.createEvents(2);
      FakeReplica silent = tablets.replica(table, 1);
      silent.hold();
      FlightClient ofFirst = tablets.client();
      assertThatThrownBy(() -> putTwo(tablets, ofFirst, () -> {}))
          .isInstanceOfSatisfying(
              FlightRuntimeException.class,
              e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.UNAVAILABLE))
          .hasMessageContaining("has not answered a put for 2000 ms");
      silent.release();
      putTwo(tablets, ofFirst, () -> {});
      assertThat(tablets.replica(table, 0).offsets().visible()).isPositive();
      assertThat(silent.offsets().visible()).as("once unanswered, once answered").isEqualTo(20);
    }
  }

  @Test
  void anUploadLeavesATabletThatDoesNotAnswerForTheNextLeader() throws Exception {
    try (FlightHarness tablets =
        new FlightHarness(impatientWithPeers(Duration.ofMillis(1500)), 2)) {
      TableInfo table = tablets.createEvents(2);
      FakeReplica silent = tablets.replica(table, 1);
      FakeReplicas here = tablets.tablet().replicas;
      silent.hold();
      putTwo(
          tablets,
          tablets.client(),
          () -> {
            Await.until("a put", FlightHarness.SOON, () -> silent.held() == 1);
            here.host(silent.table(), 1);
            tablets.coordinator.move(FlightHarness.EVENTS, 1, 0);
          });
      assertThat(here.replica(table.getTableId(), 1).offsets().visible()).isEqualTo(10);
      silent.release();
    }
  }

  /** Puts a message of ten rows into each of two buckets; what else happens when both are sent. */
  private static void putTwo(FlightHarness tablets, FlightClient client, Runnable sent) {
    try (VectorSchemaRoot root = Events.root(tablets.clientAllocator)) {
      FlightClient.ClientStreamListener upload =
          client.startPut(PATH, root, new AsyncPutListener());
      for (int message = 0; message < 2; message++) {
        Events.fill(root, 10L * message, 10L * message + 10);
        upload.putNext();
      }
      sent.run();
      upload.completed();
      upload.getResult();
    }
  }

  @Test
  void goesOnWithALeaderThatHasNotHeardOfItsBucketYet() throws Exception {
    TableInfo table = harness.createEvents(2);
    FakeReplica ofOtherTablet = harness.replica(table, 1);
    ofOtherTablet.refuseNext(new SluiceException(ErrorCode.NOT_LEADER, "no bucket of it here"));
    ofOtherTablet.refuseNext(new SluiceException(ErrorCode.NOT_LEADER, "no bucket of it here"));
    put(PATH, 0, 40, 10);
    assertThat(ofOtherTablet.offsets().visible()).isEqualTo(20);
  }

  @Test
  void followsALeaderThatMovesDuringAnUpload() throws Exception {
    TableInfo table = harness.createEvents(2);
    FakeReplica before = harness.replica(table, 1);
    FakeReplicas here = harness.tablet().replicas;
    Answers answers = new Answers();
    try (VectorSchemaRoot root = Events.root(harness.clientAllocator)) {
      FlightClient.ClientStreamListener upload = client.startPut(PATH, root, answers);
      for (int message = 0; message < 4; message++) {
        if (message == 2) {
          Await.until("two answers", FlightHarness.SOON, () -> answers.all.size() == 2);
          harness.coordinator.move(FlightHarness.EVENTS, 1, 0);
          here.host(before.table(), 1);
          // A replica says who leads now by the id of the server.
          before.leadership(
              new SluiceException(
                  ErrorCode.NOT_LEADER, "Server 1 leads", Map.of("leader_server_id", "1"), null));
        }
        Events.fill(root, 10L * message, 10L * message + 10);
        upload.putNext();
      }
      upload.completed();
      upload.getResult();
    }
    assertThat(before.offsets().visible()).isEqualTo(10);
    assertThat(here.replica(table.getTableId(), 1).offsets().visible()).isEqualTo(10);
    assertThat(here.replica(table.getTableId(), 0).offsets().visible()).isEqualTo(20);
  }

  @Test
  void castsWithoutLossAndFillsMissingColumns() throws Exception {
    harness.createEvents(1);
    Schema schema =
        new Schema(
            List.of(
                Field.nullable("name", ArrowType.LargeUtf8.INSTANCE),
                new Field("id", FieldType.notNullable(new ArrowType.Int(32, true)), null)));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      root.allocateNew();
      ((LargeVarCharVector) root.getVector("name")).setSafe(0, new byte[] {'x'});
      ((IntVector) root.getVector("id")).setSafe(0, 9);
      root.setRowCount(1);
      upload(PATH, root);
    }
    assertThat(scan()).containsExactly(java.util.Arrays.asList(9L, "x", null));
  }

  private void upload(FlightDescriptor descriptor, VectorSchemaRoot root) {
    FlightClient.ClientStreamListener upload =
        client.startPut(descriptor, root, new AsyncPutListener());
    upload.putNext();
    upload.completed();
    upload.getResult();
  }

  private void uploadIds(String name, ArrowType type) {
    Schema schema = new Schema(List.of(new Field(name, FieldType.notNullable(type), null)));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      root.allocateNew();
      root.setRowCount(0);
      upload(PATH, root);
    }
  }

  @Test
  void namesTheColumnThatDoesNotFit() {
    harness.createEvents(1);
    assertThatThrownBy(() -> uploadIds("idd", new ArrowType.Int(64, true)))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.NOT_FOUND))
        .hasMessageContaining("'idd'")
        .hasMessageContaining("id, name, amount");
    assertThatThrownBy(() -> uploadIds("id", ArrowType.Utf8.INSTANCE))
        .hasMessageContaining("'id'")
        .hasMessageContaining("BIGINT");
    assertThatThrownBy(() -> uploadIds("name", ArrowType.Utf8.INSTANCE))
        .hasMessageContaining("no column 'id'");
  }

  @Test
  void refusesNullWhereTheColumnIsNotNull() {
    harness.createEvents(1);
    Schema schema = new Schema(List.of(Field.nullable("id", new ArrowType.Int(64, true))));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      root.allocateNew();
      root.getVector("id").setNull(0);
      root.setRowCount(1);
      assertThatThrownBy(() -> upload(PATH, root)).hasMessageContaining("'id'");
    }
  }

  @Test
  void aLogTableTakesOnlyAppends() throws Exception {
    harness.createEvents(1);
    Schema schema =
        new Schema(
            List.of(
                new Field("id", FieldType.notNullable(new ArrowType.Int(64, true)), null),
                Field.nullable("_op", ArrowType.Utf8.INSTANCE)));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      for (String op : List.of("+I", "-D")) {
        root.allocateNew();
        ((org.apache.arrow.vector.BigIntVector) root.getVector("id")).setSafe(0, 1);
        ((VarCharVector) root.getVector("_op"))
            .setSafe(0, op.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        root.setRowCount(1);
        if (op.equals("+I")) {
          upload(PATH, root);
        } else {
          assertThatThrownBy(() -> upload(PATH, root)).hasMessageContaining("'-D'");
        }
      }
    }
    assertThat(scan()).hasSize(1);
  }

  @Test
  void anUnknownTableAndAWrongPathAreNamed() {
    assertThatThrownBy(() -> put(FlightDescriptor.path("demo", "nothing"), 0, 1, 1))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.NOT_FOUND))
        .hasMessageContaining("demo.nothing");
    assertThatThrownBy(() -> put(FlightDescriptor.path("a", "b", "c"), 0, 1, 1))
        .hasMessageContaining("[database, table]");
  }

  @Test
  void aRowBeyondTheLimitIsRefusedByName() {
    harness.createEvents(1);
    Schema schema =
        new Schema(
            List.of(
                new Field("id", FieldType.notNullable(new ArrowType.Int(64, true)), null),
                Field.nullable("name", ArrowType.Utf8.INSTANCE)));
    byte[] large = new byte[40 << 20];
    // Letters that do not compress.
    java.util.SplittableRandom random = new java.util.SplittableRandom(1);
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (' ' + random.nextInt(95));
    }
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      root.allocateNew();
      ((org.apache.arrow.vector.BigIntVector) root.getVector("id")).setSafe(0, 1);
      ((VarCharVector) root.getVector("name")).setSafe(0, large);
      root.setRowCount(1);
      assertThatThrownBy(() -> upload(PATH, root)).hasMessageContaining("33554432");
    }
  }
}

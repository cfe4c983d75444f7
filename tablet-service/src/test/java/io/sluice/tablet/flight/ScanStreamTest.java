package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ScanStreamTest {
  /** The bytes of the names among the buffers of a batch. */
  private static final int NAMES = 4;

  private FlightHarness harness;
  private FlightClient client;
  private TableInfo table;
  private NativeUpload upload;
  private int requests;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    table = harness.createEvents(2);
    client = harness.client();
    upload =
        new NativeUpload(
            harness.channel(),
            NativePut.newBuilder()
                .setTableId(table.getTableId())
                .setSchemaId(1)
                .setWriterId(-1)
                .build());
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private void put(int bucket, long from, long to) {
    upload.send(
        NativeUpload.message(
            harness.clientAllocator, ++requests, bucket, from, to, BatchWriter.NONE));
    assertThat(upload.answers(requests)).noneMatch(each -> each.hasError());
  }

  private static ScanTicket.Builder ticket() {
    return ScanTicket.newBuilder().setDatabase("demo").setTable("events");
  }

  private static BucketScan.Builder bucket(int bucket) {
    return BucketScan.newBuilder().setBucket(bucket);
  }

  private static BucketScan.Builder range(int bucket, long start, long end) {
    return bucket(bucket)
        .setStartAt(StartAt.START_OFFSET)
        .setStart(start)
        .setEndAt(EndAt.END_OFFSET)
        .setEnd(end);
  }

  private FlightStream get(ScanTicket.Builder ticket) {
    return client.getStream(new Ticket(ticket.build().toByteArray()));
  }

  private List<List<Object>> read(ScanTicket.Builder ticket) {
    try (FlightStream stream = get(ticket)) {
      return Events.read(stream);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static List<List<Object>> rows(long from, long to) {
    return LongStream.range(from, to).mapToObj(Events::row).toList();
  }

  @Test
  void returnsEveryRowOfEveryBucket() {
    put(0, 0, 100);
    put(1, 100, 300);
    put(0, 300, 310);
    assertThat(read(ticket())).containsExactlyInAnyOrderElementsOf(rows(0, 310)).hasSize(310);
  }

  @Test
  void aJsonTicketDoesToo() throws Exception {
    put(0, 0, 10);
    try (FlightStream stream =
        client.getStream(
            new Ticket(
                "{\"database\": \"demo\", \"table\": \"events\", \"columns\": [\"id\"]}"
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8)))) {
      assertThat(Events.read(stream)).hasSize(10).contains(List.of(3L));
    }
  }

  @Test
  void projectionsEqualTheFullScanProjected() {
    put(0, 0, 5000);
    put(0, 5000, 5001);
    List<List<Object>> all = read(ticket());
    List<List<String>> choices =
        List.of(
            List.of("id"),
            List.of("name"),
            List.of("amount", "id"),
            List.of("amount", "name", "id"),
            List.of("name", "amount"));
    List<String> order = List.of("id", "name", "amount");
    for (List<String> columns : choices) {
      List<List<Object>> expected = new ArrayList<>();
      for (List<Object> row : all) {
        List<Object> projected = new ArrayList<>();
        columns.forEach(column -> projected.add(row.get(order.indexOf(column))));
        expected.add(projected);
      }
      assertThat(read(ticket().addAllColumns(columns))).as("%s", columns).isEqualTo(expected);
    }
  }

  @Test
  void cutsTheFirstAndTheLastBatchAtTheRowsAskedFor() {
    put(0, 0, 100);
    put(0, 100, 200);
    put(0, 200, 300);
    long[][] ranges = {
      {0, 300}, {0, 1}, {99, 101}, {50, 60}, {100, 200}, {1, 299}, {150, 150}, {250, 300}
    };
    for (long[] each : ranges) {
      assertThat(read(ticket().addBuckets(range(0, each[0], each[1]))))
          .as("[%d, %d)", each[0], each[1])
          .isEqualTo(rows(each[0], each[1]));
      assertThat(
              read(
                  ticket()
                      .addColumns("id")
                      .setWithOffset(true)
                      .addBuckets(range(0, each[0], each[1]))))
          .as("[%d, %d) with offsets", each[0], each[1])
          .isEqualTo(
              LongStream.range(each[0], each[1]).mapToObj(id -> List.<Object>of(id, id)).toList());
    }
  }

  @Test
  void theLimitCountsRowsOverAllBuckets() {
    put(0, 0, 100);
    put(1, 100, 200);
    assertThat(read(ticket().setLimit(150))).hasSize(150);
    assertThat(read(ticket().setLimit(1))).hasSize(1);
    assertThat(read(ticket().setLimit(1000))).hasSize(200);
  }

  @Test
  void startsAtTheTimeAskedFor() {
    harness.replica(table, 0).setTimeMs(1_000);
    put(0, 0, 10);
    harness.replica(table, 0).setTimeMs(2_000);
    put(0, 10, 20);
    assertThat(read(ticket().addBuckets(time(1_500)))).isEqualTo(rows(10, 20));
    assertThat(read(ticket().addBuckets(time(0)))).isEqualTo(rows(0, 20));
    assertThat(read(ticket().addBuckets(time(9_000)))).isEmpty();
  }

  private static BucketScan.Builder time(long epochMs) {
    return bucket(0).setStartAt(StartAt.START_TIMESTAMP).setStart(epochMs);
  }

  @Test
  void addsMetadataColumns() {
    harness.replica(table, 1).setTimeMs(1_234);
    put(1, 5, 8);
    List<List<Object>> rows =
        read(
            ticket()
                .addColumns("id")
                .setWithOffset(true)
                .setWithTimestamp(true)
                .setWithChangeType(true));
    assertThat(rows)
        .containsExactly(
            List.of(5L, 0L, 1_234L, "+A"),
            List.of(6L, 1L, 1_234L, "+A"),
            List.of(7L, 2L, 1_234L, "+A"));
  }

  @Test
  void countsRowsWithoutAnyColumn() throws Exception {
    put(0, 0, 100);
    put(0, 100, 130);
    int rows = 0;
    try (FlightStream stream = get(ticket().setNoColumns(true).addBuckets(range(0, 10, 125)))) {
      assertThat(stream.getSchema().getFields()).isEmpty();
      while (stream.next()) {
        rows += stream.getRoot().getRowCount();
      }
    }
    assertThat(rows).isEqualTo(115);
  }

  @Test
  void eachMessageSaysWhereItIs() throws Exception {
    put(0, 0, 100);
    put(0, 100, 110);
    List<ScanMetadata> seen = new ArrayList<>();
    try (FlightStream stream = get(ticket().addBuckets(range(0, 30, 105)))) {
      while (stream.next()) {
        seen.add(metadata(stream));
      }
    }
    assertThat(seen).extracting(ScanMetadata::getBaseOffset).containsExactly(30L, 100L);
    assertThat(seen).extracting(ScanMetadata::getNextOffset).containsExactly(100L, 105L);
    assertThat(seen).allMatch(each -> each.getVisible() == 110 && each.getLeaderEpoch() == 1);
  }

  private static ScanMetadata metadata(FlightStream stream) throws InvalidProtocolBufferException {
    byte[] bytes = new byte[(int) stream.getLatestMetadata().readableBytes()];
    stream.getLatestMetadata().getBytes(0, bytes);
    return ScanMetadata.parseFrom(bytes);
  }

  @Test
  void followsNewRowsUntilItIsCancelled() throws Exception {
    put(0, 0, 10);
    FakeReplica replica = harness.replica(table, 0);
    try (FlightStream stream = get(ticket().addBuckets(bucket(0).setEndAt(EndAt.END_NONE)))) {
      List<List<Object>> rows = new ArrayList<>();
      for (int round = 1; round <= 5; round++) {
        assertThat(stream.next()).isTrue();
        rows.addAll(Events.rows(stream.getRoot()));
        put(0, 10L * round, 10L * (round + 1));
      }
      assertThat(rows).isEqualTo(rows(0, 50));
      stream.cancel("enough", null);
    }
    Await.until(
        "listener and cursor gone",
        FlightHarness.SOON,
        () -> replica.listenerCount() == 0 && replica.openCursors() == 0);
    upload.call().halfClose();
    harness.tablet().awaitIdle();
  }

  @Test
  void aFollowerGetsLittleFromTheEventLoopAndMuchFromTheScanThreads() throws Exception {
    put(0, 0, 10);
    FakeReplica replica = harness.replica(table, 0);
    try (FlightStream stream = get(ticket().addBuckets(bucket(0).setEndAt(EndAt.END_NONE)))) {
      long end = 10;
      assertThat(next(stream, 1)).isEqualTo(rows(0, end));
      for (int round = 0; round < 3; round++) {
        awaitFollowing(stream, replica, end);
        put(0, end + 1, end + 2);
        put(0, end + 2, end + 20_002);
        assertThat(next(stream, 2)).isEqualTo(rows(end + 1, end + 20_002));
        assertThat(replica.lastReader()).startsWith("flight-scan");
        end += 20_002;
      }
    }
  }

  /** Puts single rows until the event loop has read one: the scan has reached the end. */
  private void awaitFollowing(FlightStream stream, FakeReplica replica, long id) {
    Await.until(
        "a row that the event loop read, not " + replica.lastReader(),
        FlightHarness.SOON,
        () -> {
          put(0, id, id + 1);
          assertThat(next(stream, 1)).isEqualTo(rows(id, id + 1));
          return replica.lastReader().startsWith(FlightHarness.LOOP_THREADS);
        });
  }

  private static List<List<Object>> next(FlightStream stream, int batches) {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < batches; i++) {
      assertThat(stream.next()).isTrue();
      rows.addAll(Events.rows(stream.getRoot()));
    }
    return rows;
  }

  @Test
  void anEndBeyondTheVisibleOneWaitsForIt() throws Exception {
    put(0, 0, 10);
    try (FlightStream stream = get(ticket().addBuckets(range(0, 0, 15)))) {
      assertThat(stream.next()).isTrue();
      put(0, 10, 20);
      assertThat(stream.next()).isTrue();
      assertThat(Events.rows(stream.getRoot())).isEqualTo(rows(10, 15));
      assertThat(stream.next()).isFalse();
    }
  }

  @Test
  void tellsProgressWithoutRowsWhenAsked() throws Exception {
    put(0, 0, 10);
    RawCall get =
        RawCall.get(
            harness.channel(),
            Flight.Ticket.newBuilder()
                .setTicket(
                    ticket()
                        .setProgress(true)
                        .addBuckets(
                            bucket(0).setStartAt(StartAt.START_LATEST).setEndAt(EndAt.END_NONE))
                        .build()
                        .toByteString())
                .build()
                .toByteArray());
    get.request(10);
    Await.until("schema and progress", FlightHarness.SOON, () -> get.answers().size() == 2);
    Flight.FlightData progress = Flight.FlightData.parseFrom(get.answers().get(1));
    assertThat(progress.getDataHeader().isEmpty()).isTrue();
    ScanMetadata metadata = ScanMetadata.parseFrom(progress.getAppMetadata());
    assertThat(metadata.getNextOffset()).isEqualTo(10);
    assertThat(metadata.getVisible()).isEqualTo(10);
    get.cancel();
  }

  @Test
  void endsWhenTheTableIsDroppedOrTheLeadershipIsLost() throws Exception {
    put(0, 0, 10);
    put(1, 0, 10);
    try (FlightStream moved = get(ticket().addBuckets(bucket(1).setEndAt(EndAt.END_NONE)));
        FlightStream dropped = get(ticket().addBuckets(bucket(0).setEndAt(EndAt.END_NONE)))) {
      assertThat(moved.next()).isTrue();
      assertThat(dropped.next()).isTrue();
      harness
          .replica(table, 1)
          .leadership(
              new SluiceException(
                  ErrorCode.NOT_LEADER, "led by b:1", Map.of("leader", "b:1"), null));
      assertThatThrownBy(moved::next)
          .isInstanceOfSatisfying(
              FlightRuntimeException.class,
              e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.UNAVAILABLE))
          .hasMessageContaining("led by b:1");
      harness.tablet().replicas.drop(table.getTableId());
      assertThatThrownBy(dropped::next).hasMessageContaining("was dropped while it was read");
    }
  }

  @Test
  void damagedBytesAreNeverSentAndAreReported() {
    put(0, 0, 5000);
    put(0, 5000, 6000);
    FakeReplica replica = harness.replica(table, 0);
    replica.damage(1, 20);
    assertThatThrownBy(() -> read(ticket().addBuckets(range(0, 0, 6000))))
        .hasMessageContaining("memory, batch 1");
    assertThat(replica.corruption())
        .contains("Checksum of body buffer")
        .contains("memory, batch 1");
    assertThat(read(ticket().addColumns("amount").addBuckets(range(0, 0, 6000)))).hasSize(6000);
    upload.call().halfClose();
    harness.tablet().awaitIdle();
  }

  @Test
  void damagedSectionsAreFoundWhateverColumnsAreRead() {
    put(0, 0, 5000);
    put(0, 5000, 6000);
    FakeReplica replica = harness.replica(table, 0);
    int lastOfChecksums = -1;
    replica.damage(1, lastOfChecksums);
    assertThatThrownBy(() -> read(ticket().addColumns("amount").addBuckets(range(0, 0, 6000))))
        .hasMessageContaining("memory, batch 1");
    assertThat(replica.corruption()).contains("content_crc");
    assertThat(read(ticket().addBuckets(range(0, 0, 5000)))).hasSize(5000);
    upload.call().halfClose();
    harness.tablet().awaitIdle();
  }

  /** Every replica has the same bytes: none of them is damaged, and no other server helps. */
  @Test
  void aBatchThatWasPutUndecodableEndsTheScanAndNotTheReplica() throws Exception {
    upload.send(
        withoutNames(
            NativeUpload.message(
                harness.clientAllocator, ++requests, 0, 0, 1000, BatchWriter.NONE)));
    assertThat(upload.answers(requests)).noneMatch(each -> each.hasError());
    put(0, 1000, 1010);
    assertThatThrownBy(() -> read(ticket().setLimit(1).addBuckets(range(0, 0, 1010))))
        .hasMessageContaining("demo.events, bucket 0, at offset 0 cannot be decoded")
        .hasMessageContaining("in column 'name'")
        .hasMessageContaining("Scan on from offset 1000");
    assertThat(harness.replica(table, 0).corruption()).isNull();
    assertThat(read(ticket().setLimit(1).addColumns("amount").addBuckets(range(0, 0, 1010))))
        .hasSize(1);
    assertThat(read(ticket().setLimit(1).addBuckets(range(0, 1000, 1010)))).hasSize(1);
    // As a whole it is sent as it is stored: who reads it sees for himself.
    ScannedTable scanned = new ScannedTable(harness, client);
    assertThat(scanned.rawMetadata(ticket().addBuckets(range(0, 0, 1010))))
        .extracting(ScanMetadata::getNextOffset)
        .containsExactly(1000L, 1010L);
    upload.call().halfClose();
    harness.tablet().awaitIdle();
  }

  /** The message of a put whose checksums are right, but whose names are no compressed frame. */
  private static Flight.FlightData withoutNames(Flight.FlightData message) throws Exception {
    PutMetadata metadata = PutMetadata.parseFrom(message.getAppMetadata());
    ByteBuffer arrow = ByteBuffer.wrap(message.getDataHeader().toByteArray());
    RecordBatch batch =
        (RecordBatch) Message.getRootAsMessage(arrow.duplicate()).header(new RecordBatch());
    Buffer names = batch.buffers(NAMES);
    int at = (int) names.offset();
    int length = (int) names.length();
    byte[] body = message.getDataBody().toByteArray();
    int lengthPrefix = 8;
    Arrays.fill(body, at + lengthPrefix, at + length, (byte) 0xFF);
    CRC32C crc = new CRC32C();
    crc.update(body, at, length);
    ByteBuffer checksums =
        ByteBuffer.wrap(metadata.getChecksums().toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    checksums.putInt(4 * NAMES, (int) crc.getValue());
    LogBatchHeader header =
        LogBatchHeader.wrap(ByteBuffer.wrap(metadata.getHeader().toByteArray()));
    header.setContentCrc(
        header.computeContentCrc(
            metadata.getChangeTypes().asReadOnlyByteBuffer(),
            metadata.getStatistics().asReadOnlyByteBuffer(),
            arrow,
            checksums));
    return message.toBuilder()
        .setAppMetadata(
            metadata.toBuilder()
                .setHeader(ByteString.copyFrom(header.bytes()))
                .setChecksums(ByteString.copyFrom(checksums))
                .build()
                .toByteString())
        .setDataBody(ByteString.copyFrom(body))
        .build();
  }

  @Test
  void followersOfSeveralBucketsTakeTurns() throws Exception {
    for (int i = 0; i < 6; i++) {
      put(0, i, i + 1);
      put(1, i, i + 1);
    }
    List<Integer> order = new ArrayList<>();
    try (FlightStream stream = get(ticket())) {
      while (stream.next()) {
        order.add(metadata(stream).getBucket());
      }
    }
    assertThat(order).containsExactly(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
  }

  @Test
  void stoppingEndsScans() throws Exception {
    put(0, 0, 10);
    try (FlightStream stream = get(ticket().addBuckets(bucket(0).setEndAt(EndAt.END_NONE)))) {
      assertThat(stream.next()).isTrue();
      harness.tablet().service.stopAccepting();
      assertThatThrownBy(stream::next).hasMessageContaining("stopping");
    }
  }
}

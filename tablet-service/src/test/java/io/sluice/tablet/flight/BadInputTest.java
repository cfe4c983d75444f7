package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every wrong request has an error that names what is wrong; the server goes on. */
final class BadInputTest {
  private FlightHarness harness;
  private ManagedChannel channel;
  private TableInfo table;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    channel = harness.channel();
    table = harness.createEvents(2);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private SluiceException get(byte[] ticket) {
    RawCall call =
        RawCall.get(
            channel,
            Flight.Ticket.newBuilder()
                .setTicket(ByteString.copyFrom(ticket))
                .build()
                .toByteArray());
    call.request(10);
    return call.failure();
  }

  private SluiceException get(ScanTicket.Builder ticket) {
    return get(ticket.build().toByteArray());
  }

  private static ScanTicket.Builder ticket() {
    return ScanTicket.newBuilder().setDatabase("demo").setTable("events");
  }

  private static ScanTicket.Builder bucket(BucketScan.Builder bucket) {
    return ticket().addBuckets(bucket);
  }

  private void assertRefused(SluiceException failure, ErrorCode code, String text) {
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(text);
  }

  @Test
  void malformedTickets() {
    assertRefused(get(new byte[0]), ErrorCode.INVALID_TICKET, "empty");
    assertRefused(get(new byte[] {9, 9, 9}), ErrorCode.INVALID_TICKET, "ScanTicket");
    assertRefused(json("{\"tabel\": \"x\"}"), ErrorCode.INVALID_TICKET, "tabel");
    assertRefused(json("{\"database\": "), ErrorCode.INVALID_TICKET, "ScanTicket");
    assertRefused(json("{}"), ErrorCode.INVALID_TICKET, "no database");
    assertRefused(
        get(ticket().addColumns("id").setNoColumns(true)), ErrorCode.INVALID_TICKET, "no_columns");
    assertRefused(
        get(ticket().addColumns("id").addColumns("id")), ErrorCode.INVALID_TICKET, "twice");
    assertRefused(get(ticket().setLimit(-1)), ErrorCode.INVALID_TICKET, "limit is -1");
    assertRefused(get(ticket().setSchemaId(-1)), ErrorCode.INVALID_TICKET, "schema_id");
  }

  private SluiceException json(String text) {
    return get(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void ticketsForWhatDoesNotExist() {
    assertRefused(get(ticket().setTable("nothing")), ErrorCode.TABLE_NOT_FOUND, "demo.nothing");
    assertRefused(get(ticket().setTable("a b")), ErrorCode.INVALID_NAME, "a b");
    assertRefused(get(ticket().addColumns("idd")), ErrorCode.COLUMN_NOT_FOUND, "id, name, amount");
    assertRefused(get(ticket().setSchemaId(7)), ErrorCode.SCHEMA_NOT_FOUND, "7");
    assertRefused(
        get(ticket().setTableId(table.getTableId() + 1)), ErrorCode.TABLE_CHANGED, "dropped");
  }

  @Test
  void wrongRanges() {
    BucketScan.Builder scan = BucketScan.newBuilder();
    assertRefused(get(bucket(scan.clone().setBucket(5000))), ErrorCode.BUCKET_NOT_FOUND, "0 to 1");
    assertRefused(get(bucket(scan.clone().setBucket(-1))), ErrorCode.BUCKET_NOT_FOUND, "-1");
    assertRefused(
        get(bucket(scan.clone()).addBuckets(scan.clone())), ErrorCode.INVALID_TICKET, "twice");
    assertRefused(
        get(bucket(scan.clone().setPartitionId(3))), ErrorCode.INVALID_TICKET, "partition_id");
    assertRefused(
        get(bucket(scan.clone().setStartAt(StartAt.START_OFFSET).setStart(1))),
        ErrorCode.OFFSET_OUT_OF_RANGE,
        "0 to 0");
    assertRefused(
        get(bucket(scan.clone().setEndAt(EndAt.END_OFFSET).setEnd(-4))),
        ErrorCode.INVALID_TICKET,
        "before its start");
    assertRefused(
        get(bucket(scan.clone().setStartAtValue(99))), ErrorCode.INVALID_TICKET, "start_at is 99");
    assertRefused(
        get(bucket(scan.clone().setEndAtValue(99))), ErrorCode.INVALID_TICKET, "end_at is 99");
    assertRefused(get(bucket(scan.clone().setLastEpoch(9))), ErrorCode.LEADER_NOT_READY, "epoch 9");
  }

  @Test
  void putsWithoutOrWithAWrongDescriptor() {
    RawCall none = RawCall.put(channel);
    none.send(Flight.FlightData.getDefaultInstance().toByteArray());
    assertRefused(none.failure(), ErrorCode.INVALID_ARGUMENT, "no descriptor");

    RawCall empty = RawCall.put(channel);
    empty.halfClose();
    assertRefused(empty.failure(), ErrorCode.INVALID_ARGUMENT, "no message");

    RawCall command = RawCall.put(channel);
    command.send(
        Flight.FlightData.newBuilder()
            .setFlightDescriptor(
                Flight.FlightDescriptor.newBuilder()
                    .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                    .setCmd(ByteString.copyFromUtf8("{\"scan\": {}}")))
            .build()
            .toByteArray());
    assertRefused(command.failure(), ErrorCode.INVALID_ARGUMENT, "native_put");
  }

  @Test
  void truncatedMessages() {
    byte[] whole =
        NativeUpload.message(harness.clientAllocator, 1, 0, 0, 100, BatchWriter.NONE).toByteArray();
    for (int cut : new int[] {1, 5, 50, whole.length / 2, whole.length - 1}) {
      NativeUpload upload =
          new NativeUpload(
              channel,
              NativePut.newBuilder()
                  .setTableId(table.getTableId())
                  .setSchemaId(1)
                  .setWriterId(-1)
                  .build());
      upload.call().send(Arrays.copyOf(whole, cut));
      assertThat(upload.call().failure().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
    harness.tablet().awaitIdle();
  }

  @Test
  void plainUploadsThatAreNoArrow() {
    Flight.FlightDescriptor path =
        Flight.FlightDescriptor.newBuilder()
            .setType(Flight.FlightDescriptor.DescriptorType.PATH)
            .addPath("demo")
            .addPath("events")
            .build();
    RawCall garbage = RawCall.put(channel);
    garbage.send(
        Flight.FlightData.newBuilder()
            .setFlightDescriptor(path)
            .setDataHeader(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))
            .build()
            .toByteArray());
    assertThat(garbage.failure().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);

    RawCall noSchema = RawCall.put(channel);
    noSchema.send(
        NativeUpload.message(harness.clientAllocator, 1, 0, 0, 10, BatchWriter.NONE).toBuilder()
            .setFlightDescriptor(path)
            .build()
            .toByteArray());
    assertRefused(noSchema.failure(), ErrorCode.INVALID_SCHEMA, "before its schema");
  }
}

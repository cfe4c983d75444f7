package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.junit.jupiter.api.Test;

/**
 * Ten thousand damaged requests: each ends, none leaves memory behind, the server still answers.
 */
final class MutatedRequestsRandomTest {
  private static final int REQUESTS_A_SEED = 2_000;
  private static final int SEEDS = 5;
  private static final int AT_ONCE = 50;

  @Test
  void leaveNoMemoryBehindAndTheServerAnswers() throws Exception {
    try (FlightHarness harness = new FlightHarness()) {
      TableInfo table = harness.createEvents(2);
      ManagedChannel channel = harness.channel();
      Flight.FlightData batch =
          NativeUpload.message(harness.clientAllocator, 1, 0, 0, 300, BatchWriter.NONE);
      List<byte[]> nativePut = nativePut(table, batch);
      List<byte[]> stockPut = stockPut(batch);
      byte[] ticket = ticket(table);
      Seeds.run(
          SEEDS,
          (seed, random) -> {
            List<RawCall> open = new ArrayList<>();
            for (int i = 0; i < REQUESTS_A_SEED; i++) {
              open.add(
                  switch (random.nextInt(3)) {
                    case 0 -> put(channel, nativePut, random);
                    case 1 -> put(channel, stockPut, random);
                    default -> get(channel, ticket, random);
                  });
              if (open.size() == AT_ONCE) {
                finish(open);
              }
            }
            finish(open);
            harness.tablet().awaitIdle();
          });
      RawCall healthy = RawCall.get(channel, ticket);
      healthy.request(Integer.MAX_VALUE);
      assertThat(healthy.status().getCode()).isEqualTo(Status.Code.OK);
    }
  }

  private static void finish(List<RawCall> open) {
    for (RawCall call : open) {
      Status status = call.status();
      assertThat(status.getCode())
          .as("%s", status)
          .isNotIn(Status.Code.UNKNOWN, Status.Code.INTERNAL);
    }
    open.clear();
  }

  private static List<byte[]> nativePut(TableInfo table, Flight.FlightData batch) {
    NativePut put =
        NativePut.newBuilder()
            .setTableId(table.getTableId())
            .setSchemaId(1)
            .setWriterId(-1)
            .build();
    return List.of(
        batch.toBuilder().setFlightDescriptor(NativeUpload.descriptor(put)).build().toByteArray(),
        batch.toByteArray());
  }

  private static List<byte[]> stockPut(Flight.FlightData batch) {
    Flight.FlightData schema =
        Flight.FlightData.newBuilder()
            .setFlightDescriptor(
                Flight.FlightDescriptor.newBuilder()
                    .setType(Flight.FlightDescriptor.DescriptorType.PATH)
                    .addPath("demo")
                    .addPath("events"))
            .setDataHeader(
                ByteString.copyFrom(
                    MessageSerializer.serializeMetadata(
                        ArrowSchemas.toArrow(FlightHarness.eventsSchema()), IpcOption.DEFAULT)))
            .build();
    return List.of(
        schema.toByteArray(), batch.toBuilder().clearAppMetadata().build().toByteArray());
  }

  private static byte[] ticket(TableInfo table) {
    return Flight.Ticket.newBuilder()
        .setTicket(
            ScanTicket.newBuilder()
                .setDatabase("demo")
                .setTable("events")
                .setTableId(table.getTableId())
                .addBuckets(BucketScan.newBuilder().setBucket(1))
                .addColumns("id")
                .setWithOffset(true)
                .setLimit(50)
                .build()
                .toByteString())
        .build()
        .toByteArray();
  }

  private static RawCall put(
      ManagedChannel channel, List<byte[]> messages, SplittableRandom random) {
    RawCall call = RawCall.put(channel);
    int damaged = random.nextInt(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      call.send(i == damaged ? mutate(messages.get(i), random) : messages.get(i));
    }
    call.halfClose();
    return call;
  }

  private static RawCall get(ManagedChannel channel, byte[] ticket, SplittableRandom random) {
    RawCall call = RawCall.get(channel, mutate(ticket, random));
    call.request(Integer.MAX_VALUE);
    return call;
  }

  /** Flips, overwrites, cuts or doubles some bytes; mostly near the start, where structure is. */
  private static byte[] mutate(byte[] message, SplittableRandom random) {
    byte[] bytes = message.clone();
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      int reach = random.nextBoolean() ? bytes.length : Math.min(bytes.length, 600);
      int at = random.nextInt(Math.max(1, reach));
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt(256);
        case 2 -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(bytes.length - Math.max(at, from), random.nextInt(40));
          System.arraycopy(message, Math.min(from, message.length - length), bytes, at, length);
        }
        default -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, bytes.length - at / 8));
      }
    }
    return bytes;
  }
}

package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.sluice.format.batch.BatchWriter;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Test;

/** Memory stays bounded and comes back, whatever readers do. */
final class FlightMemoryTest {
  private static final int BATCHES = 30;
  private static final int ROWS = 40_000;

  private static byte[] ticket() {
    return Flight.Ticket.newBuilder()
        .setTicket(
            ScanTicket.newBuilder()
                .setDatabase("demo")
                .setTable("events")
                .addBuckets(BucketScan.newBuilder().setEndAt(EndAt.END_NONE))
                .build()
                .toByteString())
        .build()
        .toByteArray();
  }

  private static void fill(FlightHarness harness) {
    TableInfo table = harness.createEvents(1);
    NativeUpload upload =
        new NativeUpload(
            harness.channel(),
            NativePut.newBuilder()
                .setTableId(table.getTableId())
                .setSchemaId(1)
                .setWriterId(-1)
                .build());
    for (int i = 0; i < BATCHES; i++) {
      long from = (long) i * ROWS;
      upload.send(
          NativeUpload.message(harness.clientAllocator, i, 0, from, from + ROWS, BatchWriter.NONE));
    }
    upload.answers(BATCHES);
    upload.call().halfClose();
    assertThat(upload.call().status().isOk()).isTrue();
  }

  @Test
  void aReaderThatDoesNotReadHoldsLittleAndOthersGoOn() throws Exception {
    int buffer = 64 << 10;
    FlightSettings settings =
        new FlightSettings(1, "test", 64L << 20, buffer, 100, 2, Duration.ofSeconds(5));
    try (FlightHarness harness = new FlightHarness(settings, 1)) {
      fill(harness);
      FlightHarness.Tablet tablet = harness.tablet();
      int batch = harness.tablet().replicas.replica(1, 0).storedHeader(0).length();
      RawCall slow = RawCall.get(harness.channel(), ticket());
      slow.request(1);
      Await.until(
          "scan waits for its reader",
          FlightHarness.SOON,
          () -> !slow.answers().isEmpty() && tablet.scanBuffers.metric().usedDirectMemory() > 0);
      RawCall fast = RawCall.get(harness.channel(), ticket());
      fast.request(Integer.MAX_VALUE);
      Await.until(
          "the other reader has everything",
          FlightHarness.SOON,
          () -> fast.answers().size() >= BATCHES + 1);
      // The connection's window, what may wait above it, and the batches under way.
      assertThat(tablet.scanBuffers.metric().usedDirectMemory())
          .isLessThan(buffer + 4L * batch + FlightSettings.FLOW_CONTROL_WINDOW_BYTES);
      slow.request(Integer.MAX_VALUE);
      Await.until(
          "the slow reader has everything",
          FlightHarness.SOON,
          () -> slow.answers().size() >= BATCHES + 1);
      slow.cancel();
      fast.cancel();
      tablet.awaitIdle();
    }
  }

  @Test
  void aHundredCancelledScansLeaveNothing() throws Exception {
    try (FlightHarness harness = new FlightHarness()) {
      fill(harness);
      ManagedChannel channel = harness.channel();
      List<RawCall> scans = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        RawCall scan = RawCall.get(channel, ticket());
        scan.request(1 + i % 5);
        scans.add(scan);
      }
      Await.until(
          "every scan began",
          FlightHarness.SOON,
          () -> scans.stream().noneMatch(each -> each.answers().isEmpty()));
      scans.forEach(RawCall::cancel);
      harness.tablet().awaitIdle();
      FakeReplica replica = harness.tablet().replicas.replica(1, 0);
      assertThat(replica.openCursors()).isZero();
      assertThat(replica.listenerCount()).isZero();
    }
  }

  @Test
  void scansBeyondTheLimitAreRefused() throws Exception {
    FlightSettings settings =
        new FlightSettings(1, "test", 64L << 20, 1 << 20, 2, 2, Duration.ofSeconds(5));
    try (FlightHarness harness = new FlightHarness(settings, 1)) {
      harness.createEvents(1);
      ManagedChannel channel = harness.channel();
      List<RawCall> scans = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        RawCall scan = RawCall.get(channel, ticket());
        scan.request(1);
        scans.add(scan);
        Await.until("scan began", FlightHarness.SOON, () -> !scan.answers().isEmpty());
      }
      RawCall third = RawCall.get(channel, ticket());
      third.request(1);
      assertThat(third.failure().code().name()).isEqualTo("BACKPRESSURE");
      scans.forEach(RawCall::cancel);
      harness.tablet().awaitIdle();
    }
  }
}

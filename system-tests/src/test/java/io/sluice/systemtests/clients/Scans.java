package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Reads scans to their end, with our client and with Arrow's. */
final class Scans {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private Scans() {}

  /** Hands over every batch of a bounded scan, and closes it. */
  static void read(Scan scan, Consumer<ScanBatch> consumer) {
    try (LogScanner scanner = scan.open()) {
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (!scanner.finished()) {
        assertThat(System.nanoTime()).as("time left to scan").isLessThan(deadline);
        for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
          try (batch) {
            consumer.accept(batch);
          }
        }
      }
    }
  }

  /** How many rows a scan without columns counts. */
  static long count(Scan scan) {
    long[] rows = new long[1];
    read(scan.noColumns(), batch -> rows[0] += batch.rowCount());
    return rows[0];
  }

  /** Arrow's own client, for a tablet's port. */
  static FlightClient stockClient(BufferAllocator allocator, int port) {
    return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port)).build();
  }

  /**
   * Hands over every batch of a scan of Arrow's own client.
   *
   * @param port of any tablet
   * @param command the scan, JSON of a flight command
   */
  static void readStock(
      BufferAllocator allocator, int port, String command, Consumer<VectorSchemaRoot> consumer)
      throws Exception {
    FlightDescriptor descriptor =
        FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8));
    try (FlightClient client = stockClient(allocator, port)) {
      for (FlightEndpoint endpoint : client.getInfo(descriptor).getEndpoints()) {
        int leader = endpoint.getLocations().get(0).getUri().getPort();
        try (FlightClient at = stockClient(allocator, leader);
            FlightStream stream = at.getStream(endpoint.getTicket())) {
          while (stream.next()) {
            consumer.accept(stream.getRoot());
          }
        }
      }
    }
  }
}

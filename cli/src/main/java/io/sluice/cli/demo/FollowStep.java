package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.measure.Percentiles;
import io.sluice.cli.terminal.Figures;
import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.WriterOptions;
import io.sluice.format.row.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Follows the table on one connection while a writer on another appends rows at a steady pace, and
 * shows how long each row took from the call that appended it to the poll that returned it.
 */
final class FollowStep {
  /** Rows that let the two virtual machines warm up; they are stored but not measured. */
  static final int WARM_UP_ROWS = 500;

  static final int MEASURED_ROWS = 1_000;

  /** Rows that this step adds to the table: the first ones of the file, once more. */
  static final int ROWS = WARM_UP_ROWS + MEASURED_ROWS;

  private static final long PACE_NANOS = 1_000_000;
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;
  private final Connection writerConnection;

  FollowStep(
      DemoOutput output, FlightsFile file, FlightsTable flights, Connection writerConnection) {
    this.output = output;
    this.file = file;
    this.flights = flights;
    this.writerConnection = writerConnection;
  }

  /** A row's place in the table. */
  private record Place(int bucket, long offset) {}

  /** A row sent: when, and the answer that will say where it was stored. */
  private record Sent(long nanos, CompletableFuture<AppendResult> answer) {}

  void run() throws SQLException, InterruptedException, ExecutionException {
    output.step("Follow the table while another writer appends to it");
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try (LogScanner scanner =
        flights.table().scan().fromOffsets(flights.visibleEnds()).follow().open()) {
      Future<Map<Place, Long>> arrivals = reader.submit(() -> follow(scanner));
      List<Sent> sent = append();
      Map<Place, Long> arrivedAt = arrivals.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      show(Percentiles.of(latencies(sent, arrivedAt)));
    } catch (TimeoutException e) {
      throw new CliException(
          "The follower did not receive " + ROWS + " rows within " + TIMEOUT.toSeconds() + " s",
          "",
          e);
    } finally {
      reader.shutdownNow();
    }
  }

  private static Map<Place, Long> follow(LogScanner scanner) {
    Map<Place, Long> arrivedAt = new HashMap<>();
    while (arrivedAt.size() < ROWS && !Thread.currentThread().isInterrupted()) {
      for (ScanBatch batch : scanner.poll(POLL)) {
        try (batch) {
          long now = System.nanoTime();
          for (long offset = batch.baseOffset(); offset < batch.nextOffset(); offset++) {
            arrivedAt.put(new Place(batch.bucket(), offset), now);
          }
        }
      }
    }
    return arrivedAt;
  }

  private List<Sent> append() throws SQLException {
    List<Sent> sent = new ArrayList<>(ROWS);
    WriterOptions options = WriterOptions.defaults().linger(Duration.ZERO);
    try (AppendWriter writer =
        writerConnection.table(FlightsTable.PATH.toString()).appendWriter(options)) {
      long start = System.nanoTime();
      file.read(
          ROWS,
          (date, delay, distance, origin, destination) -> {
            waitUntil(start + sent.size() * PACE_NANOS);
            Row row = Row.of(FlightsTable.date(date), delay, distance, origin, destination);
            long now = System.nanoTime();
            sent.add(new Sent(now, writer.append(row)));
          });
      writer.flush();
    }
    return sent;
  }

  private static void waitUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static long[] latencies(List<Sent> sent, Map<Place, Long> arrivedAt) {
    long[] latencies = new long[MEASURED_ROWS];
    for (int i = 0; i < MEASURED_ROWS; i++) {
      Sent row = sent.get(WARM_UP_ROWS + i);
      AppendResult stored = row.answer().join();
      Place place = new Place(stored.bucket(), stored.offset());
      Long arrived = arrivedAt.get(place);
      if (arrived == null) {
        throw new CliException(
            "A row was stored at offset "
                + place.offset()
                + " of bucket "
                + place.bucket()
                + " but the follower did not receive it");
      }
      latencies[i] = arrived - row.nanos();
    }
    return latencies;
  }

  private void show(Percentiles latencies) {
    output.fact(
        "appended",
        Figures.count(MEASURED_ROWS) + " rows",
        "one each millisecond, after " + WARM_UP_ROWS + " to warm up");
    output.fact("latency, half within", Figures.duration(latencies.at(50)), "from append to poll");
    output.fact("99 % within", Figures.duration(latencies.at(99)), "");
    output.fact("the slowest", Figures.duration(latencies.most()), "");
  }
}

package io.sluice.tablet.flight;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What the Flight service counts. Thread-safe. */
public final class FlightMeters {
  private final Counter appendRows;
  private final Counter appendBytes;
  private final Counter appendBatches;
  private final MeterRegistry registry;
  private final Timer appendLatency;
  private final Counter scanBytes;
  private final Counter scanBatches;
  private final AtomicInteger openPuts = new AtomicInteger();
  private final AtomicInteger openScans = new AtomicInteger();

  /** Registers every meter. */
  public FlightMeters(MeterRegistry registry) {
    this.registry = registry;
    appendRows = registry.counter("sluice.append.rows");
    appendBytes = registry.counter("sluice.append.bytes");
    appendBatches = registry.counter("sluice.append.batches");
    appendLatency =
        Timer.builder("sluice.append.latency")
            .description("From the arrival of a batch to its answer")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofNanos(100_000))
            .maximumExpectedValue(Duration.ofSeconds(30))
            .register(registry);
    scanBytes = registry.counter("sluice.scan.bytes");
    scanBatches = registry.counter("sluice.scan.batches");
    registry.gauge("sluice.streams.open", List.of(Tag.of("kind", "put")), openPuts);
    registry.gauge("sluice.streams.open", List.of(Tag.of("kind", "scan")), openScans);
  }

  void stored(int rows, long bytes, long nanos) {
    appendRows.increment(rows);
    appendBytes.increment(bytes);
    appendBatches.increment();
    appendLatency.record(Duration.ofNanos(nanos));
  }

  void refused(ErrorCode code) {
    registry.counter("sluice.append.refused", "code", code.name()).increment();
  }

  void sent(long bytes) {
    scanBytes.increment(bytes);
    scanBatches.increment();
  }

  void putOpened() {
    openPuts.incrementAndGet();
  }

  void putClosed() {
    openPuts.decrementAndGet();
  }

  /** Counts a scan in; the number open with it. */
  int scanOpened() {
    return openScans.incrementAndGet();
  }

  void scanClosed() {
    openScans.decrementAndGet();
  }

  /** Put streams open now. */
  public int openPuts() {
    return openPuts.get();
  }

  /** Scans open now. */
  public int openScans() {
    return openScans.get();
  }
}

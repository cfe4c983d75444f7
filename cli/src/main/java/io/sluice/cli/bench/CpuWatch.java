package io.sluice.cli.bench;

import io.sluice.cli.measure.ProcessCpu;
import java.io.IOException;
import java.util.Map;

/** Wall-clock time and CPU time of client and server from its creation on. */
final class CpuWatch {
  private static final double MILLION = 1e6;

  private final ProcessCpu client = ProcessCpu.ofSelf();
  private final ProcessCpu server;
  private final double clientStart;
  private final double serverStart;
  private final long startNanos;

  CpuWatch(ProcessCpu server) throws IOException {
    this.server = server;
    this.clientStart = client.seconds();
    this.serverStart = server.seconds();
    this.startNanos = System.nanoTime();
  }

  /** Adds rates and CPU time to the figures, for so many rows of so many bytes each. */
  void stop(Map<Metric, Double> figures, long rows, double bytesPerRow) throws IOException {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    figures.put(Metric.ROWS_PER_SECOND, rows / seconds);
    figures.put(Metric.MB_PER_SECOND, rows * bytesPerRow / seconds / MILLION);
    figures.put(Metric.CLIENT_CPU, (client.seconds() - clientStart) * MILLION / rows);
    figures.put(Metric.SERVER_CPU, (server.seconds() - serverStart) * MILLION / rows);
  }
}

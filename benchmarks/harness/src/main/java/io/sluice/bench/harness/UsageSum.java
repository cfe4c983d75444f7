package io.sluice.bench.harness;

import java.util.Map;

/** What was used in several stretches of time together. Not thread-safe. */
final class UsageSum {
  private static final double MILLION = 1e6;
  static final double NANOS_PER_SECOND = 1e9;

  private long nanos;
  private double client;
  private double servers;
  private double machine;
  private long loopbackBytes;

  /** Adds a stretch. */
  UsageSum add(Usage start, Usage end) {
    nanos += end.nanos() - start.nanos();
    client += end.client() - start.client();
    servers += end.servers() - start.servers();
    machine += end.machine() - start.machine();
    loopbackBytes += end.loopbackBytes() - start.loopbackBytes();
    return this;
  }

  /** Time so far. */
  long nanos() {
    return nanos;
  }

  /** Puts what so many rows have used into the answer. */
  void report(long rows, Map<String, Object> answer) {
    double seconds = nanos / NANOS_PER_SECOND;
    double others = Math.max(0, machine - client - servers);
    answer.put("rows", rows);
    answer.put("seconds", seconds);
    answer.put("rows_per_s", rows / seconds);
    answer.put("client_cpu_s_per_million_rows", client * MILLION / rows);
    answer.put("server_cpu_s_per_million_rows", servers * MILLION / rows);
    answer.put("other_cores", others / seconds);
    answer.put("wire_bytes_per_row", (double) loopbackBytes / rows);
  }
}

package io.sluice.cli.bench;

/** A figure that a workload measures. The key is its name in JSON. */
public enum Metric {
  ROWS_PER_SECOND("rows_per_s", "rows/s"),
  MB_PER_SECOND("mb_per_s", "MB/s"),
  CLIENT_CPU("client_cpu_s_per_million_rows", "client CPU s/M"),
  SERVER_CPU("server_cpu_s_per_million_rows", "server CPU s/M"),
  DISK_BYTES("disk_bytes_per_row", "disk B/row"),
  RECEIVED_BYTES("received_bytes_per_row", "received B/row"),
  WIRE_BYTES("wire_bytes_per_row", "wire B/row"),
  P50_MS("p50_ms", "p50 ms"),
  P99_MS("p99_ms", "p99 ms"),
  MAX_MS("max_ms", "max ms"),
  SECONDS("seconds", "seconds"),
  CHANGELOG_ROWS_PER_SECOND("changelog_rows_per_s", "changelog rows/s"),
  FAILED_WRITES("failed_writes", "failed writes"),
  FIRST_LOOKUP_SECONDS("first_lookup_s", "first lookup s"),
  FIRST_WRITE_SECONDS("first_write_s", "first write s"),
  IN_SYNC_SECONDS("in_sync_s", "in sync again s"),
  WRONG_ROWS("wrong_rows", "wrong rows"),
  KEYS("keys", "keys"),
  OTHER_CORES("other_cores", "other cores"),
  RSS_MB("rss_mb", "RSS MB"),
  OPEN_FILES("open_files", "open files"),
  NANOSECONDS("ns", "ns");

  private final String key;
  private final String title;

  Metric(String key, String title) {
    this.key = key;
    this.title = title;
  }

  public String key() {
    return key;
  }

  public String title() {
    return title;
  }
}

package io.sluice.cli.bench.compare;

import java.util.List;

/**
 * What a comparison was asked to do.
 *
 * @param rows rows of a window (log-scan: of the table), 0 = by time
 * @param repeat measured windows of each lane; those before are a warm-up
 * @param windowMillis time of a window, 0 = the benchmark's own default
 * @param codecs codecs asked for, empty = the benchmark's own
 * @param schemas row shapes asked for, empty = the benchmark's own
 * @param peers names of the products to compare with
 */
public record ComparePlan(
    long rows,
    int repeat,
    long windowMillis,
    List<String> codecs,
    List<String> schemas,
    List<String> peers) {
  public ComparePlan {
    codecs = List.copyOf(codecs);
    schemas = List.copyOf(schemas);
    peers = List.copyOf(peers);
  }

  long windowMillisOr(long otherwise) {
    return windowMillis == 0 ? otherwise : windowMillis;
  }

  long rowsOr(long otherwise) {
    return rows == 0 ? otherwise : rows;
  }
}

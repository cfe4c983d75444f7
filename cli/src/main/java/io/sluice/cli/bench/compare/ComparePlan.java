package io.sluice.cli.bench.compare;

import java.util.List;

/**
 * What a comparison was asked to do.
 *
 * @param rows rows of a window (log-scan: of the table), 0 = the benchmark's own, or by time
 * @param keys keys of tables with a primary key, 0 = the benchmark's own
 * @param repeat measured windows of each lane, 0 = the benchmark's own; those before are a warm-up
 * @param windowMillis time of a window, 0 = the benchmark's own default
 * @param codecs codecs asked for, empty = the benchmark's own
 * @param schemas row shapes asked for, empty = the benchmark's own
 * @param peers names of the products to compare with
 * @param replication servers of rows and copies of a row, for the benchmarks that let one choose
 */
public record ComparePlan(
    long rows,
    long keys,
    int repeat,
    long windowMillis,
    List<String> codecs,
    List<String> schemas,
    List<String> peers,
    Replication replication) {
  public ComparePlan {
    codecs = List.copyOf(codecs);
    schemas = List.copyOf(schemas);
    peers = List.copyOf(peers);
  }

  long windowMillisOr(long otherwise) {
    return windowMillis == 0 ? otherwise : windowMillis;
  }

  long keysOr(long otherwise) {
    return keys == 0 ? otherwise : keys;
  }

  /** The same with so many measured windows unless another number was asked for. */
  ComparePlan withRepeat(int otherwise) {
    return repeat > 0
        ? this
        : new ComparePlan(rows, keys, otherwise, windowMillis, codecs, schemas, peers, replication);
  }

  long rowsOr(long otherwise) {
    return rows == 0 ? otherwise : rows;
  }
}

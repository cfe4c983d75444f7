package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.ScanOpening;
import io.sluice.client.internal.ScanRequest;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Describes a scan of a table, then opens it. For one thread. */
public final class Scan {
  private final ClientCore core;
  private final TableDescription table;
  private @Nullable List<String> columns;
  private ScanRequest.Start start = ScanRequest.Start.EARLIEST;
  private long timestampMs;
  private Map<Integer, Long> offsets = Map.of();
  private Map<Integer, Long> ends = Map.of();
  private Set<Integer> buckets = Set.of();
  private boolean follow;
  private long limit;
  private boolean withOffset;
  private boolean withTimestamp;
  private boolean withChangeType;
  private boolean current;

  Scan(ClientCore core, TableDescription table) {
    this.core = core;
    this.table = table;
  }

  /** Only these columns, in this order. */
  public Scan columns(String... names) {
    columns = List.of(names);
    return this;
  }

  /** No columns: row counts, and the metadata columns asked for. */
  public Scan noColumns() {
    columns = List.of();
    return this;
  }

  /** From the first row that is still there (the default). */
  public Scan fromEarliest() {
    return from(ScanRequest.Start.EARLIEST, 0, Map.of());
  }

  /** From the end as it is when the scan opens. */
  public Scan fromLatest() {
    return from(ScanRequest.Start.LATEST, 0, Map.of());
  }

  /** From the first row stored at that time or later, epoch milliseconds. */
  public Scan fromTimestamp(long epochMs) {
    return from(ScanRequest.Start.TIMESTAMP, epochMs, Map.of());
  }

  /** Only these buckets, each from its offset: what {@link LogScanner#positions} gave. */
  public Scan fromOffsets(Map<Integer, Long> bucketOffsets) {
    return from(ScanRequest.Start.EARLIEST, 0, Map.copyOf(bucketOffsets));
  }

  private Scan from(ScanRequest.Start newStart, long epochMs, Map<Integer, Long> bucketOffsets) {
    start = newStart;
    timestampMs = epochMs;
    offsets = bucketOffsets;
    return this;
  }

  /** Up to what is visible when the scan opens (the default), or to {@link #toOffsets}. */
  public Scan bounded() {
    follow = false;
    return this;
  }

  /**
   * Ends these buckets at their offset (exclusive) instead of at what is visible when the scan
   * opens: a range planned before is read as it was planned. An end must be visible by then.
   */
  public Scan toOffsets(Map<Integer, Long> bucketOffsets) {
    ends = Map.copyOf(bucketOffsets);
    return this;
  }

  /** Goes on as rows are added, until closed. */
  public Scan follow() {
    follow = true;
    return this;
  }

  /** At most so many rows over all buckets. */
  public Scan limit(long rows) {
    if (rows < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Scan limit is " + rows + "; it must be at least 1");
    }
    limit = rows;
    return this;
  }

  /** Only these buckets. */
  public Scan buckets(int... numbers) {
    Set<Integer> wanted = new TreeSet<>();
    for (int number : numbers) {
      wanted.add(number);
    }
    buckets = Set.copyOf(wanted);
    return this;
  }

  /** Adds the column {@code _offset}. */
  public Scan withOffset() {
    withOffset = true;
    return this;
  }

  /** Adds the column {@code _timestamp}: when the row was stored. */
  public Scan withTimestamp() {
    withTimestamp = true;
    return this;
  }

  /**
   * Adds the column {@code _change_type}, which {@link ScanBatch#changeTypes} reads: what each
   * record of a primary-key table's changelog does.
   */
  public Scan withChangeType() {
    withChangeType = true;
    return this;
  }

  /**
   * The current rows of a primary-key table instead of its changelog: each bucket as it is at one
   * moment, in no order that counts. {@link LogScanner#positions} then says where following the
   * changelog goes on from there. Such a scan does not survive the loss of a server after the first
   * rows: it then fails with UNAVAILABLE and can be opened again. It takes columns, buckets and a
   * limit only.
   */
  public Scan current() {
    current = true;
    return this;
  }

  /**
   * Opens the scan. Blocks for the offsets of its buckets.
   *
   * @throws SluiceException UNSUPPORTED for {@link #current} rows of a table without a primary key,
   *     INVALID_ARGUMENT for a start, an end or a metadata column that they cannot have
   */
  public LogScanner open() {
    if (current) {
      checkCurrent();
    }
    if (follow && !ends.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A scan that follows " + table.path() + " has no end; leave out follow() or toOffsets()");
    }
    return ScanOpening.open(
        core,
        table,
        new ScanRequest(
            columns,
            start,
            timestampMs,
            offsets,
            ends,
            buckets,
            follow,
            limit,
            withOffset,
            withTimestamp,
            withChangeType,
            current));
  }

  private void checkCurrent() {
    if (table.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + table.path()
              + " has no primary key: all its rows are current; leave out current()");
    }
    if (follow || start != ScanRequest.Start.EARLIEST || !offsets.isEmpty() || !ends.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A scan of current rows of "
              + table.path()
              + " has neither a start nor an end to choose; leave out follow(), toOffsets() and from...()");
    }
    if (withOffset || withTimestamp || withChangeType) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Current rows of "
              + table.path()
              + " have no offset, time and change type; scan the changelog for them");
    }
  }
}

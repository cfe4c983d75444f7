package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.ScanOpening;
import io.sluice.client.internal.ScanRequest;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.HashMap;
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
  private Map<TableBucket, Long> offsets = Map.of();
  private Map<TableBucket, Long> ends = Map.of();
  private Set<Integer> buckets = Set.of();
  private Set<String> partitions = Set.of();
  private String filter = "";
  private boolean exact;
  private boolean follow;
  private long limit;
  private long maxBytes;
  private boolean withOffset;
  private boolean withTimestamp;
  private boolean withChangeType;
  private boolean current;

  Scan(ClientCore core, TableDescription table) {
    this.core = core;
    this.table = table;
  }

  /**
   * Only these columns, in this order. A name with dots that is no column's is the path of a nested
   * field, as {@code address.zip}: the result has the outer column with only the fields asked for.
   */
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

  /**
   * Only these buckets, each from its offset: what {@link LogScanner#positions} gave. Not for
   * partitioned tables.
   */
  public Scan fromOffsets(Map<Integer, Long> bucketOffsets) {
    return from(ScanRequest.Start.EARLIEST, 0, numbered(bucketOffsets, "fromPositions()"));
  }

  /**
   * Only these buckets, each from its offset: what {@link LogScanner#bucketPositions} gave. With
   * {@link #follow}, partitions that were created since are read too, and those that were dropped
   * are left out.
   */
  public Scan fromPositions(Map<TableBucket, Long> positions) {
    return from(ScanRequest.Start.EARLIEST, 0, Map.copyOf(positions));
  }

  private Map<TableBucket, Long> numbered(Map<Integer, Long> bucketOffsets, String instead) {
    if (table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Table "
              + table.path()
              + " is partitioned, so that a bucket number alone names no bucket; use "
              + instead);
    }
    Map<TableBucket, Long> known = new HashMap<>();
    bucketOffsets.forEach(
        (bucket, offset) -> {
          if (bucket < 0) {
            throw new SluiceException(
                ErrorCode.BUCKET_NOT_FOUND,
                "Bucket "
                    + bucket
                    + " of "
                    + table.path()
                    + " does not exist; its buckets are 0 to "
                    + (table.bucketCount() - 1));
          }
          known.put(TableBucket.of(table.tableId(), bucket), offset);
        });
    return known;
  }

  private Scan from(
      ScanRequest.Start newStart, long epochMs, Map<TableBucket, Long> bucketOffsets) {
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
    return toPositions(numbered(bucketOffsets, "toPositions()"));
  }

  /** As {@link #toOffsets}, also for partitioned tables. */
  public Scan toPositions(Map<TableBucket, Long> positions) {
    ends = Map.copyOf(positions);
    return this;
  }

  /**
   * Goes on as rows are added, until closed. New partitions are read from their beginning when they
   * are created; dropped ones are left out from then on.
   */
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

  /**
   * Ends after the batch with which this many bytes have been received; at least one batch comes.
   * {@link LogScanner#bucketPositions} says where to go on.
   */
  public Scan maxBytes(long bytes) {
    if (bytes < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Scan maximum of bytes is " + bytes + "; it must be at least 1");
    }
    maxBytes = bytes;
    return this;
  }

  /**
   * Only rows for which the condition is true, such as {@code delay > 60 AND origin IN ('SFO',
   * 'LAX')}; the grammar is in {@code docs/filters.md}. Servers leave out batches, and partitions,
   * that their statistics and values rule out, and the other rows of those they read.
   *
   * @throws SluiceException INVALID_FILTER when it is blank; when the scan opens: INVALID_FILTER
   *     naming the place and what is allowed
   */
  public Scan filter(String condition) {
    filter = checkFilter(condition);
    exact = true;
    return this;
  }

  /**
   * Leaves out batches and partitions in which the condition is true for no row; what comes may
   * hold rows for which it is not. Cheaper than {@link #filter} for the servers, for readers that
   * test rows themselves.
   */
  public Scan skipBy(String condition) {
    filter = checkFilter(condition);
    exact = false;
    return this;
  }

  private static String checkFilter(String condition) {
    if (condition.isBlank()) {
      throw new SluiceException(
          ErrorCode.INVALID_FILTER,
          "The filter is blank; it must be a condition like delay > 60, or left out");
    }
    return condition;
  }

  /**
   * Only these partitions, each named as it is shown: {@code dt=2024-01-01/region=EU}. One that
   * does not exist fails the opening with PARTITION_NOT_FOUND.
   */
  public Scan partitions(String... shown) {
    partitions = Set.of(shown);
    return this;
  }

  /** Only the buckets of these numbers, in each partition. */
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
   * rows: it then fails with UNAVAILABLE and can be opened again. It takes columns, partitions,
   * buckets and a limit only.
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
            partitions,
            filter,
            exact,
            follow,
            limit,
            maxBytes,
            new ScanRequest.Metadata(withOffset, withTimestamp, withChangeType),
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
    if (!filter.isEmpty() || maxBytes > 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A scan of current rows of "
              + table.path()
              + " takes no filter and no maximum of bytes; leave out filter(), skipBy() and"
              + " maxBytes()");
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

package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.v1.ScanTicket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which streams a scan has open: one to each server for the buckets it leads. After a failure that
 * may pass, the buckets it left are opened again where they stand, after a pause and a look-up of
 * their leaders, until the delivery time-out has passed without progress. Guarded by the scanner's
 * lock.
 */
final class ScanStreams {
  /** A stream that was served for so long was a success, also when there was nothing to send. */
  private static final long SUCCESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientCore core;
  private final TableDescription table;
  private final ScanRequest request;
  private final Collection<BucketPosition> positions;
  private final ReentrantLock lock;
  private final ScanStream.Events events;
  private final Runnable onFailure;
  private final Set<ScanStream> open = new LinkedHashSet<>();
  private TableDescription current;
  private @Nullable SluiceException failure;
  private @Nullable SluiceException lastFailure;
  private int failures;
  private long failingSinceNanos;
  private long rowsLeft;
  private boolean reopening;
  private boolean ended;

  ScanStreams(
      ClientCore core,
      TableDescription table,
      ScanRequest request,
      Collection<BucketPosition> positions,
      ReentrantLock lock,
      ScanStream.Events events,
      Runnable onFailure) {
    this.core = core;
    this.table = table;
    this.request = request;
    this.positions = positions;
    this.lock = lock;
    this.events = events;
    this.onFailure = onFailure;
    this.current = core.tables().known(table.path());
  }

  /** Why the scan cannot go on, null while it can. */
  @Nullable SluiceException failure() {
    return failure;
  }

  boolean isOpen(ScanStream stream) {
    return open.contains(stream);
  }

  /** Whether every bucket has been received up to its end. */
  boolean allComplete() {
    for (BucketPosition position : positions) {
      if (!position.isComplete()) {
        return false;
      }
    }
    return true;
  }

  /** Says that the scan works: failures are counted anew. */
  void progressed() {
    failures = 0;
    lastFailure = null;
  }

  /** Opens streams for the buckets that are not complete and have none. */
  void openMissing(long rows) {
    rowsLeft = rows;
    if (ended || rows <= 0) {
      return;
    }
    Set<Integer> missing = new HashSet<>();
    for (BucketPosition position : positions) {
      if (!position.isComplete() && !isRead(position.bucket())) {
        missing.add(position.bucket());
      }
    }
    Map<String, List<Integer>> byLeader = Leaders.byLeader(current, missing);
    byLeader.forEach(this::openStream);
    byLeader.values().forEach(missing::removeAll);
    if (!missing.isEmpty()) {
      retry(
          new SluiceException(
              ErrorCode.UNAVAILABLE,
              "Buckets " + missing + " of " + table.path() + " have no leader now"));
    }
  }

  private boolean isRead(int bucket) {
    for (ScanStream stream : open) {
      if (stream.reads(bucket)) {
        return true;
      }
    }
    return false;
  }

  private void openStream(String address, List<Integer> buckets) {
    List<BucketPosition> read = new ArrayList<>();
    ScanTicket.Builder ticket =
        ScanTicket.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .setSchemaId(table.schema().schemaId())
            .setWithOffset(request.withOffset())
            .setWithTimestamp(request.withTimestamp())
            .setWithChangeType(request.withChangeType())
            .setKvScan(request.current())
            // Then each bucket's end is marked, also that of an empty one.
            .setProgress(request.current())
            .setLimit(rowsLeft == Long.MAX_VALUE ? 0 : rowsLeft);
    List<String> columns = request.columns();
    if (columns != null) {
      ticket.addAllColumns(columns).setNoColumns(columns.isEmpty());
    }
    for (BucketPosition position : positions) {
      if (buckets.contains(position.bucket())) {
        read.add(position);
        ticket.addBuckets(position.toScan());
      }
    }
    ScanStream stream =
        ScanStream.open(
            core.channels(), address, table.path().toString(), read, core.allocator(), core.time());
    // Known before it starts: its first report may come while this thread is still here.
    open.add(stream);
    stream.start(ticket.build(), events);
  }

  /** A stream has ended. */
  void closed(ScanStream stream, @Nullable SluiceException why, long rows) {
    if (!open.remove(stream) || ended) {
      return;
    }
    rowsLeft = rows;
    if (stream.servedNanos() >= SUCCESS_NANOS) {
      progressed();
    }
    if (why == null && !request.follow()) {
      stream.positions().forEach(BucketPosition::complete);
    } else if (why == null) {
      retry(
          new SluiceException(
              ErrorCode.UNAVAILABLE, "The server ended a scan that follows " + table.path()));
    } else if (request.current() && isHalfReceived(stream)) {
      fail(cannotGoOn(why));
    } else if (Leaders.mayBeTransient(why)) {
      retry(why);
    } else {
      fail(why);
    }
  }

  private static boolean isHalfReceived(ScanStream stream) {
    return stream.positions().stream().anyMatch(BucketPosition::isHalfReceived);
  }

  private SluiceException cannotGoOn(SluiceException why) {
    return new SluiceException(
        why.code(),
        "The scan of current rows of "
            + table.path()
            + " ended half-way, and the rows may have changed; open it again: "
            + why.getMessage(),
        why.details(),
        why);
  }

  private void retry(SluiceException why) {
    long now = core.time().nanoTime();
    failures++;
    if (lastFailure == null) {
      failingSinceNanos = now;
    }
    lastFailure = why;
    if (now - failingSinceNanos > core.config().deliveryTimeout().toNanos()) {
      fail(why);
      return;
    }
    if (!reopening) {
      reopening = true;
      try {
        core.timer().schedule(this::lookUp, Backoff.pauseNanos(failures), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        fail(new SluiceException(ErrorCode.CANCELLED, "The connection was closed", e));
      }
    }
  }

  /** On the timer's thread. */
  private void lookUp() {
    core.tables().refresh(table.path()).whenComplete(this::lookedUp);
  }

  private void lookedUp(@Nullable TableDescription found, @Nullable Throwable problem) {
    lock.lock();
    try {
      reopening = false;
      if (ended) {
        return;
      }
      if (problem != null) {
        SluiceException why = StatusMapping.fromStatus(problem);
        if (why.code() == ErrorCode.TABLE_NOT_FOUND) {
          fail(Leaders.changed(table.path(), table.tableId()));
        } else if (why.code().retriable()) {
          retry(why);
        } else {
          fail(why);
        }
      } else if (found != null && found.tableId() != table.tableId()) {
        fail(Leaders.changed(table.path(), table.tableId()));
      } else if (found != null) {
        current = found;
        openMissing(rowsLeft);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the scan with this failure. */
  void fail(SluiceException why) {
    failure = why;
    cancelAll();
    onFailure.run();
  }

  /** Ends all streams for good. */
  void cancelAll() {
    ended = true;
    List<ScanStream> all = List.copyOf(open);
    open.clear();
    all.forEach(ScanStream::cancel);
  }
}

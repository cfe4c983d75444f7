package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.v1.ScanTicket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /**
   * A server that sends nothing for so long is asked about: it may stand still, or be cut off from
   * the others, which then have chosen another leader.
   */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How often a following scan of a partitioned table looks for new partitions. */
  private static final long DISCOVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ClientCore core;
  private final TableDescription table;
  private final ScanRequest request;
  private final Map<TableBucket, BucketPosition> positions;
  private final PartitionChoice choice;
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
  private long bytesLeft;
  private long newestPartition;
  private boolean reopening;
  private boolean ended;

  ScanStreams(
      ClientCore core,
      TableDescription table,
      ScanRequest request,
      Map<TableBucket, BucketPosition> positions,
      PartitionChoice choice,
      ReentrantLock lock,
      ScanStream.Events events,
      Runnable onFailure) {
    this.core = core;
    this.table = table;
    this.request = request;
    this.positions = positions;
    this.choice = choice;
    this.lock = lock;
    this.events = events;
    this.onFailure = onFailure;
    this.current = core.tables().known(table.path());
    this.bytesLeft = request.maxBytes() == 0 ? Long.MAX_VALUE : request.maxBytes();
    request.offsets().keySet().forEach(this::noteStart);
  }

  /** Partitions older than those a scan was told to start at are not its business. */
  private void noteStart(TableBucket bucket) {
    newestPartition = Math.max(newestPartition, bucket.partitionId());
  }

  /** Whether partitions that are created later belong to the scan. */
  private boolean discovers() {
    return request.follow() && table.partitioned();
  }

  /** Begins to look for new partitions, when the scan wants them. */
  void watchPartitions() {
    if (!discovers() || ended) {
      return;
    }
    try {
      core.timer().schedule(this::lookForPartitions, DISCOVERY_NANOS, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      fail(new SluiceException(ErrorCode.CANCELLED, "The connection was closed", e));
    }
  }

  /** Begins to look for streams whose servers no longer lead what they are to send. */
  void watchLeaders() {
    if (ended) {
      return;
    }
    try {
      core.timer().schedule(this::lookForLeaders, SILENT_NANOS, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      fail(new SluiceException(ErrorCode.CANCELLED, "The connection was closed", e));
    }
  }

  /** On the timer's thread. A look-up that fails changes nothing: the next one comes. */
  private void lookForLeaders() {
    boolean silent = false;
    lock.lock();
    try {
      for (ScanStream stream : open) {
        silent |= stream.silentNanos() >= SILENT_NANOS;
      }
      if (!silent) {
        watchLeaders();
        return;
      }
    } finally {
      lock.unlock();
    }
    core.tables()
        .refresh(table.path())
        .whenComplete(
            (found, problem) -> {
              lock.lock();
              try {
                if (found != null && found.tableId() == table.tableId()) {
                  leaveReplaced(found);
                }
                watchLeaders();
              } catch (RuntimeException e) {
                fail(StatusMapping.fromStatus(e));
              } finally {
                lock.unlock();
              }
            });
  }

  /** Ends silent streams to servers that do not lead a bucket of theirs now. */
  private void leaveReplaced(TableDescription found) {
    Map<TableBucket, String> leaders = new HashMap<>();
    for (BucketDescription each : found.buckets()) {
      if (each.leaderAddress() != null) {
        leaders.put(each.tableBucket(table.tableId()), each.leaderAddress());
      }
    }
    for (ScanStream stream : List.copyOf(open)) {
      boolean replaced = false;
      for (BucketPosition position : stream.positions()) {
        String leader = leaders.get(position.bucket());
        replaced |= leader != null && !leader.equals(stream.address());
      }
      if (replaced && stream.silentNanos() >= SILENT_NANOS) {
        closed(
            stream,
            new SluiceException(
                ErrorCode.NOT_LEADER,
                "Server " + stream.address() + " is silent and no longer leads what it reads"),
            rowsLeft);
        stream.cancel();
      }
    }
  }

  /**
   * On the timer's thread. A look-up that fails changes nothing, as the next one comes, unless the
   * table is gone: there may be no stream to say so.
   */
  private void lookForPartitions() {
    core.tables()
        .refresh(table.path())
        .whenComplete(
            (found, problem) -> {
              lock.lock();
              try {
                if (!ended) {
                  discovered(found, problem);
                }
                watchPartitions();
              } catch (RuntimeException e) {
                fail(StatusMapping.fromStatus(e));
              } finally {
                lock.unlock();
              }
            });
  }

  private void discovered(@Nullable TableDescription found, @Nullable Throwable problem) {
    SluiceException why = lookUpFailure(found, problem);
    if (why == null) {
      current = Objects.requireNonNull(found);
      if (takePartitions()) {
        openMissing(rowsLeft);
      }
    } else if (why.code() == ErrorCode.TABLE_CHANGED) {
      fail(why);
    }
  }

  /** Why a look-up did not find the table, null when it did; TABLE_CHANGED when it is gone. */
  private @Nullable SluiceException lookUpFailure(
      @Nullable TableDescription found, @Nullable Throwable problem) {
    SluiceException why = problem == null ? null : StatusMapping.fromStatus(problem);
    boolean gone =
        why == null
            ? found == null || found.tableId() != table.tableId()
            : why.code() == ErrorCode.TABLE_NOT_FOUND;
    return gone ? Leaders.changed(table.path(), table.tableId()) : why;
  }

  /** Forgets buckets of partitions that are gone and adds those of new ones; whether it added. */
  private boolean takePartitions() {
    Set<Long> there = new HashSet<>();
    current.partitions().forEach(each -> there.add(each.partitionId()));
    positions.keySet().removeIf(bucket -> !there.contains(bucket.partitionId()));
    Set<Long> wanted = choice.of(current);
    boolean added = false;
    for (BucketDescription each : current.buckets()) {
      TableBucket bucket = each.tableBucket(table.tableId());
      if (wanted.contains(bucket.partitionId())
          && bucket.partitionId() > newestPartition
          && (request.buckets().isEmpty() || request.buckets().contains(bucket.bucket()))
          && !positions.containsKey(bucket)) {
        positions.put(bucket, new BucketPosition(bucket, 0, BucketPosition.NEVER, true));
        added = true;
      }
    }
    return added;
  }

  /** A partition of a scan that does not follow is gone; null while all are there. */
  private @Nullable SluiceException lostPartition() {
    Set<Long> there = new HashSet<>();
    current.partitions().forEach(each -> there.add(each.partitionId()));
    for (BucketPosition position : positions.values()) {
      if (!position.isComplete() && !there.contains(position.bucket().partitionId())) {
        return PartitionChoice.gone(table, position.bucket().partitionId());
      }
    }
    return null;
  }

  /** Counts bytes of batches; whether the scan may have more. */
  boolean takeBytes(long bytes) {
    bytesLeft -= request.maxBytes() == 0 ? 0 : bytes;
    return bytesLeft > 0;
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
    for (BucketPosition position : positions.values()) {
      if (!position.isComplete()) {
        return false;
      }
    }
    // New partitions may come.
    return !discovers();
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
    Set<TableBucket> missing = new HashSet<>();
    for (BucketPosition position : positions.values()) {
      if (!position.isComplete() && !isRead(position.bucket())) {
        missing.add(position.bucket());
      }
    }
    Map<String, List<TableBucket>> byLeader = Leaders.ledBuckets(current, missing);
    byLeader.forEach(this::openStream);
    byLeader.values().forEach(missing::removeAll);
    if (!missing.isEmpty()) {
      retry(
          new SluiceException(
              ErrorCode.UNAVAILABLE,
              "Buckets " + missing + " of " + table.path() + " have no leader now"));
    }
  }

  private boolean isRead(TableBucket bucket) {
    for (ScanStream stream : open) {
      if (stream.reads(bucket)) {
        return true;
      }
    }
    return false;
  }

  private void openStream(String address, List<TableBucket> buckets) {
    List<BucketPosition> read = new ArrayList<>();
    ScanTicket.Builder ticket =
        ScanTicket.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .setSchemaId(table.schema().schemaId())
            .setWithOffset(request.metadata().offset() || request.needsOffsets())
            .setWithTimestamp(request.metadata().timestamp())
            .setWithChangeType(request.metadata().changeType())
            .setKvScan(request.current())
            .setFilter(request.filter())
            .setExactFilter(request.exact())
            // Then each bucket's end is marked, also of an empty one, and what a filter skips told.
            .setProgress(request.current() || request.filtered())
            .setMaxBytes(request.maxBytes() == 0 ? 0 : Math.max(1, bytesLeft))
            .setLimit(rowsLeft == Long.MAX_VALUE ? 0 : rowsLeft);
    List<String> columns = request.columns();
    if (columns != null) {
      ticket.addAllColumns(columns).setNoColumns(columns.isEmpty());
    }
    Set<TableBucket> wanted = Set.copyOf(buckets);
    for (BucketPosition position : positions.values()) {
      if (wanted.contains(position.bucket())) {
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
    } else if (Leaders.mayBeTransient(why) || why.code() == ErrorCode.PARTITION_NOT_FOUND) {
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
        // The first time at once: who leads now is mostly known already.
        long pause = failures == 1 ? 0 : Backoff.pauseNanos(failures - 1, why);
        core.timer().schedule(this::lookUp, pause, TimeUnit.NANOSECONDS);
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
      SluiceException why = lookUpFailure(found, problem);
      if (why == null) {
        current = Objects.requireNonNull(found);
        reopen();
      } else if (why.code().retriable()) {
        retry(why);
      } else {
        fail(why);
      }
    } catch (RuntimeException e) {
      // Nobody waits for this thread's outcome; who polls has to know.
      fail(StatusMapping.fromStatus(e));
    } finally {
      lock.unlock();
    }
  }

  private void reopen() {
    SluiceException lost = null;
    if (discovers()) {
      takePartitions();
    } else if (table.partitioned()) {
      lost = lostPartition();
    }
    if (lost == null) {
      openMissing(rowsLeft);
    } else {
      fail(lost);
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

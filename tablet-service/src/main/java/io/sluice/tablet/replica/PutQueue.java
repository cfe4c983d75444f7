package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.SequenceDecision;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The puts of one bucket, in the order they came: decides on each, stores it and answers it when
 * its rows are visible. A put that needs more ids than are at hand is parked, and all that come
 * after it wait behind it, until ids come or it has waited too long.
 *
 * <p>Owned by the shard's thread.
 */
final class PutQueue {
  private static final Logger logger = LoggerFactory.getLogger(PutQueue.class);

  private final LocalReplica replica;
  private final ReplicaContext context;
  private final BucketLog log;
  private final @Nullable KvReplica kv;
  private final Refusals refusals;
  private final Leading leading;
  private final WaitingPuts waiting = new WaitingPuts();
  private final ArrayDeque<Put> parked = new ArrayDeque<>();
  private long watches;

  PutQueue(
      LocalReplica replica,
      ReplicaContext context,
      BucketLog log,
      @Nullable KvReplica kv,
      Refusals refusals,
      Leading leading) {
    this.replica = replica;
    this.context = context;
    this.log = log;
    this.kv = kv;
    this.refusals = refusals;
    this.leading = leading;
  }

  /** Takes a put in. */
  void take(Put put) {
    if (!parked.isEmpty()) {
      parked.add(put);
    } else if (!store(put)) {
      parked.add(put);
      watch();
    }
  }

  /** Ids have come: goes on with those that are parked. */
  void resume() {
    for (Put head = parked.peek(); head != null; head = parked.peek()) {
      if (!store(head)) {
        watch();
        return;
      }
      parked.remove();
    }
  }

  private boolean store(Put put) {
    try {
      Leadership now = replica.requireServing();
      if (!now.leads(put.epoch())) {
        throw now.preparesIn(put.epoch())
            ? refusals.notYetWritable(now)
            : refusals.epochIsOver(put.epoch(), now);
      }
      if (!leading.isWritable()) {
        throw leading.notEnough(refusals);
      }
      if (!put.store(this)) {
        return false;
      }
      answer(put);
    } catch (SluiceException refused) {
      replica.afterFailure(refused);
      context.kv().counters().refusedPut(refused.code());
      put.abandon(refused);
    } catch (RuntimeException | Error defect) {
      replica.takeOffline("A put failed in a way that is not understood: " + defect);
      throw defect;
    }
    return true;
  }

  /**
   * Refuses all that is parked when its head is still the same after a while. Does not hold the
   * head: it would keep the bytes of every put that ever waited for that long.
   */
  private void watch() {
    long waitMs = context.kv().ids().maxWaitMs();
    long watch = ++watches;
    context
        .kv()
        .after(
            waitMs,
            () ->
                replica.onShard(
                    () -> {
                      if (watch == watches && !parked.isEmpty()) {
                        refuseParked(
                            new SluiceException(
                                ErrorCode.UNAVAILABLE,
                                "No ids for new rows of "
                                    + replica.displayName()
                                    + " came from the coordinator within "
                                    + waitMs
                                    + " ms"));
                      }
                    }));
  }

  /** Decides on a batch by its sequences and stores what is new of it. */
  boolean decide(BatchPut put) {
    AppendRequest request = put.request();
    LogBatchHeader header = request.header();
    SequenceDecision decision =
        log.decide(header, request.ackedThrough(), context.fences().newest(header.writerId()));
    refusals.check(decision, request);
    context.fences().raise(header.writerId(), header.writerEpoch());
    if (decision instanceof SequenceDecision.Duplicate duplicate) {
      // Its rows may still wait for the in-sync replicas: they lie below the log end.
      put.storedAt(duplicate.baseOffset(), true, log.endOffset());
      return true;
    }
    requireDisk();
    int stored = decision instanceof SequenceDecision.Overlap overlap ? overlap.rows() : 0;
    if (kv != null) {
      return change(put, kv, stored);
    }
    if (stored > 0) {
      storeRest(put, stored);
    } else {
      append(put, header, request.sections());
    }
    return true;
  }

  /** The last sequence stored for a writer; fences the epochs below its own. */
  long lastSequence(long writerId, int writerEpoch) {
    int newest = Math.max(log.writerEpoch(writerId), context.fences().newest(writerId));
    if (writerEpoch < newest) {
      throw refusals.fenced(writerId, writerEpoch, newest);
    }
    context.fences().raise(writerId, writerEpoch);
    return log.lastSequence(writerId);
  }

  long logEnd() {
    return log.endOffset();
  }

  private void requireDisk() {
    if (context.disk().full()) {
      throw context.disk().refusal(replica.displayName());
    }
  }

  /** Changes rows; the answer waits for all that the put was evaluated against. */
  private boolean change(BatchPut put, KvReplica rows, int firstRow) {
    if (!rows.hasIdsFor(put.request().header().recordCount() - firstRow)) {
      return false;
    }
    stored(put, rows.put(put.request(), firstRow, put.epoch()));
    return true;
  }

  /** Makes the rows that do not exist. */
  boolean makeRows(MissingRows put) {
    KvReplica rows = kv;
    if (rows == null) {
      throw refusals.noRows(replica.table());
    }
    requireDisk();
    if (!rows.hasIdsFor(put.keys().size())) {
      return false;
    }
    stored(put, rows.insertMissing(put.keys(), put.epoch()));
    return true;
  }

  /** Deletes those of the rows that have expired by then; says whether they are gone. */
  void removeExpired(List<byte[]> keys, Consumer<Boolean> done) {
    boolean removed = false;
    try {
      if (kv != null && replica.leads() && leading.isWritable() && !context.disk().full()) {
        kv.removeExpired(keys, leading.epoch());
        removed = true;
        replica.advance();
      }
    } catch (SluiceException e) {
      // They stay hidden; the next pass finds them again.
      replica.afterFailure(e);
      logger.debug("Expired rows of {} stay for now: {}", replica.displayName(), e.getMessage());
    } catch (RuntimeException | Error defect) {
      replica.takeOffline("Expired rows were removed in a way that is not understood: " + defect);
      throw defect;
    } finally {
      done.accept(removed);
    }
  }

  private void stored(Put put, long base) {
    put.storedAt(base, false, log.endOffset());
    replica.advance();
  }

  private void storeRest(BatchPut put, int rows) {
    try (BatchSlicer.Slice rest =
        context.slicer().dropFirst(replica.table(), put.request(), rows)) {
      append(put, rest.header(), rest.sections());
    }
  }

  private void append(Put put, LogBatchHeader header, List<ByteBuffer> sections) {
    long base = log.append(header, sections, put.epoch());
    put.storedAt(base, false, header.nextOffset());
    replica.advance();
  }

  private void answer(Put put) {
    if (!put.waitsForVisible() || put.visibleAt() <= replica.visible()) {
      put.succeed();
    } else {
      waiting.add(put);
    }
  }

  /** Answers those that the visible end has passed. */
  void succeedBelow(long visible) {
    waiting.succeedBelow(visible);
  }

  /** Refuses those that wait for ids. */
  void refuseParked(SluiceException why) {
    while (!parked.isEmpty()) {
      context.kv().counters().refusedPut(why.code());
      parked.remove().abandon(why);
    }
  }

  /** Refuses all that wait. */
  void refuseAll(SluiceException why) {
    waiting.refuseAll(why);
    refuseParked(why);
  }
}

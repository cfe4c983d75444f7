package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of a bucket's key-value state: its store, the changes that wait for it, and who evaluates
 * puts and replays the changelog. {@code applied ≤ known end}; puts see everything to the known
 * end, {@link #store} only what is applied.
 *
 * <ul>
 *   <li>After open: {@link #load} the changelog from {@link #knownEnd} to the log end, {@link
 *       #advance} as far as it is committed.
 *   <li>Leader: {@link #evaluate}, append, {@link ChangelogPlan#applied}; {@link #advance} whenever
 *       the committed offset moves.
 *   <li>Follower: {@link #load} each batch it gets, {@link #advance}, {@link #truncate} with the
 *       log.
 * </ul>
 *
 * <p>Owned by the thread that writes the bucket; {@link #store} and {@link #waitingBytes} are for
 * everybody, {@link #close} for whoever ends the bucket, after its thread has let go of it.
 */
public final class KvTablet implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KvTablet.class);

  private final KvStore store;
  private final PreWriteBuffer buffer;
  private final UpsertEvaluator evaluator;
  private final ChangelogApplier applier;
  private final PutDecoder decoder;

  private KvTablet(KvStore store, KvContext context, long maxWaitingBytes) {
    this.store = store;
    this.buffer = new PreWriteBuffer(store.appliedOffset());
    this.evaluator = new UpsertEvaluator(store, buffer, context, maxWaitingBytes);
    this.applier = new ChangelogApplier(buffer, context.schemas(), context.allocator());
    this.decoder = new PutDecoder(context.allocator());
  }

  /**
   * Opens the store in the directory, or makes an empty one there. A store that is ahead of the log
   * (the log could not be forced before a flush, then the power failed) is dropped and begins anew.
   *
   * @param changelog what the store wants of the log
   * @param logStart first offset of the changelog on this server
   * @param logEnd end of the changelog after its own recovery
   * @throws SluiceException CORRUPT_STORAGE when the store is damaged or lacks changes that are not
   *     in the log any more
   */
  public static KvTablet open(
      KvResources resources,
      TableBucket bucket,
      Path directory,
      KvContext context,
      KvLog changelog,
      long logStart,
      long logEnd) {
    KvStore store = KvStore.open(resources, bucket, directory, changelog);
    if (store.appliedOffset() > logEnd) {
      log.warn(
          "{} holds the changes below {} but the log ends at {}: it is built anew",
          store,
          store.appliedOffset(),
          logEnd);
      store.discard();
      KvStore.delete(resources, directory);
      store = KvStore.open(resources, bucket, directory, changelog);
    }
    if (store.appliedOffset() < logStart) {
      long applied = store.appliedOffset();
      store.discard();
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          store + " ends at offset " + applied + ", but the log begins at " + logStart);
    }
    return new KvTablet(store, context, resources.settings().preWriteBufferBytes());
  }

  /** The rows below the applied offset, for lookups and scans. */
  public KvStore store() {
    return store;
  }

  /** End of the records in the store: what lookups see. */
  public long appliedOffset() {
    return store.appliedOffset();
  }

  /** End of the changelog known here: the offset of the record that comes next. */
  public long knownEnd() {
    return buffer.endOffset();
  }

  /** Memory of the changes that wait for the store, about. */
  public long waitingBytes() {
    return buffer.bytes();
  }

  /** See {@link UpsertEvaluator#evaluate}. */
  public ChangelogPlan evaluate(PutShape shape, VectorSchemaRoot rows, ByteBuffer changeTypes) {
    return evaluator.evaluate(shape, rows, changeTypes);
  }

  /**
   * Evaluates a batch as a client put it; see {@link UpsertEvaluator#evaluate}.
   *
   * @param sections change types, statistics, metadata, checksums, body of a batch with the columns
   *     of the shape, validated by the caller; only read
   * @param firstRow rows before it are left out: they were stored by an earlier put
   */
  public ChangelogPlan evaluate(PutShape shape, List<ByteBuffer> sections, int firstRow) {
    try (VectorSchemaRoot rows = decoder.decode(shape, sections, firstRow)) {
      return evaluator.evaluate(shape, rows, PutDecoder.changeTypes(sections, firstRow));
    }
  }

  /** See {@link UpsertEvaluator#insertMissing}. */
  public ChangelogPlan insertMissing(List<byte[]> keys) {
    return evaluator.insertMissing(keys);
  }

  /** See {@link UpsertEvaluator#removeExpired}. */
  public ChangelogPlan removeExpired(List<byte[]> keys) {
    return evaluator.removeExpired(keys);
  }

  /** See {@link ChangelogApplier#load}. */
  public void load(LogBatchHeader header, List<ByteBuffer> sections) {
    applier.load(header, sections);
  }

  /** The log has no records from the known end to this offset: a recorded hole. */
  public void skipTo(long offset) {
    buffer.extendTo(offset);
  }

  /**
   * Moves changes below the committed offset to the store.
   *
   * @return the applied offset; below {@code min(committed, knownEnd)} when the store asked to
   *     wait, then call again after a pause
   */
  public long advance(long committed) {
    for (KvBatch batch = buffer.below(committed); batch != null; batch = buffer.below(committed)) {
      if (!apply(batch)) {
        break;
      }
    }
    return store.appliedOffset();
  }

  private boolean apply(KvBatch batch) {
    try {
      store.apply(batch);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.BACKPRESSURE) {
        return false;
      }
      throw e;
    }
    buffer.applied(batch);
    return true;
  }

  /**
   * Drops the waiting changes at and above an offset; the log was cut there.
   *
   * @return false when the store is beyond the offset: nothing is changed, and the store must be
   *     discarded and built anew
   */
  public boolean truncate(long offset) {
    if (offset < store.appliedOffset()) {
      return false;
    }
    buffer.truncate(offset);
    return true;
  }

  /** Flushes and closes the store; changes that wait come again from the changelog. */
  @Override
  public void close() {
    decoder.close();
    applier.close();
    store.close();
  }

  /** Closes without a flush, for a bucket that is to be removed. */
  public void discard() {
    decoder.close();
    applier.close();
    store.discard();
  }
}

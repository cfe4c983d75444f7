package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.ChangelogApplier;
import io.sluice.tablet.kv.ChangelogEncoder;
import io.sluice.tablet.kv.ChangelogPlan;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.PutShape;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.LogCursor;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a primary-key bucket beside its log, in the directory {@code kv} of the log. The log
 * is the changelog: a put is evaluated against the rows, its changes are appended, and what is
 * committed is applied to the store. {@code applied ≤ committed}, {@code applied ≤ known end ≤ log
 * end}.
 *
 * <p>Owned by the shard's thread; {@link #store} and {@link #applied} are for everybody, {@link
 * #close} for whoever stops the server, after the shard.
 */
final class KvReplica {
  private static final String DIRECTORY = "kv";
  private static final int BATCHES_A_TURN = 64;
  private static final long BYTES_A_TURN = 8 << 20;
  private static final int MAX_SHAPES = 64;

  private final KvHost host;
  private final BucketLog log;
  private final Supplier<HostedTable> table;
  private final Runnable forceLog;
  // As the table's options were when the newest put came.
  private @Nullable ChangelogEncoder encoder;
  private Map<String, String> encoderOptions = Map.of();
  private final Map<ShapeKey, PutShape> shapes = new HashMap<>();
  private volatile @Nullable KvTablet tablet;

  /** What rows of a put look like. */
  private record ShapeKey(TableSchema schema, List<Integer> targets) {}

  /** How far loading the changelog is. */
  enum Progress {
    /** Everything below the log end is known: puts may come. */
    DONE,
    /** There is more to load. */
    MORE,
    /** There is more, but the store has to catch up first. */
    STALLED
  }

  /**
   * @param forceLog forces the log to disk, on any thread: the store must not be ahead of it there,
   *     as after a power loss it could not be built anew from a log whose beginning was deleted
   */
  KvReplica(KvHost host, BucketLog log, Supplier<HostedTable> table, Runnable forceLog) {
    this.host = host;
    this.log = log;
    this.table = table;
    this.forceLog = forceLog;
  }

  /**
   * Opens the store when it is not open and loads a bounded part of the changelog that is not known
   * yet.
   *
   * @throws SluiceException CORRUPT_STORAGE when the store or the changelog is damaged
   */
  Progress catchUp(long committed) {
    KvTablet open = openTablet();
    long end = log.endOffset();
    if (open.knownEnd() == end) {
      return Progress.DONE;
    }
    try (LogCursor cursor = log.openCursor(open.knownEnd())) {
      for (int batches = 0;
          batches < BATCHES_A_TURN && open.waitingBytes() < BYTES_A_TURN;
          batches++) {
        if (!cursor.next(end)) {
          open.skipTo(end);
          return Progress.DONE;
        }
        load(open, cursor);
      }
    }
    open.advance(committed);
    return isBehind(committed) ? Progress.STALLED : Progress.MORE;
  }

  private static void load(KvTablet open, LogCursor cursor) {
    LogBatchHeader header = cursor.header();
    ByteBuffer bytes = ByteBuffer.allocate(header.length() - LogBatchHeader.SIZE);
    cursor.read(LogBatchHeader.SIZE, bytes);
    if (header.baseOffset() > open.knownEnd()) {
      open.skipTo(header.baseOffset());
    }
    open.load(header, ChangelogApplier.sections(header, bytes.flip()));
  }

  private KvTablet openTablet() {
    KvTablet open = tablet;
    if (open == null) {
      open =
          KvTablet.open(
              host.resources(),
              log.bucket(),
              log.directory().resolve(DIRECTORY),
              schemas(),
              host.allocator(),
              log.startOffset(),
              log.endOffset(),
              forceLog);
      tablet = open;
    }
    return open;
  }

  private KvSchemas schemas() {
    return new KvSchemas() {
      @Override
      public TableSchema current() {
        return table.get().schema();
      }

      @Override
      public TableSchema schema(int schemaId) {
        return table.get().schema(schemaId);
      }
    };
  }

  /** Moves what is committed to the store, as far as it takes it now. */
  void apply(long committed) {
    KvTablet open = tablet;
    if (open != null) {
      open.advance(committed);
    }
  }

  /** Whether changes that are committed and loaded wait for the store. */
  boolean isBehind(long committed) {
    KvTablet open = tablet;
    return open != null && open.appliedOffset() < Math.min(committed, open.knownEnd());
  }

  /** End of the records that lookups see. */
  long applied() {
    KvTablet open = tablet;
    return open == null ? log.startOffset() : open.appliedOffset();
  }

  /**
   * End of the records that the store has on disk; the log start while it is not open. A restart
   * needs the changelog from there on. On any thread.
   */
  long flushed() {
    KvTablet open = tablet;
    return open == null ? log.startOffset() : open.store().flushedAppliedOffset();
  }

  /**
   * Evaluates a put and appends its changelog as one batch; nothing is appended when a row is
   * refused. Of a put that changes nothing a control batch keeps the writer's sequences, so that it
   * is known after a crash too: evaluated again it might change what others have written since.
   *
   * @param firstRow rows before it were stored by an earlier put
   * @return offset of the first record, -1 when there is none
   */
  long put(AppendRequest request, int firstRow, int epoch) {
    BatchWriter writer = writer(request.header(), firstRow);
    try (ChangelogPlan plan = evaluate(request, firstRow)) {
      if (plan.isEmpty()) {
        keepSequences(writer, epoch);
        return -1;
      }
      try (EncodedBatch batch = encode(plan, writer)) {
        long base = log.append(batch.header(), batch.sections(), epoch);
        plan.applied(base, batch.header().appendTimeMs());
        return base;
      }
    }
  }

  private void keepSequences(BatchWriter writer, int epoch) {
    if (writer.id() >= 0) {
      log.append(LogBatchHeader.control(writer), List.of(), epoch);
      openTablet().skipTo(log.endOffset());
    }
  }

  private ChangelogPlan evaluate(AppendRequest request, int firstRow) {
    try {
      return openTablet().evaluate(shape(request), request.sections(), firstRow);
    } catch (OutOfMemoryException e) {
      throw noMemory(e);
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
      // Nothing was changed yet: the put is at fault, not the replica.
      throw new SluiceException(
          ErrorCode.INTERNAL, "The put cannot be evaluated: " + e.getMessage(), e);
    }
  }

  private EncodedBatch encode(ChangelogPlan plan, BatchWriter writer) {
    try {
      return encoder(table.get().options()).encode(plan, writer);
    } catch (OutOfMemoryException e) {
      throw noMemory(e);
    }
  }

  private static SluiceException noMemory(OutOfMemoryException e) {
    return new SluiceException(
        ErrorCode.BACKPRESSURE, "This server has no memory for a put now: " + e.getMessage(), e);
  }

  private static BatchWriter writer(LogBatchHeader header, int firstRow) {
    if (header.writerId() < 0) {
      return BatchWriter.NONE;
    }
    return new BatchWriter(
        header.writerId(),
        header.writerEpoch(),
        header.baseSequence() + firstRow,
        header.sequenceCount() - firstRow);
  }

  private PutShape shape(AppendRequest request) {
    HostedTable now = table.get();
    TableSchema schema = now.schema(request.header().schemaId());
    if (shapes.size() >= MAX_SHAPES) {
      shapes.clear();
    }
    return shapes.computeIfAbsent(
        new ShapeKey(schema, request.targetColumns()),
        key ->
            (key.targets().isEmpty()
                    ? PutShape.full(schema)
                    : PutShape.partial(schema, key.targets()))
                .routedBy(now.bucketKey(), now.bucketCount()));
  }

  /** The rows as lookups see them; LEADER_NOT_READY before they are loaded. */
  private ChangelogEncoder encoder(Map<String, String> options) {
    ChangelogEncoder current = encoder;
    if (current != null && options.equals(encoderOptions)) {
      return current;
    }
    closeEncoder();
    current = ChangelogEncoder.ofTable(host.allocator(), options);
    encoder = current;
    encoderOptions = options;
    return current;
  }

  private void closeEncoder() {
    if (encoder != null) {
      encoder.close();
      encoder = null;
    }
  }

  KvStore store() {
    KvTablet open = tablet;
    if (open == null) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY, "The rows of " + log.bucket() + " are not loaded yet");
    }
    return open.store();
  }

  /** Flushes and closes the store. */
  void close() {
    closeEncoder();
    KvTablet open = tablet;
    if (open != null) {
      open.close();
    }
  }

  /** Closes the store of a bucket that is being removed. */
  void discard() {
    closeEncoder();
    KvTablet open = tablet;
    if (open != null) {
      open.discard();
    }
  }
}

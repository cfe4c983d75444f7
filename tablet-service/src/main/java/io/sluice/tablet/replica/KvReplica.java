package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.ChangelogApplier;
import io.sluice.tablet.kv.ChangelogEncoder;
import io.sluice.tablet.kv.ChangelogPlan;
import io.sluice.tablet.kv.KvContext;
import io.sluice.tablet.kv.KvLog;
import io.sluice.tablet.kv.KvRules;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.PutShape;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.LogCursor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
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
 * <p>Owned by the shard's thread; {@link #rows}, {@link #rules}, {@link #rowCount} and {@link
 * #applied} are for everybody, {@link #close} for whoever stops the server, after the shard.
 */
final class KvReplica {
  private static final String DIRECTORY = "kv";
  private static final int BATCHES_A_TURN = 64;
  private static final long BYTES_A_TURN = 8 << 20;
  private static final int MAX_SHAPES = 64;

  private final KvHost host;
  private final BucketLog log;
  private final Supplier<HostedTable> table;
  private final GrantedIds ids;
  private final RowsOpening opening;
  // As the table's options were when the newest put came.
  private @Nullable ChangelogEncoder encoder;
  private Map<String, String> encoderOptions = Map.of();
  private final Map<ShapeKey, PutShape> shapes = new HashMap<>();
  private volatile @Nullable KvTablet tablet;
  private volatile @Nullable TableRules knownRules;

  /** The rules of a table as it was described then. */
  private record TableRules(HostedTable table, KvRules rules) {}

  /** What rows of a put look like. */
  private record ShapeKey(TableSchema schema, List<Integer> targets) {}

  /** How far loading the changelog is. */
  enum Progress {
    /** The store is being opened, which says when it is. */
    OPENING,
    /** Everything below the log end is known: puts may come. */
    DONE,
    /** There is more to load. */
    MORE,
    /** There is more, but the store has to catch up first. */
    STALLED
  }

  /**
   * @param changelog the log, as the store sees it
   * @param waiting who waits for ids
   */
  KvReplica(
      KvHost host,
      BucketLog log,
      Supplier<HostedTable> table,
      KvLog changelog,
      GrantedIds.Listener waiting) {
    this.host = host;
    this.log = log;
    this.table = table;
    this.ids = new GrantedIds(log.bucket(), host, waiting);
    Path directory = log.directory().resolve(DIRECTORY);
    this.opening =
        new RowsOpening(
            host,
            log,
            directory,
            () -> table.get().schema().schemaId(),
            () -> open(directory, changelog));
  }

  /**
   * Has the store opened when it is not open and loads a bounded part of the changelog that is not
   * known yet.
   *
   * @param opened run on any thread when the store is open or cannot be
   * @throws SluiceException CORRUPT_STORAGE when the store or the changelog is damaged
   */
  Progress catchUp(long committed, Runnable opened) {
    KvTablet open = tablet;
    if (open == null) {
      open = opening.poll(opened);
      if (open == null) {
        return Progress.OPENING;
      }
      tablet = open;
    }
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

  private KvTablet open(Path directory, KvLog changelog) {
    return KvTablet.open(
        host.resources(),
        log.bucket(),
        directory,
        new KvContext(schemas(), ids, host.time(), host.allocator()),
        changelog,
        log.startOffset(),
        log.endOffset());
  }

  private KvTablet openTablet() {
    KvTablet open = tablet;
    if (open == null) {
      throw notLoaded();
    }
    return open;
  }

  private SluiceException notLoaded() {
    return new SluiceException(
        ErrorCode.LEADER_NOT_READY, "The rows of " + log.bucket() + " are not loaded yet");
  }

  /** Closes the store, whose files are damaged; {@link #catchUp} opens a restored one. */
  void dropDamaged(SluiceException damage) {
    tablet = null;
    // Perhaps nobody has taken it from there yet.
    KvTablet open = opening.end();
    opening.again(damage);
    if (open != null) {
      open.discard();
    }
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

      @Override
      public KvRules rules() {
        return KvReplica.this.rules();
      }
    };
  }

  /** The rules of the table as it is described now; on any thread. */
  KvRules rules() {
    HostedTable now = table.get();
    TableRules known = knownRules;
    if (known == null || known.table() != now) {
      known = new TableRules(now, KvRules.of(now.schema(), now.options()));
      knownRules = known;
    }
    return known.rules();
  }

  /** The bucket is led from here: ids are asked for if its table gives them. */
  void lead(int epoch) {
    KvRules rules = rules();
    if (rules.merge().autoIncrementColumn() >= 0) {
      ids.lead(epoch, rules.merge().maxIdRange());
    }
  }

  /** The bucket is not led from here any more. */
  void leadNoMore() {
    ids.stop();
  }

  /** Whether as many new rows can have ids; when not, ids have been asked for. */
  boolean hasIdsFor(int rows) {
    MergeRules merge = rules().merge();
    if (merge.autoIncrementColumn() < 0) {
      return true;
    }
    ids.limit(merge.maxIdRange());
    return ids.require(rows);
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
   * End of the records that the store and every snapshot of it have on disk; the log start while it
   * is not open. A restart, or a restored snapshot, needs the changelog from there on. On any
   * thread.
   */
  long flushed() {
    KvTablet open = tablet;
    if (open == null) {
      return log.startOffset();
    }
    long flushed = Math.min(open.store().flushedAppliedOffset(), opening.oldestSnapshot());
    // Once it is being restored its snapshots are not known any more.
    return tablet == open ? flushed : log.startOffset();
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
      return append(plan, writer, epoch);
    }
  }

  /**
   * Makes the rows of the keys that have none.
   *
   * @return offset of the first record, -1 when there is none
   */
  long insertMissing(List<byte[]> keys, int epoch) {
    try (ChangelogPlan plan = evaluated(() -> openTablet().insertMissing(keys))) {
      host.counters().madeRows(plan.recordCount());
      return append(plan, BatchWriter.NONE, epoch);
    }
  }

  /** Deletes those of the rows that have expired by now, large ones in several batches. */
  void removeExpired(List<byte[]> keys, int epoch) {
    try (ChangelogPlan plan = evaluated(() -> openTablet().removeExpired(keys))) {
      long base = append(plan, BatchWriter.NONE, epoch);
      host.counters().removedExpired(base < 0 ? 0 : plan.recordCount());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.PUT_TOO_LARGE || keys.size() < 2) {
        throw e;
      }
      int half = keys.size() / 2;
      removeExpired(keys.subList(0, half), epoch);
      removeExpired(keys.subList(half, keys.size()), epoch);
    }
  }

  private long append(ChangelogPlan plan, BatchWriter writer, int epoch) {
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

  private void keepSequences(BatchWriter writer, int epoch) {
    if (writer.id() >= 0) {
      log.append(LogBatchHeader.control(writer), List.of(), epoch);
      openTablet().skipTo(log.endOffset());
    }
  }

  private ChangelogPlan evaluate(AppendRequest request, int firstRow) {
    return evaluated(() -> openTablet().evaluate(shape(request), request.sections(), firstRow));
  }

  private ChangelogPlan evaluated(Supplier<ChangelogPlan> evaluation) {
    boolean evaluated = false;
    ids.mark();
    try {
      ChangelogPlan plan = evaluation.get();
      evaluated = true;
      return plan;
    } catch (OutOfMemoryException e) {
      throw noMemory(e);
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
      // Nothing was changed yet: the put is at fault, not the replica.
      throw new SluiceException(
          ErrorCode.INTERNAL, "The put cannot be evaluated: " + e.getMessage(), e);
    } finally {
      if (!evaluated) {
        ids.takeBack();
      }
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
    int schemaId = request.header().schemaId();
    if (schemaId > now.schema().schemaId()) {
      // Who planned the put has heard of an ALTER that is still on its way to this bucket.
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY,
          "Schema "
              + schemaId
              + " of "
              + now.path()
              + " has not arrived at bucket "
              + log.bucket()
              + " yet; it has "
              + now.schema().schemaId());
    }
    TableSchema schema = now.schema(schemaId);
    if (shapes.size() >= MAX_SHAPES) {
      shapes.clear();
    }
    return shapes.computeIfAbsent(
        new ShapeKey(schema, request.targetColumns()),
        key -> shape(key).routedBy(now.bucketKey(), now.bucketCount()));
  }

  private PutShape shape(ShapeKey key) {
    if (key.targets().isEmpty()) {
      return PutShape.full(key.schema());
    }
    KvRules rules = rules();
    int ids = rules.merge().autoIncrementColumn();
    if (ids < 0) {
      return PutShape.partial(key.schema(), key.targets());
    }
    int idColumn = rules.schema().columns().get(ids).id();
    boolean allOthers = true;
    for (Column column : key.schema().columns()) {
      allOthers &= column.id() == idColumn || key.targets().contains(column.id());
    }
    return allOthers && !key.targets().contains(idColumn)
        ? PutShape.withoutIds(key.schema(), key.targets())
        : PutShape.partial(key.schema(), key.targets(), idColumn);
  }

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

  /** All that is stored; LEADER_NOT_READY before it is loaded. On any thread. */
  KvStore store() {
    return openTablet().store();
  }

  /** The rows as lookups see them now; LEADER_NOT_READY before they are loaded. */
  RowsView rows() {
    return RowsView.of(store(), rules().merge().rowTtl(), host.time().epochMs());
  }

  /** Number of rows that are applied, -1 when it is not known. On any thread. */
  long rowCount() {
    KvTablet open = tablet;
    return open == null ? ReplicaOffsets.UNKNOWN_ROWS : open.store().count();
  }

  /** Flushes and closes the store. */
  void close() {
    closeEncoder();
    KvTablet open = opening.end();
    if (open != null) {
      open.close();
    }
  }

  /** Closes the store of a bucket that is being removed. */
  void discard() {
    closeEncoder();
    KvTablet open = opening.end();
    if (open != null) {
      open.discard();
    }
  }
}

package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchFormat;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.ChangelogPlan;
import io.sluice.tablet.kv.KvRules;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.PutShape;
import io.sluice.tablet.log.BucketLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.arrow.memory.OutOfMemoryException;

/**
 * Puts into a primary-key bucket that is led here: evaluated against the rows, their changes
 * appended to the log. Owned by the shard's thread.
 */
final class KvPuts {
  private static final int MAX_SHAPES = 64;

  private final KvHost host;
  private final BucketLog log;
  private final Supplier<HostedTable> table;
  private final Supplier<KvRules> rules;
  private final GrantedIds ids;
  private final Supplier<KvTablet> rows;
  // As the table's options were when the newest put came.
  private Map<String, String> options = Map.of();
  private BatchFormat format = BatchFormat.ofTable(options);
  private final Map<ShapeKey, PutShape> shapes = new HashMap<>();

  /** What rows of a put look like. */
  private record ShapeKey(TableSchema schema, List<Integer> targets) {}

  /**
   * @param rules of the table as it is described now
   * @param rows throws LEADER_NOT_READY while they are not loaded
   */
  KvPuts(
      KvHost host,
      BucketLog log,
      Supplier<HostedTable> table,
      Supplier<KvRules> rules,
      GrantedIds ids,
      Supplier<KvTablet> rows) {
    this.host = host;
    this.log = log;
    this.table = table;
    this.rules = rules;
    this.ids = ids;
    this.rows = rows;
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
    try (ChangelogPlan plan = evaluated(() -> rows.get().insertMissing(keys))) {
      host.counters().madeRows(plan.recordCount());
      return append(plan, BatchWriter.NONE, epoch);
    }
  }

  /** Deletes those of the rows that have expired by now, large ones in several batches. */
  void removeExpired(List<byte[]> keys, int epoch) {
    try (ChangelogPlan plan = evaluated(() -> rows.get().removeExpired(keys))) {
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
      rows.get().skipTo(log.endOffset());
    }
  }

  private ChangelogPlan evaluate(AppendRequest request, int firstRow) {
    return evaluated(() -> rows.get().evaluate(shape(request), request.sections(), firstRow));
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
      return host.changelogs().encode(format(table.get().options()), plan, writer);
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
    KvRules now = rules.get();
    int idIndex = now.merge().autoIncrementColumn();
    if (idIndex < 0) {
      return PutShape.partial(key.schema(), key.targets());
    }
    int idColumn = now.schema().columns().get(idIndex).id();
    boolean allOthers = true;
    for (Column column : key.schema().columns()) {
      allOthers &= column.id() == idColumn || key.targets().contains(column.id());
    }
    return allOthers && !key.targets().contains(idColumn)
        ? PutShape.withoutIds(key.schema(), key.targets())
        : PutShape.partial(key.schema(), key.targets(), idColumn);
  }

  private BatchFormat format(Map<String, String> now) {
    if (!now.equals(options)) {
      format = BatchFormat.ofTable(now);
      options = now;
    }
    return format;
  }
}

package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.VectorRow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Turns puts into changelogs by the rules of the table. The old row is looked for in the changes
 * that wait, then in the store, with one read for all rows of a put. Nothing is changed by an
 * evaluation, so a put is taken wholly or not at all.
 *
 * <ul>
 *   <li>Upsert: +I for a new key; -U and +U for a row that the merge engine makes another one,
 *       nothing for the same row. With the changelog image WAL there is no -U, and where nothing of
 *       the old row is needed it is not read: every upsert is +U then.
 *   <li>Delete: -D, nothing when there is no row; ignored or refused when the table says so.
 *   <li>Partial upsert: columns that are no target keep what they have, and get their write default
 *       in a new row. So do columns that a put under an older schema does not know.
 *   <li>Partial delete: the target columns become NULL; the row stays.
 *   <li>A row that has outlived {@code table.kv.ttl} is not there: an upsert is -D, +I.
 * </ul>
 *
 * <p>Owned by the thread that writes the bucket.
 */
public final class UpsertEvaluator {
  private final KvStore store;
  private final PreWriteBuffer buffer;
  private final KvContext context;
  private final RowValues values;
  private final long maxWaitingBytes;
  private @Nullable PutMapping knownMapping;
  private @Nullable RowRules knownRules;

  /**
   * @param maxWaitingBytes bytes in the buffer above which puts are refused
   */
  public UpsertEvaluator(
      KvStore store, PreWriteBuffer buffer, KvContext context, long maxWaitingBytes) {
    this.store = store;
    this.buffer = buffer;
    this.context = context;
    this.values = new RowValues(context.schemas());
    this.maxWaitingBytes = maxWaitingBytes;
  }

  /**
   * Evaluates a put. Ids for as many rows were required from the {@link IdSource} before when the
   * table gives ids.
   *
   * @param rows rows of the shape; left as they are
   * @param changeTypes a {@link ChangeType} code a row: -D deletes, +A, +I and +U put, -U is
   *     refused; empty when all put
   * @return the changelog, to be closed by the caller
   * @throws SluiceException what is wrong with a row, naming row, column and value; PUT_TOO_LARGE;
   *     BACKPRESSURE when too many changes wait for the store; SCHEMA_CHANGED
   */
  public ChangelogPlan evaluate(PutShape shape, VectorSchemaRoot rows, ByteBuffer changeTypes) {
    checkWaiting();
    checkInput(shape, rows, changeTypes);
    RowRules rules = rules();
    PutMapping mapping = mapping(shape, rules);
    int rowCount = rows.getRowCount();
    PutRows put = new PutRows(shape, mapping, rows, changeTypes);
    RowSlot[] slots = slots(put);
    boolean blind = rules.blind() && mapping.writesAll() && !shape.partial();
    read(slots, put, blind, rules);
    try (ChangelogBuilder builder = builder(rules, rowCount)) {
      PutPass pass = new PutPass(rules, mapping, put, context.ids(), builder, blind);
      for (int i = 0; i < rowCount; i++) {
        builder.nextRow();
        try {
          pass.take(i, slots[i]);
        } catch (SluiceException e) {
          throw rowCount == 1 && e.code() == ErrorCode.PUT_TOO_LARGE
              ? ChangelogEncoder.rowTooLarge(builder.bytes(), e)
              : inRow(i, e);
        }
      }
      return builder.finish(buffer);
    }
  }

  /**
   * Makes the rows that do not exist: with the key, an id, and in every other column its write
   * default or NULL. Those that exist are left as they are.
   *
   * @param keys encoded row keys of this bucket
   * @throws SluiceException INVALID_VALUE when a NOT NULL column has no default, or for bytes that
   *     are no key; BACKPRESSURE
   */
  public ChangelogPlan insertMissing(List<byte[]> keys) {
    checkWaiting();
    RowRules rules = rules();
    NewRows made = new NewRows(rules);
    Map<RowKey, RowSlot> slots = slots(keys);
    read(slots.values(), rules);
    try (ChangelogBuilder builder = builder(rules, keys.size())) {
      for (RowSlot slot : slots.values()) {
        builder.nextRow();
        byte[] before = slot.value();
        if (before == null || slot.expired()) {
          if (before != null) {
            builder.delete(slot.key(), before);
          }
          boolean gives = rules.merge().autoIncrementColumn() >= 0;
          long id = gives ? rules.checkId(context.ids().next()) : 0;
          builder.insert(slot.key(), made.encode(slot.key(), id));
        }
      }
      return builder.finish(buffer);
    }
  }

  /** Deletes those of the rows that have expired by now, whatever the table says of deletes. */
  public ChangelogPlan removeExpired(List<byte[]> keys) {
    checkWaiting();
    RowRules rules = rules();
    Map<RowKey, RowSlot> slots = slots(keys);
    read(slots.values(), rules);
    try (ChangelogBuilder builder = builder(rules, keys.size())) {
      for (RowSlot slot : slots.values()) {
        builder.nextRow();
        byte[] before = slot.value();
        if (before != null && slot.expired()) {
          builder.delete(slot.key(), before);
        }
      }
      return builder.finish(buffer);
    }
  }

  private void checkWaiting() {
    long waiting = buffer.bytes();
    if (waiting > maxWaitingBytes) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE,
          "Bucket "
              + store.bucket()
              + " has "
              + waiting
              + " bytes of changes that wait for the key-value store; the limit is "
              + maxWaitingBytes);
    }
  }

  private static void checkInput(PutShape shape, VectorSchemaRoot rows, ByteBuffer changeTypes) {
    if (changeTypes.hasRemaining() && changeTypes.remaining() != rows.getRowCount()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Put of "
              + rows.getRowCount()
              + " rows has "
              + changeTypes.remaining()
              + " change types");
    }
    if (rows.getFieldVectors().size() != shape.rows().size()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Rows of the put have "
              + rows.getFieldVectors().size()
              + " columns; "
              + shape.rows().size()
              + " were announced");
    }
  }

  private RowRules rules() {
    KvRules now = context.schemas().rules();
    RowRules known = knownRules;
    if (known == null || known.of() != now) {
      known = new RowRules(now);
      knownRules = known;
    }
    values.use(now.schema());
    return known;
  }

  private PutMapping mapping(PutShape shape, RowRules rules) {
    PutMapping known = knownMapping;
    if (known == null || !known.isFor(shape, rules.of())) {
      known = new PutMapping(shape, rules.of());
      knownMapping = known;
    }
    return known;
  }

  private ChangelogBuilder builder(RowRules rules, int rows) {
    int expected = Math.max(1, rules.full() ? 2 * rows : rows);
    return new ChangelogBuilder(
        rules.schema(), rules.codec(), rules.arrow(), context.allocator(), expected);
  }

  private static SluiceException inRow(int row, SluiceException cause) {
    if (cause.code() == ErrorCode.PUT_TOO_LARGE || cause.code() == ErrorCode.IDS_EXHAUSTED) {
      return cause;
    }
    return new SluiceException(
        cause.code(), "Row " + row + " of the put: " + cause.getMessage(), cause.details(), cause);
  }

  /** One slot for each row; rows of one key share it. */
  private RowSlot[] slots(PutRows put) {
    VectorRow row = put.row();
    int rowCount = put.count();
    RowSlot[] slots = new RowSlot[rowCount];
    Map<RowKey, RowSlot> byKey = new HashMap<>(2 * rowCount);
    for (int i = 0; i < rowCount; i++) {
      try {
        RowKey key = put.mapping().key(row.at(i));
        RowSlot known = byKey.get(key);
        if (known == null) {
          known = new RowSlot(key);
          byKey.put(key, known);
        }
        slots[i] = known;
      } catch (SluiceException e) {
        throw inRow(i, e);
      }
    }
    int[] buckets = put.mapping().buckets(put.root());
    int own = store.bucket().bucket();
    for (int i = 0; buckets != null && i < rowCount; i++) {
      if (buckets[i] != own) {
        throw inRow(i, put.mapping().wrongBucket(buckets[i], store.bucket()));
      }
    }
    return slots;
  }

  private static Map<RowKey, RowSlot> slots(List<byte[]> keys) {
    Map<RowKey, RowSlot> slots = new LinkedHashMap<>(2 * keys.size());
    for (byte[] bytes : keys) {
      RowKey key = new RowKey(bytes);
      slots.putIfAbsent(key, new RowSlot(key));
    }
    return slots;
  }

  /** Reads the rows before the put, of a blind one only those that it deletes. */
  private void read(RowSlot[] slots, PutRows put, boolean blind, RowRules rules) {
    List<RowSlot> wanted = new ArrayList<>(slots.length);
    for (int i = 0; i < slots.length; i++) {
      RowSlot slot = slots[i];
      if (!slot.wanted() && (!blind || put.deletes(i))) {
        slot.want();
        wanted.add(slot);
      }
    }
    read(wanted, rules);
  }

  private void read(Iterable<RowSlot> wanted, RowRules rules) {
    long expiredUpTo = RowsView.expiredUpTo(rules.merge().rowTtl(), context.time().epochMs());
    List<RowSlot> missing = new ArrayList<>();
    for (RowSlot slot : wanted) {
      KvChange waiting = buffer.newest(slot.key());
      if (waiting == null) {
        missing.add(slot);
      } else {
        found(slot, waiting.value(), expiredUpTo);
      }
    }
    // The store finds neighbours faster one after the other.
    missing.sort(Comparator.comparing(RowSlot::key));
    List<byte[]> keys = new ArrayList<>(missing.size());
    for (RowSlot slot : missing) {
      keys.add(slot.key().bytes());
    }
    List<byte @Nullable []> stored = store.multiGet(keys);
    for (int i = 0; i < missing.size(); i++) {
      found(missing.get(i), stored.get(i), expiredUpTo);
    }
  }

  private void found(RowSlot slot, byte @Nullable [] value, long expiredUpTo) {
    if (value != null) {
      slot.found(values.toCurrent(value), RowsView.expired(value, expiredUpTo));
    }
  }
}

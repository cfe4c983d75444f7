package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Turns puts into changelogs: the last row of a key wins. The old row is looked for in the changes
 * that wait, then in the store, with one read for all rows of a put. Nothing is changed by an
 * evaluation, so a put is taken wholly or not at all.
 *
 * <ul>
 *   <li>Upsert: +I for a new key, -U and +U for a row that differs, nothing for the same row.
 *   <li>Delete: -D, nothing when there is no row.
 *   <li>Partial upsert: columns that are no target keep what they have, and get their write default
 *       in a new row. So do columns that a put under an older schema does not know.
 *   <li>Partial delete: the target columns become NULL; the row stays.
 * </ul>
 *
 * <p>Owned by the thread that writes the bucket.
 */
public final class UpsertEvaluator {
  // Stands for "this put deleted the row" among the values that this put has written.
  private static final byte[] DELETED = {};

  private final KvStore store;
  private final PreWriteBuffer buffer;
  private final RowValues values;
  private final BufferAllocator allocator;
  private final long maxWaitingBytes;
  private @Nullable PutMapping knownMapping;

  /**
   * @param allocator pays for changelogs
   * @param maxWaitingBytes bytes in the buffer above which puts are refused
   */
  public UpsertEvaluator(
      KvStore store,
      PreWriteBuffer buffer,
      KvSchemas schemas,
      BufferAllocator allocator,
      long maxWaitingBytes) {
    this.store = store;
    this.buffer = buffer;
    this.values = new RowValues(schemas);
    this.allocator = allocator;
    this.maxWaitingBytes = maxWaitingBytes;
  }

  /**
   * Evaluates a put.
   *
   * @param rows rows of the shape; left as they are
   * @param changeTypes a {@link ChangeType} code a row: -D deletes, +A, +I and +U put, -U is
   *     refused; empty when all put
   * @return the changelog, to be closed by the caller
   * @throws SluiceException what is wrong with a row, naming row, column and value; PUT_TOO_LARGE;
   *     BACKPRESSURE when too many changes wait for the store; SCHEMA_CHANGED
   */
  public ChangelogPlan evaluate(PutShape shape, VectorSchemaRoot rows, ByteBuffer changeTypes) {
    checkInput(shape, rows, changeTypes);
    TableSchema current = values.useCurrent();
    PutMapping mapping = mapping(shape, current);
    VectorRow row = new VectorRow(rows);
    RowKey[] keys = keys(mapping, row, rows.getRowCount());
    Map<RowKey, byte[]> before = storedRows(keys);
    try (ChangelogBuilder builder =
        new ChangelogBuilder(current, allocator, Math.max(1, rows.getRowCount()))) {
      Pass pass = new Pass(values.codec(current), new MergedRow(mapping), before, builder);
      for (int i = 0; i < keys.length; i++) {
        try {
          row.at(i);
          builder.nextRow();
          boolean delete = isDelete(changeTypes, i);
          if (!delete) {
            pass.upsert(keys[i], row);
          } else if (shape.partial()) {
            pass.clear(keys[i]);
          } else {
            pass.delete(keys[i]);
          }
        } catch (SluiceException e) {
          throw keys.length == 1 && e.code() == ErrorCode.PUT_TOO_LARGE
              ? ChangelogEncoder.rowTooLarge(builder.bytes(), e)
              : inRow(i, e);
        }
      }
      return builder.finish(buffer);
    }
  }

  private void checkInput(PutShape shape, VectorSchemaRoot rows, ByteBuffer changeTypes) {
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

  private PutMapping mapping(PutShape shape, TableSchema current) {
    PutMapping known = knownMapping;
    if (known == null || !known.isFor(shape, current)) {
      known = new PutMapping(shape, current);
      knownMapping = known;
    }
    return known;
  }

  private RowKey[] keys(PutMapping mapping, VectorRow row, int rowCount) {
    RowKey[] keys = new RowKey[rowCount];
    for (int i = 0; i < rowCount; i++) {
      try {
        keys[i] = mapping.key(row.at(i), store.bucket());
      } catch (SluiceException e) {
        throw inRow(i, e);
      }
    }
    return keys;
  }

  private static SluiceException inRow(int row, SluiceException cause) {
    if (cause.code() == ErrorCode.PUT_TOO_LARGE) {
      return cause;
    }
    return new SluiceException(
        cause.code(), "Row " + row + " of the put: " + cause.getMessage(), cause.details(), cause);
  }

  private static boolean isDelete(ByteBuffer changeTypes, int row) {
    if (!changeTypes.hasRemaining()) {
      return false;
    }
    ChangeType type = ChangeType.of(changeTypes.get(changeTypes.position() + row));
    return switch (type) {
      case APPEND, INSERT, UPDATE_AFTER -> false;
      case DELETE -> true;
      case UPDATE_BEFORE ->
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "its change type is -U; a put takes +I, +U and -D, the server finds the row before");
    };
  }

  /** The rows before the put that are not among the waiting changes, by key. */
  private Map<RowKey, byte[]> storedRows(RowKey[] keys) {
    Map<RowKey, byte[]> rows = new HashMap<>();
    List<RowKey> missing = new ArrayList<>();
    List<byte[]> missingBytes = new ArrayList<>();
    for (RowKey key : keys) {
      if (rows.containsKey(key)) {
        continue;
      }
      KvChange waiting = buffer.newest(key);
      if (waiting == null) {
        missing.add(key);
        missingBytes.add(key.bytes());
      }
      byte[] value = waiting == null ? null : waiting.value();
      rows.put(key, value == null ? DELETED : value);
    }
    List<byte @Nullable []> found = store.multiGet(missingBytes);
    for (int i = 0; i < missing.size(); i++) {
      byte[] value = found.get(i);
      if (value != null) {
        rows.put(missing.get(i), value);
      }
    }
    return rows;
  }

  /** The rows of one put, one after another: {@code rows} has what those before have left. */
  private final class Pass {
    private final RowCodec codec;
    private final MergedRow merged;
    private final Map<RowKey, byte[]> rows;
    private final ChangelogBuilder changelog;

    Pass(RowCodec codec, MergedRow merged, Map<RowKey, byte[]> rows, ChangelogBuilder changelog) {
      this.codec = codec;
      this.merged = merged;
      this.rows = rows;
      this.changelog = changelog;
    }

    void upsert(RowKey key, Row put) {
      byte[] before = before(key);
      if (before == null) {
        byte[] after = codec.encode(merged.of(put, null), 0);
        changelog.insert(key, merged, after);
        rows.put(key, after);
      } else {
        Row rowBefore = values.row(before);
        replace(key, before, rowBefore, merged.of(put, rowBefore));
      }
    }

    void clear(RowKey key) {
      byte[] before = before(key);
      if (before != null) {
        Row rowBefore = values.row(before);
        replace(key, before, rowBefore, merged.cleared(rowBefore));
      }
    }

    private void replace(RowKey key, byte[] before, Row rowBefore, Row rowAfter) {
      byte[] after = codec.encode(rowAfter, 0);
      if (!RowValues.sameRow(before, after)) {
        changelog.update(key, rowBefore, rowAfter, after);
        rows.put(key, after);
      }
    }

    void delete(RowKey key) {
      byte[] before = before(key);
      if (before != null) {
        changelog.delete(key, values.row(before));
        rows.put(key, DELETED);
      }
    }

    private byte @Nullable [] before(RowKey key) {
      byte[] value = rows.get(key);
      return value == null || value == DELETED ? null : values.toCurrent(value);
    }
  }
}

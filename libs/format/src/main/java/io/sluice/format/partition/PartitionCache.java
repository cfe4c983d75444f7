package io.sluice.format.partition;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Finds what belongs to the partition of a row. The partitions met last are recognised by comparing
 * stored values; only when none of them is it are the values turned into text. Bounded; what it
 * forgets is asked for again. One owner, not thread-safe.
 *
 * @param <P> what belongs to a partition
 */
public final class PartitionCache<P> {
  private static final int RECENT = 8;
  private static final int MAX_KNOWN = 1024;

  /** Where what is not known comes from. */
  public interface Source<P> {
    /**
     * What belongs to the partition of these canonical texts; may block.
     *
     * @throws SluiceException when there is no such partition
     */
    P partition(List<String> values);
  }

  /** A partition met before: its values as rows have them, and as vectors do when one had them. */
  private static final class Entry<P> {
    private final Object[] values;
    private final P partition;
    private byte @Nullable [][] stored;

    Entry(Object[] values, P partition) {
      this.values = values;
      this.partition = partition;
    }
  }

  private final PartitionKeys keys;
  private final Source<P> source;
  private final int width;
  private final @Nullable Entry<P>[] recent;
  private final Map<List<String>, P> known = new HashMap<>();

  /** Row of the root that was asked for last. */
  private @Nullable VectorSchemaRoot cursorRoot;

  private @Nullable VectorRow cursor;

  @SuppressWarnings("unchecked") // an array of entries of one type only
  public PartitionCache(PartitionKeys keys, Source<P> source) {
    this.keys = keys;
    this.source = source;
    this.width = keys.names().size();
    this.recent = new Entry[RECENT];
  }

  /**
   * What belongs to the partition of the row.
   *
   * @throws SluiceException INVALID_VALUE for NULL, INVALID_PARTITION, or what the source throws
   */
  public P find(Row row) {
    for (int i = 0; i < recent.length; i++) {
      Entry<P> entry = recent[i];
      if (entry == null) {
        break;
      }
      if (matches(entry, row)) {
        return oneForward(i, entry);
      }
    }
    return insert(row).partition;
  }

  private boolean matches(Entry<P> entry, Row row) {
    for (int key = 0; key < width; key++) {
      if (!keys.text(key).same(row, keys.position(key), entry.values[key])) {
        return false;
      }
    }
    return true;
  }

  /** As {@link #find(Row)}, for a row of vectors of the schema's Arrow types. */
  public P find(VectorSchemaRoot root, int row) {
    for (int i = 0; i < recent.length; i++) {
      Entry<P> entry = recent[i];
      if (entry == null) {
        break;
      }
      if (matches(entry, root, row)) {
        return oneForward(i, entry);
      }
    }
    VectorRow current = cursor;
    if (current == null || cursorRoot != root) {
      current = new VectorRow(root);
      cursor = current;
      cursorRoot = root;
    }
    Entry<P> entry = insert(current.at(row));
    byte[][] stored = new byte[width][];
    for (int key = 0; key < width; key++) {
      stored[key] = stored(root.getVector(keys.position(key)), row);
    }
    entry.stored = stored;
    return entry.partition;
  }

  private boolean matches(Entry<P> entry, VectorSchemaRoot root, int row) {
    byte[][] stored = entry.stored;
    if (stored == null) {
      return false;
    }
    for (int key = 0; key < width; key++) {
      if (!same(root.getVector(keys.position(key)), row, stored[key])) {
        return false;
      }
    }
    return true;
  }

  private static boolean same(FieldVector vector, int row, byte[] value) {
    if (vector.isNull(row)) {
      return false;
    }
    if (vector instanceof BaseVariableWidthVector texts) {
      long start = texts.getStartOffset(row);
      return texts.getEndOffset(row) - start == value.length
          && equal(vector.getDataBuffer(), start, value);
    }
    if (vector instanceof BitVector bits) {
      return bits.get(row) == value[0];
    }
    return equal(vector.getDataBuffer(), (long) row * value.length, value);
  }

  private static boolean equal(ArrowBuf buffer, long start, byte[] value) {
    for (int i = 0; i < value.length; i++) {
      if (buffer.getByte(start + i) != value[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[] stored(FieldVector vector, int row) {
    if (vector instanceof BitVector bits) {
      return new byte[] {(byte) bits.get(row)};
    }
    long start;
    byte[] value;
    if (vector instanceof BaseVariableWidthVector texts) {
      start = texts.getStartOffset(row);
      value = new byte[(int) (texts.getEndOffset(row) - start)];
    } else {
      value = new byte[((BaseFixedWidthVector) vector).getTypeWidth()];
      start = (long) row * value.length;
    }
    vector.getDataBuffer().getBytes(start, value);
    return value;
  }

  /** What is met often moves to the front step by step. */
  private P oneForward(int at, Entry<P> entry) {
    if (at > 0) {
      recent[at] = recent[at - 1];
      recent[at - 1] = entry;
    }
    return entry.partition;
  }

  /** Looks a partition up that is not among the recent ones and puts it in front. */
  private Entry<P> insert(Row row) {
    List<String> texts = keys.values(row);
    P partition = known.get(texts);
    if (partition == null) {
      partition = Objects.requireNonNull(source.partition(texts));
      if (known.size() >= MAX_KNOWN) {
        known.clear();
      }
      known.put(texts, partition);
    }
    Object[] values = new Object[width];
    for (int key = 0; key < width; key++) {
      values[key] = keys.text(key).value(row, keys.position(key));
    }
    Entry<P> entry = new Entry<>(values, partition);
    System.arraycopy(recent, 0, recent, 1, recent.length - 1);
    recent[0] = entry;
    return entry;
  }

  /** Forgets all, so that everything is asked for again. */
  public void clear() {
    known.clear();
    Arrays.fill(recent, null);
  }
}

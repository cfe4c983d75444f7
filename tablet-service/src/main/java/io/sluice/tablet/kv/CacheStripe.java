package io.sluice.tablet.kv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of a {@link RowCache}: entries one after another in a ring of chunks, and a hash table of
 * their places. When all chunks are full the oldest one is emptied: of its rows those that were
 * read since they came stay, up to half of it. Each method holds the lock for about the time of a
 * memory access or two, that one excepted. Thread-safe.
 *
 * <p>An entry lies at a multiple of 8 bytes, takes at least 64, and has: store (int), hash (int),
 * length of the value (int), length of the key (short), flags (byte), a byte unused, key, value.
 */
final class CacheStripe {
  static final int CHUNK_BYTES = 128 * 1024;

  /** Two chunks: one is emptied while the other has the newer rows. */
  static final long MIN_BYTES = 2L * CHUNK_BYTES;

  /** Places count 8 bytes and have 32 bits, far more; a table should not be large either. */
  static final long MAX_BYTES = 64L * CHUNK_BYTES;

  private static final Logger log = LoggerFactory.getLogger(CacheStripe.class);
  private static final int UNIT = 8;
  private static final int MIN_ENTRY_BYTES = 64;
  private static final int HASH_AT = 4;
  private static final int VALUE_LENGTH_AT = 8;
  private static final int KEY_LENGTH_AT = 12;
  private static final int FLAGS_AT = 14;
  private static final int HEAD_BYTES = 16;
  private static final byte SHOWN = 1;
  private static final byte READ = 2;
  private static final int FIRST_SLOTS = 256;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final IntFunction<ByteBuffer> memory;
  private final ByteBuffer[] chunks;
  // Used bytes of each chunk.
  private final int[] ends;
  // Chunks there may be: fewer when the process has no more memory.
  private int count;
  private int current;
  private int allocated;
  private int rows;
  // Hash in the upper half, place + 1 in the lower one; 0 where nothing is. Linear probing.
  private long[] slots = new long[FIRST_SLOTS];

  CacheStripe(long bytes, IntFunction<ByteBuffer> memory) {
    this.memory = memory;
    count = (int) Math.min(bytes / CHUNK_BYTES, Integer.MAX_VALUE / (CHUNK_BYTES / UNIT));
    chunks = new ByteBuffer[count];
    ends = new int[count];
  }

  static long longAt(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  synchronized byte @Nullable [] get(int store, int hash, byte[] key) {
    int slot = find(store, hash, key);
    if (slot < 0) {
      return null;
    }
    int place = place(slots[slot]);
    ByteBuffer chunk = chunk(place);
    int at = offset(place);
    byte flags = chunk.get(at + FLAGS_AT);
    if ((flags & SHOWN) == 0) {
      return null;
    }
    if ((flags & READ) == 0) {
      chunk.put(at + FLAGS_AT, (byte) (flags | READ));
    }
    byte[] value = new byte[chunk.getInt(at + VALUE_LENGTH_AT)];
    chunk.get(at + HEAD_BYTES + key.length, value);
    return value;
  }

  /** Under the lock the clock is asked: who changes the row hides it, after moving the clock on. */
  synchronized void add(
      CachedRows clock, long time, int store, int hash, byte[] key, byte[] value) {
    if (!clock.isStill(time)) {
      return;
    }
    int slot = find(store, hash, key);
    if (slot >= 0 && isShown(slot)) {
      return;
    }
    if (slot >= 0) {
      // Hidden by a write that failed.
      remove(slot);
    }
    append(store, hash, key, value);
  }

  synchronized void hide(int store, int hash, byte[] key) {
    int slot = find(store, hash, key);
    if (slot >= 0) {
      int place = place(slots[slot]);
      int flagsAt = offset(place) + FLAGS_AT;
      chunk(place).put(flagsAt, (byte) (chunk(place).get(flagsAt) & ~SHOWN));
    }
  }

  /** Of a row that is not here nothing is kept: nobody has read it. */
  synchronized void show(int store, int hash, byte[] key, byte @Nullable [] value) {
    int slot = find(store, hash, key);
    if (slot < 0) {
      return;
    }
    int place = place(slots[slot]);
    ByteBuffer chunk = chunk(place);
    int at = offset(place);
    if (value != null && chunk.getInt(at + VALUE_LENGTH_AT) == value.length) {
      chunk.put(at + HEAD_BYTES + key.length, value);
      chunk.put(at + FLAGS_AT, (byte) (chunk.get(at + FLAGS_AT) | SHOWN));
      return;
    }
    remove(slot);
    if (value != null) {
      append(store, hash, key, value);
    }
  }

  synchronized long bytes() {
    return (long) allocated * CHUNK_BYTES;
  }

  synchronized int rows() {
    return rows;
  }

  /** The slot of a row, -1 when it is not here. */
  private int find(int store, int hash, byte[] key) {
    int mask = slots.length - 1;
    for (int i = hash & mask; slots[i] != 0; i = i + 1 & mask) {
      if ((int) (slots[i] >>> 32) == hash && isOf(place(slots[i]), store, key)) {
        return i;
      }
    }
    return -1;
  }

  private boolean isShown(int slot) {
    int place = place(slots[slot]);
    return (chunk(place).get(offset(place) + FLAGS_AT) & SHOWN) != 0;
  }

  private boolean isOf(int place, int store, byte[] key) {
    ByteBuffer chunk = chunk(place);
    int at = offset(place);
    if (chunk.getInt(at) != store || (chunk.getShort(at + KEY_LENGTH_AT) & 0xFFFF) != key.length) {
      return false;
    }
    int from = at + HEAD_BYTES;
    int i = 0;
    for (; i + Long.BYTES <= key.length; i += Long.BYTES) {
      if (chunk.getLong(from + i) != longAt(key, i)) {
        return false;
      }
    }
    for (; i < key.length; i++) {
      if (chunk.get(from + i) != key[i]) {
        return false;
      }
    }
    return true;
  }

  private void append(int store, int hash, byte[] key, byte[] value) {
    int size = size(key.length, value.length);
    boolean fits = chunks[current] != null && ends[current] + size <= CHUNK_BYTES;
    if (!fits && !nextChunk()) {
      return;
    }
    ByteBuffer chunk = chunks[current];
    int at = ends[current];
    chunk.putInt(at, store);
    chunk.putInt(at + HASH_AT, hash);
    chunk.putInt(at + VALUE_LENGTH_AT, value.length);
    chunk.putShort(at + KEY_LENGTH_AT, (short) key.length);
    chunk.put(at + FLAGS_AT, SHOWN);
    chunk.put(at + HEAD_BYTES, key);
    chunk.put(at + HEAD_BYTES + key.length, value);
    ends[current] = at + size;
    insert(hash, (current * CHUNK_BYTES + at) / UNIT);
  }

  private static int size(int keyLength, int valueLength) {
    int bytes = HEAD_BYTES + keyLength + valueLength;
    return Math.max(MIN_ENTRY_BYTES, bytes + UNIT - 1 & -UNIT);
  }

  /** Makes room in a new chunk or the oldest one; false when there is no memory for any. */
  private boolean nextChunk() {
    if (count == 0) {
      return false;
    }
    int next = chunks[current] == null ? current : (current + 1) % count;
    if (chunks[next] == null && !allocate(next)) {
      count = next;
      if (count == 0) {
        return false;
      }
      next = 0;
    }
    current = next;
    ends[current] = keepRead(chunks[current], ends[current]);
    return true;
  }

  /** The limit of the process may be reached: the cache then makes do with what it has. */
  private boolean allocate(int chunk) {
    try {
      chunks[chunk] = memory.apply(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      allocated++;
      return true;
    } catch (OutOfMemoryError e) {
      log.warn(
          "No more memory for rows read lately, {} KiB are kept in this part of the cache: {}",
          bytes() / 1024,
          e.getMessage());
      return false;
    }
  }

  /** Moves the rows that were read to the beginning of a chunk and forgets the others. */
  private int keepRead(ByteBuffer chunk, int end) {
    int kept = 0;
    int first = current * CHUNK_BYTES;
    for (int at = 0, size; at < end; at += size) {
      int keyLength = chunk.getShort(at + KEY_LENGTH_AT) & 0xFFFF;
      size = size(keyLength, chunk.getInt(at + VALUE_LENGTH_AT));
      int slot = slotOf(chunk.getInt(at + HASH_AT), (first + at) / UNIT);
      byte flags = chunk.get(at + FLAGS_AT);
      if (slot >= 0 && (flags & READ) != 0 && kept + size <= CHUNK_BYTES / 2) {
        chunk.put(at + FLAGS_AT, (byte) (flags & ~READ));
        if (kept < at) {
          chunk.put(kept, chunk, at, size);
        }
        slots[slot] = slots[slot] & -1L << 32 | (first + kept) / UNIT + 1;
        kept += size;
      } else if (slot >= 0) {
        remove(slot);
      }
    }
    return kept;
  }

  /** The slot that names a place, -1 when none does any more. */
  private int slotOf(int hash, int place) {
    int mask = slots.length - 1;
    for (int i = hash & mask; slots[i] != 0; i = i + 1 & mask) {
      if (place(slots[i]) == place) {
        return i;
      }
    }
    return -1;
  }

  private void insert(int hash, int place) {
    if (rows >= slots.length / 4 * 3) {
      grow();
    }
    insert(slots, (long) hash << 32 | place + 1);
    rows++;
  }

  private static void insert(long[] slots, long slot) {
    int mask = slots.length - 1;
    int i = home(slot, mask);
    while (slots[i] != 0) {
      i = i + 1 & mask;
    }
    slots[i] = slot;
  }

  private void grow() {
    long[] larger = new long[2 * slots.length];
    for (long slot : slots) {
      if (slot != 0) {
        insert(larger, slot);
      }
    }
    slots = larger;
  }

  /** Empties a slot; those behind it that would not be found any more move up. */
  private void remove(int slot) {
    rows--;
    int mask = slots.length - 1;
    int hole = slot;
    for (int i = hole + 1 & mask; slots[i] != 0; i = i + 1 & mask) {
      int home = home(slots[i], mask);
      if ((i - home & mask) >= (i - hole & mask)) {
        slots[hole] = slots[i];
        hole = i;
      }
    }
    slots[hole] = 0;
  }

  private static int home(long slot, int mask) {
    return (int) (slot >>> 32) & mask;
  }

  private static int place(long slot) {
    return (int) slot - 1;
  }

  private ByteBuffer chunk(int place) {
    return chunks[place / (CHUNK_BYTES / UNIT)];
  }

  private static int offset(int place) {
    return place % (CHUNK_BYTES / UNIT) * UNIT;
  }
}

package io.sluice.tablet.kv;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of whole numbers with a text each, put into a store without a changelog. */
public final class StoreRows {
  private StoreRows() {}

  /** Puts a row for each number, one record each. */
  public static void put(KvStore store, int from, int to, String text) {
    long start = store.appliedOffset();
    List<KvChange> changes = new ArrayList<>();
    for (int number = from; number < to; number++) {
      byte[] value = (text + number).getBytes(StandardCharsets.UTF_8);
      int delta = store.get(key(number)) == null ? 1 : 0;
      changes.add(new KvChange(new RowKey(key(number)), value, start + changes.size(), delta));
    }
    store.apply(new KvBatch(changes, start, start + changes.size()));
  }

  /** The text of a row. */
  public static @Nullable String text(KvStore store, int number) {
    byte[] value = store.get(key(number));
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /** Encoded key of a row. */
  public static byte[] key(int number) {
    return ByteBuffer.allocate(5).put((byte) 1).putInt(number ^ Integer.MIN_VALUE).array();
  }
}

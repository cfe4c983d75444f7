package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of whole numbers with a text each, put into a store without a changelog. */
public final class StoreRows {
  private StoreRows() {}

  /** Puts a row for each number, one record each; waits where the store stalls for its disk. */
  public static void put(KvStore store, int from, int to, String text) {
    long start = store.appliedOffset();
    List<KvChange> changes = new ArrayList<>();
    for (int number = from; number < to; number++) {
      byte[] value = (text + number).getBytes(StandardCharsets.UTF_8);
      int delta = store.get(key(number)) == null ? 1 : 0;
      changes.add(new KvChange(new RowKey(key(number)), value, start + changes.size(), delta));
    }
    KvBatch batch = new KvBatch(changes, start, start + changes.size());
    Await.until("room in the store", Duration.ofSeconds(30), () -> applies(store, batch));
  }

  private static boolean applies(KvStore store, KvBatch batch) {
    try {
      store.apply(batch);
      return true;
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.BACKPRESSURE) {
        return false;
      }
      throw e;
    }
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

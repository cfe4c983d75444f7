package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A cache may forget rows, but what it gives is what the row has. */
final class RowCacheRandomTest {
  private static final int OPERATIONS = 200_000;
  private static final int STORES = 3;

  @Test
  void givesWhatTheRowsHaveInMemoryOfItsSize() {
    Seeds.run(
        6,
        (seed, random) -> {
          long bytes = CacheStripe.MIN_BYTES << (seed % 3 * 2);
          RowCache cache = new RowCache(bytes);
          run(random, cache);
          assertThat(cache.bytes()).isPositive().isLessThanOrEqualTo(bytes);
          assertThat(cache.rows()).isPositive().isLessThanOrEqualTo(bytes / 64);
          assertThat(cache.hits()).isPositive();
        });
  }

  @Test
  void makesDoWithTheMemoryThereIs() {
    Seeds.run(
        4,
        (seed, random) -> {
          int most = (int) seed - 1;
          AtomicInteger given = new AtomicInteger();
          RowCache cache =
              new RowCache(
                  8 << 20,
                  bytes -> {
                    if (given.get() == 40 * most) {
                      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes");
                    }
                    given.incrementAndGet();
                    return ByteBuffer.allocate(bytes);
                  });
          run(random, cache);
          assertThat(cache.bytes()).isLessThanOrEqualTo(40L * most * CacheStripe.CHUNK_BYTES);
          assertThat(cache.hits() > 0).isEqualTo(most > 0);
        });
  }

  private static void run(SplittableRandom random, RowCache cache) {
    CachedRows[] stores = new CachedRows[STORES];
    Arrays.setAll(stores, i -> new CachedRows(cache));
    Map<String, byte[]> model = new HashMap<>();
    for (int i = 0; i < OPERATIONS; i++) {
      step(random, stores, model, "operation " + i);
    }
  }

  private static void step(
      SplittableRandom random, CachedRows[] stores, Map<String, byte[]> model, String what) {
    int number = random.nextInt(STORES);
    CachedRows rows = stores[number];
    // Some rows are asked for far more often than others.
    byte[] key = key(random.nextInt(random.nextInt(10) == 0 ? 20_000 : 200));
    String name = number + Arrays.toString(key);
    byte[] now = model.get(name);
    if (random.nextInt(4) == 0) {
      byte[] next = random.nextInt(5) == 0 ? null : value(random);
      KvChange change = new KvChange(new RowKey(key), next, 0, 0);
      boolean written = random.nextInt(10) > 0;
      rows.changing(List.of(change));
      assertThat(rows.get(key)).as(what).isNull();
      rows.changed(written ? List.of(change) : List.of());
      if (written) {
        model.put(name, next);
      }
      return;
    }
    byte[] found = rows.get(key);
    if (found == null) {
      rows.add(rows.now(), key, now);
    } else {
      assertThat(found).as(what).isEqualTo(now);
    }
  }

  private static byte[] key(int number) {
    byte[] key = new byte[1 + number % 21];
    Arrays.fill(key, (byte) (number >>> 8));
    key[0] = (byte) number;
    return key;
  }

  private static byte[] value(SplittableRandom random) {
    int length = random.nextInt(100) == 0 ? random.nextInt(20_000) : random.nextInt(200);
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  @Test
  void rowsThatAreReadStayWhenOthersComeAndGo() {
    RowCache cache = new RowCache(4 * CacheStripe.MIN_BYTES);
    CachedRows rows = new CachedRows(cache);
    byte[] value = new byte[100];
    for (int i = 0; i < 100_000; i++) {
      rows.add(rows.now(), ("row " + i).getBytes(), value);
      for (int often = 0; i % 100 == 0 && often < 200; often++) {
        if (rows.get(favourite(often)) == null) {
          rows.add(rows.now(), favourite(often), value);
        }
      }
    }
    // 1,000 rounds of 200 rows, each missed for the first time and seldom afterwards.
    assertThat(cache.misses()).isLessThan(2_000);
  }

  private static byte[] favourite(int number) {
    return ("favourite " + number).getBytes();
  }

  @Test
  void withoutMemoryNothingIsKept() {
    CachedRows rows = new CachedRows(new RowCache(0));
    rows.add(rows.now(), key(1), new byte[10]);
    assertThat(rows.get(key(1))).isNull();
  }
}

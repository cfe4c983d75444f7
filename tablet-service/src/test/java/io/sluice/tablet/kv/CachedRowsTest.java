package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CachedRowsTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 1);
  // The beginning of all keys below 256.
  private static final byte[] ALL_KEYS = {1, 0, 0, 0};

  @TempDir private Path temp;
  private final KvResources resources = KvResources.open(KvFixture.settings());

  @AfterEach
  void close() {
    resources.close();
  }

  @Test
  void rowsThatWereReadAreReadFromMemoryWithWhatWasWrittenSince() {
    KvStore store = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    store.apply(batch(0, row(1, 10), row(2, 10)));
    assertThat(resources.rowCacheBytes()).isZero();
    assertThat(version(store.get(key(1)))).isEqualTo(10);
    assertThat(version(store.get(key(1)))).isEqualTo(10);
    assertThat(resources.rowCacheHits()).isEqualTo(1);

    store.apply(batch(2, row(1, 11), row(2, 11)));
    assertThat(version(store.getFromMemory(key(1)))).isEqualTo(11);
    assertThat(versions(store.multiGet(List.of(key(2), key(1))))).containsExactly(11L, 11L);
    assertThat(resources.rowCacheHits()).isEqualTo(3);

    store.apply(batch(4, new KvChange(new RowKey(key(1)), null, 0, -1)));
    assertThat(store.get(key(1))).isNull();
    assertThat(version(store.get(key(2)))).isEqualTo(11);
  }

  @Test
  void aStoreThatIsOpenedAgainKnowsNothingOfTheRowsBefore() {
    KvStore first = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    first.apply(batch(0, row(1, 10)));
    first.flush();
    first.apply(batch(1, row(1, 11)));
    assertThat(version(first.get(key(1)))).isEqualTo(11);
    first.discard();

    KvStore second = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    assertThat(version(second.get(key(1)))).isEqualTo(10);
  }

  @Test
  void aRowReadBeforeAWriteIsNotKeptAfterIt() {
    RowCache cache = new RowCache(1 << 20);
    CachedRows rows = new CachedRows(cache);
    List<KvChange> change = List.of(row(1, 11));

    long before = rows.now();
    rows.changing(change);
    long during = rows.now();
    rows.add(before, key(1), value(10));
    rows.add(during, key(1), value(10));
    rows.changed(change);
    rows.add(before, key(1), value(10));
    rows.add(during, key(1), value(10));
    assertThat(rows.get(key(1))).isNull();

    rows.add(rows.now(), key(1), value(11));
    rows.changing(List.of(row(1, 12)));
    assertThat(rows.get(key(1))).isNull();
    rows.changed(List.of());
    assertThat(rows.get(key(1))).isNull();
    rows.add(rows.now(), key(1), value(11));
    assertThat(version(rows.get(key(1)))).isEqualTo(11);
  }

  @Test
  void readsOfSeveralRowsAreOfOneMomentUpToTheWriteAfter() {
    CachedRows rows = new CachedRows(new RowCache(1 << 20));
    long rest = rows.now();
    assertThat(rows.isOneMoment(rest)).isTrue();
    rows.changing(List.of());
    long writing = rows.now();
    assertThat(rows.isOneMoment(rest)).isFalse();
    assertThat(rows.isOneMoment(writing)).isTrue();
    assertThat(rows.isOneMoment(writing - 1)).isFalse();
    rows.changed(List.of());
    assertThat(rows.isOneMoment(writing)).isTrue();
    rows.changing(List.of());
    assertThat(rows.isOneMoment(writing)).isFalse();
  }

  @Test
  void rowsOfAPrefixAreKeptUntilOneOfThemChanges() {
    KvStore store = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    store.apply(batch(0, row(1, 10), row(2, 10), row(0x101, 20)));
    List<byte[]> both = List.of(ALL_KEYS, new byte[] {1, 0, 0, 1});
    List<byte[]> none = List.of(new byte[] {1, 0, 0, 2});
    assertThat(versions(prefixes(store, both).values())).containsExactly(10L, 10L, 20L);
    assertThat(prefixes(store, none).counts()).containsExactly(0);

    store.apply(batch(3, row(3, 11)));
    PrefixRows rows = prefixes(store, both);
    assertThat(versions(rows.values())).containsExactly(10L, 10L, 11L, 20L);
    assertThat(rows.counts()).containsExactly(3, 1);
    store.apply(batch(4, new KvChange(new RowKey(key(2)), null, 0, -1), row(1, 12)));
    assertThat(versions(prefixes(store, both).values())).containsExactly(12L, 11L, 20L);
    store.apply(batch(6, row(0x201, 30)));
    assertThat(versions(prefixes(store, none).values())).containsExactly(30L);
    assertThat(versions(store.prefixes(both, 1, 1 << 20, RowsView.ALL).values()))
        .containsExactly(12L, 20L);
  }

  @Test
  void rowsOfPrefixesAreThoseOfAModel() {
    Seeds.run(
        5,
        (seed, random) -> {
          KvStore store = KvStore.open(resources, BUCKET, temp.resolve("kv" + seed), () -> {});
          TreeMap<Integer, Long> model = new TreeMap<>();
          long offset = 0;
          for (int i = 0; i < 2_000; i++) {
            if (random.nextInt(3) == 0) {
              int number = random.nextInt(1 << 12);
              boolean gone = random.nextInt(3) == 0;
              long version = i;
              store.apply(
                  batch(
                      offset++,
                      new KvChange(
                          new RowKey(key(number)),
                          gone ? null : value(version),
                          0,
                          KvChange.UNKNOWN)));
              model.compute(number, (key, old) -> gone ? null : (Long) version);
            } else {
              comparePrefixes(store, model, random);
            }
          }
        });
  }

  private static void comparePrefixes(
      KvStore store, TreeMap<Integer, Long> model, SplittableRandom random) {
    List<byte[]> asked = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      // Of 3, 4 and 5 bytes: all rows, those of a group, and one.
      int length = 3 + random.nextInt(3);
      int low = random.nextInt(1 << 12) & -1 << 8 * (5 - length);
      asked.add(Arrays.copyOf(key(low), length));
      expected.addAll(model.subMap(low, low + (1 << 8 * (5 - length))).values());
    }
    assertThat(versions(prefixes(store, asked).values())).isEqualTo(expected);
  }

  private static PrefixRows prefixes(KvStore store, List<byte[]> prefixes) {
    return store.prefixes(prefixes, 0, 1 << 20, RowsView.ALL);
  }

  /** Each write gives all rows one version; no reader may see two, or an older one than before. */
  @Test
  void readersBesideAWriterSeeWholeWritesAndNeverGoBack() throws Exception {
    int keys = 40;
    int writes = 3_000;
    KvStore store = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    store.apply(batch(0, rows(keys, 0)));
    AtomicBoolean stop = new AtomicBoolean();
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(new Thread(() -> read(store, keys, stop, wrong)));
    }
    readers.forEach(Thread::start);
    for (int write = 1; write <= writes; write++) {
      store.apply(batch((long) keys * write, rows(keys, write)));
    }
    stop.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(wrong).isEmpty();
    assertThat(versions(store.multiGet(keys(keys)))).containsOnly((long) writes);
    assertThat(resources.rowCacheHits()).isPositive();
  }

  private static void read(
      KvStore store, int keys, AtomicBoolean stop, ConcurrentLinkedQueue<String> wrong) {
    long newest = 0;
    for (int turn = 0; !stop.get() && wrong.isEmpty(); turn++) {
      List<Long> seen =
          switch (turn % 3) {
            case 0 -> List.of(version(store.get(key(turn % keys))));
            case 1 -> versions(store.multiGet(keys(keys)));
            default -> versions(prefixes(store, List.of(ALL_KEYS)).values());
          };
      if (seen.stream().distinct().count() > 1 || seen.get(0) < newest) {
        wrong.add("After " + newest + ": " + seen);
      }
      newest = seen.get(0);
    }
  }

  private static List<byte[]> keys(int count) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(key(i));
    }
    return keys;
  }

  private static KvChange[] rows(int count, long version) {
    KvChange[] changes = new KvChange[count];
    Arrays.setAll(changes, i -> row(i, version));
    return changes;
  }

  private static KvBatch batch(long start, KvChange... changes) {
    long offset = start;
    for (KvChange change : changes) {
      change.appendedAt(offset++);
    }
    return new KvBatch(List.of(changes), start, offset);
  }

  private static KvChange row(int key, long version) {
    return new KvChange(new RowKey(key(key)), value(version), 0, KvChange.UNKNOWN);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(5).put((byte) 1).putInt(number).array();
  }

  /** Of several lengths, so that rows change their place. */
  private static byte[] value(long version) {
    return ByteBuffer.allocate(8 + (int) (version / 100 % 3) * 100).putLong(version).array();
  }

  private static long version(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  private static List<Long> versions(List<byte[]> values) {
    return values.stream().map(CachedRowsTest::version).toList();
  }
}

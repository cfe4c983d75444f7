package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KvStoreTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 1);

  @TempDir private Path temp;
  private final KvResources resources = KvResources.open(KvFixture.settings());

  @AfterEach
  void close() {
    resources.close();
    assertThat(resources.openStores()).isZero();
    assertThat(resources.openScans()).isZero();
  }

  @Test
  void readsWhatWasApplied() {
    KvStore store = open("kv");
    assertThat(store.position()).isEqualTo(new KvPosition(0, 0));
    store.apply(batch(0, 3, put(1, "a", 0, 1), put(2, "b", 1, 1), put(3, "c", 2, 1)));
    assertThat(text(store.get(key(2)))).isEqualTo("b");
    assertThat(store.get(key(9))).isNull();
    assertThat(store.multiGet(List.of(key(3), key(9), key(1))).stream().map(KvStoreTest::text))
        .containsExactly("c", null, "a");
    assertThat(store.multiGet(List.of())).isEmpty();
    store.apply(batch(3, 9, delete(2, 3), put(1, "a2", 7, 0)));
    assertThat(store.get(key(2))).isNull();
    assertThat(text(store.get(key(1)))).isEqualTo("a2");
    assertThat(store.position()).isEqualTo(new KvPosition(9, 2));
    assertThat(store.appliedOffset()).isEqualTo(9);
    assertThat(store.count()).isEqualTo(2);
  }

  @Test
  void batchMustContinueWhereTheStoreIs() {
    KvStore store = open("kv");
    store.apply(batch(0, 3));
    refused(ErrorCode.INTERNAL, "at offset 3", () -> store.apply(batch(2, 4)));
    refused(ErrorCode.CORRUPT_STORAGE, "more rows", () -> store.apply(batch(3, 4, delete(1, 3))));
    assertThat(store.appliedOffset()).isEqualTo(3);
  }

  @Test
  void saysThatAFlushBeginsBeforeAnythingIsInFiles() {
    List<Long> flushed = new ArrayList<>();
    AtomicReference<KvStore> opened = new AtomicReference<>();
    KvStore store =
        KvStore.open(
            resources,
            BUCKET,
            temp.resolve("kv"),
            () -> {
              KvStore known = opened.get();
              if (known != null) {
                flushed.add(known.flushedAppliedOffset());
              }
            });
    opened.set(store);
    store.apply(batch(0, 3, put(1, "a", 0, 1)));
    assertThat(flushed).isEmpty();
    store.flush();
    assertThat(flushed).containsExactly(0L);
    assertThat(store.flushedAppliedOffset()).isEqualTo(3);
    store.apply(batch(3, 4, put(2, "b", 0, 1)));
    store.close();
    assertThat(flushed).containsExactly(0L, 3L);
  }

  @Test
  void flushedOffsetIsWhatAKillLeaves() {
    KvStore store = open("kv");
    assertThat(store.flushedAppliedOffset()).isZero();
    store.apply(batch(0, 3, put(1, "a", 0, 1)));
    assertThat(store.flushedAppliedOffset()).isZero();
    store.flush();
    assertThat(store.flushedAppliedOffset()).isEqualTo(3);
    store.apply(batch(3, 5, put(2, "b", 3, 1)));
    assertThat(store.flushedAppliedOffset()).isEqualTo(3);
    assertThat(store.memtableBytes()).isPositive();
    store.discard();

    KvStore killed = open("kv");
    assertThat(killed.position()).isEqualTo(new KvPosition(3, 1));
    assertThat(killed.flushedAppliedOffset()).isEqualTo(3);
    assertThat(killed.get(key(2))).isNull();
    killed.apply(batch(3, 5, put(2, "b", 3, 1)));
    killed.close();

    KvStore stopped = open("kv");
    assertThat(stopped.position()).isEqualTo(new KvPosition(5, 2));
    assertThat(text(stopped.get(key(2)))).isEqualTo("b");
  }

  @Test
  void storeOfAnotherBucketIsRefused() {
    KvStore store = open("kv");
    store.apply(batch(0, 1, put(1, "a", 0, 1)));
    store.close();
    refused(
        ErrorCode.CORRUPT_STORAGE,
        "identity",
        () -> KvStore.open(resources, TableBucket.of(7, 2), temp.resolve("kv"), () -> {}));
    assertThat(open("kv").position()).isEqualTo(new KvPosition(1, 1));
  }

  @Test
  void lostFileIsReportedAsDamage() throws Exception {
    KvStore store = open("kv");
    store.apply(batch(0, 3, put(1, "a", 0, 1)));
    store.close();
    try (var files = Files.list(temp.resolve("kv"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sst")).toList()) {
        Files.delete(file);
      }
    }
    refused(ErrorCode.CORRUPT_STORAGE, "Open", () -> open("kv"));
    assertThat(resources.openStores()).isZero();
  }

  @Test
  void scanIsOneMomentInKeyOrderWithItsOffset() {
    KvStore store = open("kv");
    store.apply(batch(0, 3, put(3, "c", 0, 1), put(-1, "m", 1, 1), put(2, "b", 2, 1)));
    try (KvScan scan = store.scan()) {
      store.apply(batch(3, 5, put(1, "new", 3, 1), delete(3, 4)));
      assertThat(scan.position()).isEqualTo(new KvPosition(3, 3));
      refused(ErrorCode.INVALID_ARGUMENT, "no row", scan::key);
      assertThat(rows(scan)).containsExactly("m", "b", "c");
      assertThat(scan.next()).isFalse();
      refused(ErrorCode.INVALID_ARGUMENT, "no row", scan::value);
    }
    try (KvScan scan = store.scan()) {
      assertThat(scan.position()).isEqualTo(new KvPosition(5, 3));
      assertThat(rows(scan)).containsExactly("m", "new", "b");
    }
    try (KvScan empty = open("empty", 8).scan()) {
      assertThat(empty.position()).isEqualTo(new KvPosition(0, 0));
      assertThat(empty.next()).isFalse();
    }
  }

  @Test
  void closedScanIsRefusedAndClosingTwiceIsHarmless() {
    KvScan scan = open("kv").scan();
    scan.close();
    scan.close();
    refused(ErrorCode.INVALID_ARGUMENT, "closed", scan::next);
    assertThat(resources.openScans()).isZero();
  }

  @Test
  void checkpointIsAStoreOfItsOwn() {
    KvStore store = open("kv");
    store.apply(batch(0, 3, put(1, "a", 0, 1)));
    assertThat(store.checkpoint(temp.resolve("copy"))).isEqualTo(new KvPosition(3, 1));
    store.apply(batch(3, 4, put(1, "later", 3, 0)));
    KvStore copy = open("copy");
    assertThat(copy.position()).isEqualTo(new KvPosition(3, 1));
    assertThat(text(copy.get(key(1)))).isEqualTo("a");
    refused(ErrorCode.STORAGE_ERROR, "Checkpoint", () -> store.checkpoint(temp.resolve("copy")));
  }

  @Test
  void writesThatWouldStallAreBackpressureAndApplyLater() {
    KvResources tight =
        KvResources.open(new KvSettings(1 << 20, 1 << 20, 64 * 1024, 16, 1, 60_000, 1 << 20));
    try {
      KvStore store = KvStore.open(tight, BUCKET, temp.resolve("tight"), () -> {});
      byte[] value = new byte[128 * 1024];
      int refused = 0;
      long next = 0;
      while (next < 2_000 && refused == 0) {
        KvBatch batch = batch(next, next + 1, change((int) next, value, next, 1));
        try {
          store.apply(batch);
          next++;
        } catch (SluiceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.BACKPRESSURE);
          assertThat(store.appliedOffset()).isEqualTo(next);
          refused++;
          Await.until("applied", Duration.ofSeconds(20), () -> applied(store, batch));
        }
      }
      assertThat(refused).isPositive();
      assertThat(store.count()).isEqualTo(store.appliedOffset());
    } finally {
      tight.close();
    }
  }

  private static boolean applied(KvStore store, KvBatch batch) {
    store.apply(batch);
    return true;
  }

  @Test
  void callsAfterCloseAreRetriable() {
    KvStore store = open("kv");
    store.close();
    store.close();
    store.discard();
    List<ThrowingCallable> calls =
        List.of(
            () -> store.get(key(1)),
            () -> store.multiGet(List.of(key(1))),
            () -> store.apply(batch(0, 1)),
            store::scan,
            store::flush,
            store::memtableBytes,
            () -> prefix(store, new byte[] {1}, 1),
            store::flushedAppliedOffset,
            () -> store.checkpoint(temp.resolve("copy")));
    for (ThrowingCallable call : calls) {
      refused(ErrorCode.UNAVAILABLE, "was closed", call);
    }
    assertThat(ErrorCode.UNAVAILABLE.retriable()).isTrue();
  }

  @Test
  void prefixGivesItsRowsInKeyOrder() {
    KvStore store = open("kv");
    store.apply(
        batch(
            0,
            6,
            entry("a", 0),
            entry("ab", 1),
            entry("ab\u0000", 2),
            entry("abz", 3),
            entry("ac", 4),
            entry("b", 5)));
    assertThat(values(prefix(store, bytes("ab"), 0))).containsExactly("ab", "ab\u0000", "abz");
    assertThat(values(prefix(store, bytes("ab"), 2))).containsExactly("ab", "ab\u0000");
    assertThat(values(prefix(store, bytes("b"), 0))).containsExactly("b");
    assertThat(values(prefix(store, bytes("c"), 0))).isEmpty();
    assertThat(values(prefix(store, new byte[] {1}, 0))).hasSize(6);
    store.flush();
    assertThat(values(prefix(store, bytes("ab"), 0))).containsExactly("ab", "ab\u0000", "abz");
    assertThat(values(store.prefixes(List.of(bytes("a")), 2, 100, value -> value.length > 1)))
        .containsExactly("ab", "ab\u0000");
  }

  @Test
  void prefixThatEndsWithTheHighestBytes() {
    KvStore store = open("kv");
    byte[] low = {1, 5, (byte) 0xFF, (byte) 0xFF};
    byte[] in = {1, 5, (byte) 0xFF, (byte) 0xFF, 0};
    byte[] next = {1, 6};
    store.apply(
        batch(
            0,
            3,
            new KvChange(new RowKey(low), bytes("low"), 0, 1),
            new KvChange(new RowKey(in), bytes("in"), 1, 1),
            new KvChange(new RowKey(next), bytes("next"), 2, 1)));
    assertThat(prefix(store, low, 0).counts()).containsExactly(2);
    assertThat(prefix(store, new byte[] {1, 5}, 0).counts()).containsExactly(2);
    assertThat(prefix(store, new byte[] {1, 6}, 0).counts()).containsExactly(1);
  }

  @Test
  void bytesOfAPrefixAreBounded() {
    KvStore store = open("kv");
    store.apply(batch(0, 3, entry("aa", 0), entry("ab", 1), entry("ac", 2)));
    // Values of 2 bytes.
    assertThat(bounded(store, 0, 6).counts()).containsExactly(3);
    assertThat(bounded(store, 2, 4).counts()).containsExactly(2);
    assertThat(bounded(store, 1, 1).counts()).containsExactly(1);
    refused(ErrorCode.QUERY_LIMIT_EXCEEDED, "2 fit", () -> bounded(store, 0, 5));
  }

  @Test
  void rowsOfAPrefixHaveAnySize() {
    KvStore store = open("kv");
    List<byte[]> values = new ArrayList<>();
    KvChange[] changes = new KvChange[6];
    int[] sizes = {1, 1023, 1024, 1025, 70_000, 2};
    for (int i = 0; i < sizes.length; i++) {
      byte[] value = new byte[sizes[i]];
      Arrays.fill(value, (byte) (i + 1));
      values.add(value);
      changes[i] = new KvChange(new RowKey(bytes("a" + i)), value, i, 1);
    }
    store.apply(batch(0, changes.length, changes));
    assertThat(prefix(store, bytes("a"), 0).values()).containsExactlyElementsOf(values);
    store.flush();
    assertThat(prefix(store, bytes("a"), 0).values()).containsExactlyElementsOf(values);
  }

  private static PrefixRows bounded(KvStore store, int limit, long maxBytes) {
    return store.prefixes(List.of(bytes("a")), limit, maxBytes, value -> true);
  }

  private static PrefixRows prefix(KvStore store, byte[] prefix, int limit) {
    return store.prefixes(List.of(prefix), limit, 1 << 20, value -> true);
  }

  private static KvChange entry(String text, long offset) {
    return new KvChange(new RowKey(bytes(text)), text.getBytes(), offset, 1);
  }

  private static byte[] bytes(String text) {
    byte[] value = text.getBytes();
    return ByteBuffer.allocate(1 + value.length).put((byte) 1).put(value).array();
  }

  private static List<String> values(PrefixRows rows) {
    return rows.values().stream().map(KvStoreTest::text).toList();
  }

  @Test
  void damageThatIsFoundLaterIsToldOnceAndTheCallMayBeRepeated() throws Exception {
    List<SluiceException> told = new ArrayList<>();
    KvLog changelog =
        new KvLog() {
          @Override
          public void force() {}

          @Override
          public void damaged(SluiceException damage) {
            told.add(damage);
          }
        };
    KvStore first = open("kv");
    SplittableRandom random = new SplittableRandom(1);
    for (int number = 0; number < 40; number++) {
      byte[] value = new byte[1000];
      random.nextBytes(value);
      first.apply(batch(number, number + 1, change(number, value, number, 1)));
    }
    first.close();
    // Behind the block of the position, which is read at the opening.
    damage(temp.resolve("kv"), ".sst", 20_000);
    KvStore store = KvStore.open(resources, BUCKET, temp.resolve("kv"), changelog);
    refused(ErrorCode.UNAVAILABLE, "being restored", () -> allRows(store));
    refused(ErrorCode.UNAVAILABLE, "being restored", () -> scanAll(store));
    refused(ErrorCode.UNAVAILABLE, "being restored", () -> prefix(store, new byte[] {1}, 0));
    assertThat(told).hasSize(1);
    assertThat(told.get(0).code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
    store.discard();
  }

  private static void allRows(KvStore store) {
    for (int number = 0; number < 40; number++) {
      assertThat(store.get(key(number))).isNotNull();
    }
  }

  @Test
  void lostOrDamagedFilesOfTheStoreItselfAreDamage() throws Exception {
    for (String file : List.of("CURRENT", "MANIFEST")) {
      KvStore store = open("lost" + file);
      store.apply(batch(0, 1, put(1, "a", 0, 1)));
      store.close();
      try (var files = Files.list(temp.resolve("lost" + file))) {
        for (Path each : files.filter(f -> named(f, file)).toList()) {
          Files.delete(each);
        }
      }
      refused(ErrorCode.CORRUPT_STORAGE, "lost" + file, () -> open("lost" + file));
      KvStore other = open("bad" + file);
      other.apply(batch(0, 1, put(1, "a", 0, 1)));
      other.close();
      damage(temp.resolve("bad" + file), file, 12);
      refused(ErrorCode.CORRUPT_STORAGE, "bad" + file, () -> open("bad" + file));
    }
  }

  private static boolean named(Path file, String kind) {
    return file.getFileName().toString().contains(kind);
  }

  /** Changes one byte of the files of a kind. */
  private static void damage(Path directory, String kind, int at) throws Exception {
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(f -> named(f, kind)).toList()) {
        byte[] content = Files.readAllBytes(file);
        content[at] ^= 1;
        Files.write(file, content);
      }
    }
  }

  @Test
  void aStoreThatNobodyWroteToHasNoTables() throws Exception {
    open("kv").close();
    try (var files = Files.list(temp.resolve("kv"))) {
      assertThat(files.filter(f -> f.toString().endsWith(".sst"))).isEmpty();
    }
    KvStore store = open("kv");
    assertThat(store.flushedAppliedOffset()).isZero();
    store.apply(batch(0, 1, put(1, "a", 0, 1)));
    assertThat(store.flushedAppliedOffset()).isZero();
    store.close();
    assertThat(open("kv").position()).isEqualTo(new KvPosition(1, 1));
  }

  /** B18: iterators that outlived the database crashed the process. */
  @Test
  void closingUnderScansLookupsPrefixesAndSnapshotsEndsThemRetriably() throws Exception {
    for (int round = 0; round < 30; round++) {
      KvStore store = open("kv" + round);
      KvChange[] changes = new KvChange[500];
      for (int i = 0; i < changes.length; i++) {
        changes[i] = put(i, "value" + i, i, 1);
      }
      store.apply(batch(0, 500, changes));
      KvScan idle = store.scan();
      AtomicLong done = new AtomicLong();
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        threads.add(new Thread(() -> failures.add(untilRefused(() -> scanAll(store), done))));
      }
      threads.add(
          new Thread(
              () ->
                  failures.add(untilRefused(() -> store.multiGet(List.of(key(1), key(2))), done))));
      threads.add(
          new Thread(
              () -> failures.add(untilRefused(() -> prefix(store, new byte[] {1}, 50), done))));
      Path copies = temp.resolve("copies" + round);
      AtomicLong copy = new AtomicLong();
      Files.createDirectory(copies);
      threads.add(
          new Thread(
              () ->
                  failures.add(
                      untilRefused(
                          () -> store.checkpoint(copies.resolve("" + copy.incrementAndGet())),
                          done))));
      threads.forEach(Thread::start);
      long enough = 4 + round * 3L;
      Await.until("work", Duration.ofSeconds(20), () -> done.get() >= enough);
      if (round % 2 == 0) {
        store.discard();
      } else {
        store.close();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failures).hasSize(6).allSatisfy(KvStoreTest::isRetriable);
      refused(ErrorCode.UNAVAILABLE, "was closed", idle::next);
      idle.close();
      assertThat(resources.openStores()).isZero();
      assertThat(resources.openScans()).isZero();
    }
  }

  private static void scanAll(KvStore store) {
    try (KvScan scan = store.scan()) {
      int rows = 0;
      while (scan.next()) {
        scan.key();
        scan.value();
        rows++;
      }
      assertThat(rows).isEqualTo(500);
    }
  }

  private static Throwable untilRefused(Runnable call, AtomicLong done) {
    while (true) {
      try {
        call.run();
        done.incrementAndGet();
      } catch (Throwable e) {
        return e;
      }
    }
  }

  private static void isRetriable(Throwable failure) {
    assertThat(failure).isInstanceOf(SluiceException.class);
    assertThat(((SluiceException) failure).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void resourcesCloseTheStoresThatAreOpen() {
    KvStore store = open("kv");
    store.apply(batch(0, 3, put(1, "a", 0, 1)));
    resources.close();
    refused(ErrorCode.UNAVAILABLE, "was closed", () -> store.get(key(1)));
    try (KvResources again = KvResources.open(KvFixture.settings())) {
      assertThat(KvStore.open(again, BUCKET, temp.resolve("kv"), () -> {}).count()).isEqualTo(1);
    }
  }

  private KvStore open(String name) {
    return KvStore.open(resources, BUCKET, temp.resolve(name), () -> {});
  }

  private KvStore open(String name, int bucket) {
    return KvStore.open(resources, TableBucket.of(7, bucket), temp.resolve(name), () -> {});
  }

  private static KvBatch batch(long start, long end, KvChange... changes) {
    return new KvBatch(List.of(changes), start, end);
  }

  private static KvChange put(int k, String value, long offset, int delta) {
    return change(k, value.getBytes(), offset, delta);
  }

  private static KvChange delete(int k, long offset) {
    return new KvChange(new RowKey(key(k)), null, offset, -1);
  }

  private static KvChange change(int k, byte[] value, long offset, int delta) {
    return new KvChange(new RowKey(key(k)), value, offset, delta);
  }

  private static byte[] key(int k) {
    return ByteBuffer.allocate(5).put((byte) 1).putInt(k ^ Integer.MIN_VALUE).array();
  }

  private static String text(byte[] value) {
    return value == null ? null : new String(value);
  }

  private static List<String> rows(KvScan scan) {
    List<String> rows = new ArrayList<>();
    while (scan.next()) {
      rows.add(text(scan.value()));
    }
    return rows;
  }

  private static void refused(ErrorCode code, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(what);
  }
}

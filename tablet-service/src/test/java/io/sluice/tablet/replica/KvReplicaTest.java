package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KvReplicaTest {
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  private static final long TABLE = KvReplicaRandomTest.TABLE;

  @TempDir private Path temp;

  private static Answer put(Replica replica, BatchWriter writer, Row... rows) throws Exception {
    byte[] upserts = new byte[rows.length];
    Arrays.fill(upserts, ChangeType.UPDATE_AFTER.code());
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, rows.length);
      for (Row row : rows) {
        writers.write(row);
      }
      try (EncodedBatch batch =
          encoder.encode(writers.finish(), SCHEMA, ByteBuffer.wrap(upserts), writer)) {
        Answer answer = new Answer();
        replica.append(new AppendRequest(batch.header(), batch.sections(), -1, true), answer);
        // The batch must live until the answer.
        Await.until("answered", Duration.ofSeconds(20), answer::done);
        return answer;
      }
    }
  }

  /** Puts one row for each number. */
  static void putNumbers(Replica replica, int from, int to) throws Exception {
    for (int key = from; key < to; key++) {
      put(replica, BatchWriter.NONE, Row.of(key, null, key)).get();
    }
  }

  private static int number(Replica replica, int key) {
    byte[] value = replica.requireRows().get(KeyEncoder.of(SCHEMA).encode(Row.of(key, null, null)));
    assertThat(value).isNotNull();
    return RowCodec.of(SCHEMA).decode(value).getInt(2);
  }

  private TestTablet open(int epoch) {
    return TestTablet.open(temp).apply(KvReplicaRandomTest.image(epoch));
  }

  @Test
  void thePutOfAWriterThatChangedNothingIsKnownAfterACrash() throws Exception {
    Path copy = temp.resolve("copy");
    Path home = temp.resolve("home");
    try (TestTablet tablet = TestTablet.open(home).apply(KvReplicaRandomTest.image(1))) {
      Replica replica = tablet.replica(TABLE);
      put(replica, new BatchWriter(5, 0, 0, 1), Row.of(1, "a", 1)).get();
      assertThat(put(replica, new BatchWriter(5, 0, 1, 9), Row.of(1, "a", 1)).get().baseOffset())
          .isEqualTo(-1);
      assertThat(replica.writerSequence(5, 0)).isEqualTo(9);
      put(replica, BatchWriter.NONE, Row.of(1, "other", 9)).get();
      assertThat(replica.offsets().visible()).isEqualTo(replica.offsets().logEnd());
      ReplicaSetTest.copy(home, copy);
    }
    try (TestTablet tablet = TestTablet.open(copy).apply(KvReplicaRandomTest.image(2))) {
      Replica replica = tablet.replica(TABLE);
      assertThat(replica.writerSequence(5, 0)).isEqualTo(9);
      Answer again = put(replica, new BatchWriter(5, 0, 1, 9), Row.of(1, "a", 1));
      assertThat(again.get().duplicate()).isTrue();
      assertThat(again.get().baseOffset()).isEqualTo(-1);
      assertThat(number(replica, 1)).isEqualTo(9);
      // The sequences took an offset, which is a hole for readers.
      put(replica, new BatchWriter(5, 0, 10, 1), Row.of(1, "a", 2)).get();
      assertThat(TestTablet.sequences(replica, 5)).extracting(each -> each[1]).contains(0L, 2L);
    }
  }

  @Test
  void theRowsAreNeverAheadOfTheLogOnTheDisk() throws Exception {
    try (TestTablet tablet = open(1)) {
      Replica replica = tablet.replica(TABLE);
      putNumbers(replica, 0, 5);
      // Housekeeping does not run: nobody else forces the log.
      assertThat(replica.offsets().stable()).isZero();
      replica.requireRows().store().flush();
      assertThat(replica.requireRows().store().flushedAppliedOffset()).isEqualTo(5);
      assertThat(replica.offsets().stable()).isEqualTo(5);
    }
  }

  @Test
  void aPutWithoutAWriterThatChangesNothingAddsNothing() throws Exception {
    try (TestTablet tablet = open(1)) {
      Replica replica = tablet.replica(TABLE);
      put(replica, BatchWriter.NONE, Row.of(1, "a", 1)).get();
      put(replica, BatchWriter.NONE, Row.of(1, "a", 1)).get();
      assertThat(replica.offsets().logEnd()).isEqualTo(1);
    }
  }

  @Test
  void aPutWhoseChangesDoNotFitOneBatchIsRefusedAndItsHalvesAreTaken() throws Exception {
    try (TestTablet tablet = open(1)) {
      Replica replica = tablet.replica(TABLE);
      // Text that does not compress: each change is about as large as two rows.
      Row[] before = {Row.of(1, noise(1), 1), Row.of(2, noise(2), 1)};
      for (int i = 0; i < before.length; i++) {
        put(replica, new BatchWriter(5, 0, i, 1), before[i]).get();
      }
      Row[] after = {Row.of(1, noise(3), 2), Row.of(2, noise(4), 2)};
      long end = replica.offsets().logEnd();
      assertThat(put(replica, new BatchWriter(5, 0, 2, 2), after).refusal())
          .isEqualTo(ErrorCode.PUT_TOO_LARGE);
      assertThat(replica.offsets().logEnd()).isEqualTo(end);
      assertThat(number(replica, 1)).isEqualTo(1);
      assertThat(replica.writerSequence(5, 0)).isEqualTo(1);
      put(replica, new BatchWriter(5, 0, 2, 1), after[0]).get();
      put(replica, new BatchWriter(5, 0, 3, 1), after[1]).get();
      assertThat(number(replica, 1)).isEqualTo(2);
      assertThat(number(replica, 2)).isEqualTo(2);
    }
  }

  private static String noise(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1_700_000; i++) {
      text.append((char) random.nextInt(' ', 127));
    }
    return text.toString();
  }

  @Test
  void onlyTheRowsAfterThoseAlreadyStoredCount() throws Exception {
    try (TestTablet tablet = open(1)) {
      Replica replica = tablet.replica(TABLE);
      put(replica, new BatchWriter(5, 0, 0, 2), Row.of(1, "a", 1), Row.of(2, "a", 1)).get();
      put(replica, BatchWriter.NONE, Row.of(1, "other", 9)).get();
      put(replica, new BatchWriter(5, 0, 1, 2), Row.of(2, "a", 1), Row.of(3, "a", 1)).get();
      assertThat(number(replica, 1)).isEqualTo(9);
      assertThat(number(replica, 3)).isEqualTo(1);
      assertThat(replica.writerSequence(5, 0)).isEqualTo(2);
    }
  }

  @Test
  void aRemovedReplicaTakesItsStoreAlong() throws Exception {
    try (TestTablet tablet = open(1)) {
      put(tablet.replica(TABLE), BatchWriter.NONE, Row.of(1, "a", 1)).get();
      tablet.set.apply(TestTablet.dropped(2, TABLE));
      tablet.set.housekeeper().doWork();
      assertThat(temp.resolve(Long.toString(TABLE)).resolve("0-0")).doesNotExist();
      assertThat(tablet.kv.resources().openStores()).isZero();
    }
  }

  @Test
  void everyWriterSeesWhatWasAnsweredWhileOthersWrite() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (TestTablet tablet = open(1)) {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        int key = writer;
        writers.add(
            threads.submit(
                () -> {
                  Replica replica = tablet.replica(TABLE);
                  for (int i = 0; i < 300; i++) {
                    put(replica, BatchWriter.NONE, Row.of(key, "a", i), Row.of(99, "b", i)).get();
                    assertThat(number(replica, key)).isEqualTo(i);
                  }
                  return null;
                }));
      }
      for (Future<?> each : writers) {
        each.get();
      }
      assertThat(tablet.replica(TABLE).requireRows().count()).isEqualTo(5);
    } finally {
      threads.shutdownNow();
    }
  }
}

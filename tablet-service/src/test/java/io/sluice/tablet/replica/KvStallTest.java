package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.format.batch.BatchCodec;
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
import io.sluice.tablet.kv.KvScan;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.StoreStall;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bucket whose RocksDB takes no writes for a while. */
final class KvStallTest {
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  private static final KeyEncoder KEYS = KeyEncoder.of(SCHEMA);
  private static final long TABLE = KvReplicaRandomTest.TABLE;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int MIB = 1 << 20;
  private static final int VALUE = 100_000;
  private static final int WAITING = MIB / 2;
  private static final int MOST_PUTS = 500;

  @TempDir private Path temp;

  private final BufferAllocator allocator = new RootAllocator();
  private final LogBatchEncoder encoder =
      new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE));
  // Live until they are answered.
  private final List<EncodedBatch> batches = new ArrayList<>();
  private TestTablet tablet;

  @BeforeEach
  void open() {
    KvSettings settings = new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, WAITING);
    tablet = TestTablet.open(temp, settings).apply(KvReplicaRandomTest.image(1));
  }

  @AfterEach
  void close() {
    tablet.close();
    batches.forEach(EncodedBatch::close);
    encoder.close();
    allocator.close();
  }

  private Answer put(int key) {
    Answer answer = new Answer();
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
      writers.write(Row.of(key, "v".repeat(VALUE), key));
      ByteBuffer upsert = ByteBuffer.wrap(new byte[] {ChangeType.UPDATE_AFTER.code()});
      EncodedBatch batch = encoder.encode(writers.finish(), SCHEMA, upsert, BatchWriter.NONE);
      batches.add(batch);
      tablet
          .replica(TABLE)
          .append(new AppendRequest(batch.header(), batch.sections(), -1, true), answer);
    }
    return answer;
  }

  private @Nullable Integer number(int key) {
    byte[] value = tablet.replica(TABLE).requireRows().get(KEYS.encode(Row.of(key, null, null)));
    return value == null ? null : RowCodec.of(SCHEMA).decode(value).getInt(2);
  }

  @Test
  void putsWaitAndThenAreRefusedWhileReadsGoOnAndNothingIsLost() throws Exception {
    KvStore store = tablet.replica(TABLE).requireRows().store();
    put(0).get();
    List<Answer> answers = new ArrayList<>();
    try (StoreStall stall = StoreStall.of(store)) {
      Answer last = put(1);
      answers.add(last);
      while (!refused(last) && answers.size() < MOST_PUTS) {
        last = put(answers.size() + 1);
        answers.add(last);
        // Either it is visible or refused, or the store has stopped taking what was put before.
        int put = answers.size();
        Answer asked = last;
        Await.until(
            "put " + put + " is decided",
            SOON,
            () -> asked.done() || tablet.replica(TABLE).offsets().logEnd() == put + 1);
      }
      assertThat(last.refusal()).isEqualTo(ErrorCode.BACKPRESSURE);
      assertThat(last.failure()).hasMessageContaining("wait for the key-value store");
      long waiting = answers.stream().filter(each -> !each.done()).count();
      // More than the limit by one put at most, and no more memtables than the four of a MiB there
      // may be.
      assertThat(waiting * VALUE).isBetween(WAITING / 2L, WAITING + 2L * VALUE);
      assertThat(store.memtableBytes()).isLessThan(6L * MIB);
      readsGoOn(store, answers);
    }
    answers.remove(answers.size() - 1);
    for (Answer each : answers) {
      each.get();
    }
    put(answers.size() + 1).get();
    for (int key = 0; key <= answers.size() + 1; key++) {
      assertThat(number(key)).isEqualTo(key);
    }
    assertThat(store.count()).isEqualTo(answers.size() + 2);
    assertThat(tablet.replica(TABLE).offsets().logEnd()).isEqualTo(answers.size() + 2);
  }

  /** What was answered is there, what was not is not yet, and scans show the same. */
  private void readsGoOn(KvStore store, List<Answer> answers) {
    int visible = (int) answers.stream().filter(each -> each.done() && !refused(each)).count();
    for (int key = 0; key <= answers.size(); key++) {
      assertThat(number(key)).isEqualTo(key <= visible ? key : null);
    }
    try (KvScan scan = store.scan()) {
      assertThat(scan.position().appliedOffset()).isEqualTo(visible + 1);
      int rows = 0;
      while (scan.next()) {
        rows++;
      }
      assertThat(rows).isEqualTo(visible + 1);
    }
  }

  private static boolean refused(Answer answer) {
    if (!answer.done()) {
      return false;
    }
    try {
      answer.get();
      return false;
    } catch (Exception refusal) {
      return true;
    }
  }
}

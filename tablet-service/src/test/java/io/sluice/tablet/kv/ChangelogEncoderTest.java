package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static io.sluice.tablet.kv.KvFixture.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.format.batch.BatchFormat;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.KvFixture.Change;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChangelogEncoderTest {
  private static final PutShape FULL = PutShape.full(SCHEMA);
  private static final BatchFormat RAW =
      BatchFormat.ofTable(
          Map.of(TableOptions.COMPRESSION_TYPE, "none", TableOptions.STATISTICS_COLUMNS, "none"));

  @TempDir private Path temp;
  private KvFixture kv;
  private BatchEncoders encoders;
  private ChangelogEncoder encoder;

  @BeforeEach
  void open() {
    kv = new KvFixture(temp.resolve("kv"));
    encoders = new BatchEncoders(kv.allocator, 1);
    encoder = new ChangelogEncoder(encoders);
  }

  @AfterEach
  void close() {
    encoders.close();
    kv.close();
  }

  @Test
  void theBatchAccountsForEveryRowOfThePut() {
    try (ChangelogPlan plan =
        kv.evaluate(
            FULL,
            List.of(
                delete(9, null, null, null),
                put(1, "a", null, 1),
                put(1, "b", null, 1),
                put(1, "b", null, 1)))) {
      try (EncodedBatch batch = encoder.encode(RAW, plan, new BatchWriter(7, 2, 100, 4))) {
        assertThat(batch.header().codecId()).isEqualTo(BatchCodec.NONE.id());
        assertThat(batch.header().statisticsLength()).isZero();
        LogBatchHeader header = batch.header();
        assertThat(header.recordCount()).isEqualTo(3);
        assertThat(header.writerId()).isEqualTo(7);
        assertThat(header.writerEpoch()).isEqualTo(2);
        assertThat(header.baseSequence()).isEqualTo(100);
        assertThat(header.sequenceCount()).isEqualTo(4);
      }
      assertThatThrownBy(() -> encoder.encode(RAW, plan, new BatchWriter(7, 2, 100, 3)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("one for each row");
      // Rows of an upload that went to other buckets have sequences, too.
      try (EncodedBatch batch = encoder.encode(RAW, plan, new BatchWriter(7, 2, 100, 30))) {
        assertThat(batch.header().sequenceCount()).isEqualTo(30);
      }
    }
  }

  @Test
  void aPutWhoseChangesDoNotFitABatchIsRefusedWhole() {
    List<Change> changes = new ArrayList<>();
    for (int k = 0; k < 40; k++) {
      changes.add(put(k % 25, "x".repeat(100 + k), null, k));
    }
    ChangelogEncoder small = new ChangelogEncoder(encoders, 1_200);
    try (ChangelogPlan plan = kv.evaluate(FULL, changes)) {
      assertThatThrownBy(() -> small.encode(RAW, plan, new BatchWriter(7, 2, 100, 40)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PUT_TOO_LARGE))
          .hasMessageContaining("fewer rows");
    }
    try (ChangelogPlan plan = kv.evaluate(FULL, changes.subList(0, 2));
        EncodedBatch batch = small.encode(RAW, plan, new BatchWriter(7, 2, 100, 2))) {
      assertThat(batch.header().recordCount()).isEqualTo(2);
    }
  }

  @Test
  void oneRowMayBeLargerThanABatch() {
    String large = "x".repeat(5_000_000);
    kv.put(put(1, large, null, 1));
    try (ChangelogPlan plan = kv.evaluate(FULL, List.of(put(1, large, null, 2)));
        EncodedBatch batch = encoder.encode(RAW, plan, BatchWriter.NONE)) {
      assertThat(batch.wireBytes())
          .isBetween(BatchLimits.MAX_BATCH_BYTES, BatchLimits.MAX_SINGLE_ROW_BYTES);
    }
    try (ChangelogPlan plan =
        kv.evaluate(FULL, List.of(put(0, "s", null, 0), put(1, large, null, 2)))) {
      assertThatThrownBy(() -> encoder.encode(RAW, plan, BatchWriter.NONE))
          .hasMessageContaining("fewer rows");
    }
  }

  @Test
  void oneRowThatIsTooLargeWithTheRowBeforeItSaysSo() {
    String large = "x".repeat(20_000_000);
    kv.put(put(1, large, null, 1));
    assertThatThrownBy(() -> kv.evaluate(FULL, List.of(put(1, large, null, 2))))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE))
        .hasMessageContaining("with the row before");
  }

  @Test
  void batchOfAClientIsEvaluatedFromTheFirstNewRowOn() {
    // The changelog of another bucket serves as a client's batch: +I and -D are taken alike.
    kv.put(put(1, "a", null, 1), put(2, "b", null, 2), put(3, "c", null, 3));
    kv.put(delete(2, null, null, null));
    List<ByteBuffer> puts = kv.log.get(0).sections();
    List<ByteBuffer> deletes = kv.log.get(1).sections();
    try (KvFixture other = new KvFixture(temp.resolve("other"))) {
      try (ChangelogPlan plan = other.tablet.evaluate(FULL, puts, 1)) {
        assertThat(KvFixture.records(plan))
            .containsExactly("+I[2, b, null, 2]", "+I[3, c, null, 3]");
        assertThat(plan.inputRows()).isEqualTo(2);
        other.append(plan, 5);
      }
      try (ChangelogPlan plan = other.tablet.evaluate(FULL, deletes, 0)) {
        assertThat(KvFixture.records(plan)).containsExactly("-D[2, b, null, 2]");
      }
    }
  }
}

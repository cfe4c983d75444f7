package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static io.sluice.tablet.kv.KvFixture.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.ChangelogEncoder.Part;
import io.sluice.tablet.kv.KvFixture.Change;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChangelogEncoderTest {
  private static final PutShape FULL = PutShape.full(SCHEMA);
  private static final CompressionSettings RAW = CompressionSettings.of(BatchCodec.NONE);

  @TempDir private Path temp;
  private KvFixture kv;

  @BeforeEach
  void open() {
    kv = new KvFixture(temp.resolve("kv"));
  }

  @AfterEach
  void close() {
    kv.close();
  }

  @Test
  void emptyPlanGivesNoBatch() {
    try (ChangelogEncoder encoder = new ChangelogEncoder(kv.allocator, RAW);
        ChangelogPlan plan = kv.evaluate(FULL, List.of(delete(1, null, null, null)))) {
      assertThat(encoder.encode(plan, new BatchWriter(7, 1, 0, 1))).isEmpty();
      assertThat(plan.inputRows()).isEqualTo(1);
    }
  }

  @Test
  void oneBatchAccountsForEveryRowOfThePut() {
    try (ChangelogEncoder encoder = new ChangelogEncoder(kv.allocator, RAW);
        ChangelogPlan plan =
            kv.evaluate(
                FULL,
                List.of(
                    delete(9, null, null, null),
                    put(1, "a", null, 1),
                    put(1, "b", null, 1),
                    put(1, "b", null, 1)))) {
      List<Part> parts = encoder.encode(plan, new BatchWriter(7, 2, 100, 4));
      assertThat(parts).hasSize(1);
      LogBatchHeader header = parts.get(0).batch().header();
      assertThat(header.recordCount()).isEqualTo(3);
      assertThat(header.writerId()).isEqualTo(7);
      assertThat(header.writerEpoch()).isEqualTo(2);
      assertThat(header.baseSequence()).isEqualTo(100);
      assertThat(header.sequenceCount()).isEqualTo(4);
      assertThat(parts.get(0).endRecord()).isEqualTo(3);
      parts.forEach(Part::close);
      assertThatThrownBy(() -> encoder.encode(plan, new BatchWriter(7, 2, 100, 3)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("one for each row");
    }
  }

  @Test
  void batchesAreCutBetweenRowsWithTheirSequencesAndReplayToTheSameRows() {
    List<Change> changes = new ArrayList<>();
    for (int k = 0; k < 40; k++) {
      changes.add(put(k % 25, "x".repeat(100 + k), null, k));
      changes.add(delete(1_000, null, null, null));
    }
    try (ChangelogEncoder encoder = new ChangelogEncoder(kv.allocator, RAW, 1_200);
        ChangelogPlan plan = kv.evaluate(FULL, changes)) {
      List<Part> parts = encoder.encode(plan, new BatchWriter(7, 2, 100, changes.size()));
      assertThat(parts).hasSizeGreaterThan(5);
      long sequence = 100;
      long offset = 0;
      for (Part part : parts) {
        LogBatchHeader header = part.batch().header();
        assertThat(header.baseSequence()).isEqualTo(sequence);
        sequence += header.sequenceCount();
        ByteBuffer types = part.batch().changeTypes();
        assertThat(types.get(0)).isNotEqualTo(ChangeType.UPDATE_AFTER.code());
        assertThat(types.get(types.limit() - 1)).isNotEqualTo(ChangeType.UPDATE_BEFORE.code());
        assertThat(part.batch().wireBytes()).isLessThanOrEqualTo(1_200);
        header.stamp(offset, 1, 77);
        plan.applied(part.endRecord(), offset, 77);
        offset = header.nextOffset();
      }
      assertThat(sequence).isEqualTo(180);
      assertThat(offset).isEqualTo(plan.recordCount());
      kv.tablet.advance(offset);
      List<String> leader = ChangelogApplierTest.dump(kv.tablet.store());
      kv.crash();
      parts.forEach(part -> kv.tablet.load(part.batch().header(), part.batch().sections()));
      kv.tablet.advance(offset);
      assertThat(ChangelogApplierTest.dump(kv.tablet.store())).isEqualTo(leader).hasSize(25);
      parts.forEach(Part::close);
    }
  }

  @Test
  void theLastBatchAccountsForSequencesOfRowsThatWentElsewhere() {
    try (ChangelogEncoder encoder = new ChangelogEncoder(kv.allocator, RAW);
        ChangelogPlan plan = kv.evaluate(FULL, List.of(put(1, "a", null, 1)))) {
      List<Part> parts = encoder.encode(plan, new BatchWriter(7, 2, 100, 30));
      assertThat(parts.get(0).batch().header().baseSequence()).isEqualTo(100);
      assertThat(parts.get(0).batch().header().sequenceCount()).isEqualTo(30);
      parts.forEach(Part::close);
    }
  }

  @Test
  void oneRowMayBeLargerThanABatch() {
    String large = "x".repeat(5_000_000);
    kv.put(put(1, large, null, 1));
    try (ChangelogEncoder encoder = new ChangelogEncoder(kv.allocator, RAW);
        ChangelogPlan plan =
            kv.evaluate(FULL, List.of(put(0, "s", null, 0), put(1, large, null, 2)))) {
      List<Part> parts = encoder.encode(plan, BatchWriter.NONE);
      assertThat(parts).hasSize(2);
      assertThat(parts.get(1).batch().wireBytes())
          .isBetween(BatchLimits.MAX_BATCH_BYTES, BatchLimits.MAX_SINGLE_ROW_BYTES);
      assertThat(parts.get(1).endRecord()).isEqualTo(3);
      parts.forEach(Part::close);
    }
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

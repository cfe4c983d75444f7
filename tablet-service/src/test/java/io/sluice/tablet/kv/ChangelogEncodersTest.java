package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.StatisticsColumns;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChangelogEncodersTest {
  private static final ChangelogFormat DEFAULT = ChangelogFormat.ofTable(Map.of());
  private static final String TEXT = "x".repeat(100_000);

  @TempDir private Path temp;
  private final BufferAllocator allocator = new RootAllocator();
  private final ChangelogEncoders encoders = new ChangelogEncoders(allocator, 2);
  private KvFixture kv;

  @BeforeEach
  void open() {
    kv = new KvFixture(temp.resolve("kv"));
  }

  @AfterEach
  void close() {
    kv.close();
    encoders.close();
    allocator.close();
  }

  /** What a put of this text leaves behind in memory. */
  private long kept(ChangelogFormat format, String text) {
    try (ChangelogPlan plan =
            kv.evaluate(PutShape.full(KvFixture.SCHEMA), List.of(put(1, text, null, 1)));
        EncodedBatch batch = encoders.encode(format, plan, BatchWriter.NONE)) {
      assertThat(batch.header().recordCount()).isEqualTo(1);
    }
    return allocator.getAllocatedMemory();
  }

  @Test
  void allBucketsShareTheSameMemory() {
    long one = kept(DEFAULT, TEXT);
    assertThat(one).isPositive();
    for (int bucket = 0; bucket < 100; bucket++) {
      assertThat(kept(DEFAULT, TEXT)).isEqualTo(one);
    }
  }

  @Test
  void onlySomeFormatsAreKept() {
    long one = kept(DEFAULT, TEXT);
    for (int level = 1; level < 10; level++) {
      CompressionSettings settings = new CompressionSettings(BatchCodec.ZSTD, level);
      assertThat(kept(new ChangelogFormat(settings, StatisticsColumns.UNSET), TEXT))
          .isLessThanOrEqualTo(2 * one);
    }
  }

  @Test
  void memoryOfALargeChangelogIsGivenBack() {
    assertThat(kept(DEFAULT, "x".repeat(5_000_000))).isZero();
    assertThat(kept(DEFAULT, TEXT)).isPositive();
  }
}

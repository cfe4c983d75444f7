package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AccumulatorTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());

  private static final SluiceException LOST = new SluiceException(ErrorCode.UNAVAILABLE, "Lost");

  /** So many batches on their way that rows collect. */
  private static final int MANY = 8;

  private static final Duration LINGER = Duration.ofMillis(20);

  private final MovedClock time = new MovedClock(1_000);
  private final ClientConfig config = ClientConfig.of("localhost:1").withLinger(LINGER);
  private final RootAllocator allocator = new RootAllocator();
  private final RowBufferPool pool = new RowBufferPool(allocator, SCHEMA, config.batchBytes());
  private final MemoryBudget budget = new MemoryBudget(1 << 20, "The buffer", time);
  private final Accumulator accumulator =
      new Accumulator(config, pool, budget, new Outstanding(), RowLimit.none(), time);
  private final WriterPartition table =
      new WriterPartition(TablePath.parse("demo.t"), "", TableBucket.of(1, 0), 2, Map.of(), 0);

  @AfterEach
  void close() {
    accumulator.close();
    allocator.close();
  }

  /** Returns whether the delivery loop is to be woken. */
  private boolean append(int bucket) {
    accumulator.enter();
    try {
      RowBatch batch = accumulator.batch(table.bucket(bucket));
      batch.rows().writers().write(Row.of(1L));
      return accumulator.rowAdded(batch, false);
    } finally {
      accumulator.exit();
    }
  }

  /** What the delivery loop gets with so many batches on their way: the bucket, or -1. */
  private int polled(int unanswered) {
    return polled(unanswered, false);
  }

  private int polled(int unanswered, boolean anySilent) {
    SealedBatch sealed = accumulator.poll(time.nanoTime(), unanswered, anySilent);
    if (sealed == null) {
      return -1;
    }
    if (sealed.rows() != null) {
      sealed.rows().close();
    }
    return sealed.bucket().number();
  }

  @Test
  void aRowOfASlowSourceGoesAtOnce() {
    append(0);
    assertThat(polled(0)).isZero();
    assertThat(polled(1)).isEqualTo(-1);
  }

  @Test
  void rowsThatComeHardUponABatchOnItsWayShareTheNextOne() {
    append(0);
    assertThat(polled(0)).isZero();
    append(0);
    assertThat(polled(1)).isEqualTo(-1);
    assertThat(accumulator.nextDueIn(time.nanoTime())).isEqualTo(AppendPace.DISTANCE_NANOS);
    time.advanceMs(1);
    assertThat(polled(1)).isZero();
  }

  @Test
  void aRowGoesAtOnceWhenTheBatchBeforeItIsAnswered() {
    append(0);
    assertThat(polled(0)).isZero();
    append(0);
    assertThat(polled(0)).isZero();
  }

  @Test
  void aRowWakesALoopOnlyWhenThatWouldLookTooLate() {
    assertThat(append(0)).as("before the loop waits").isTrue();
    assertThat(polled(0)).isZero();

    assertThat(polled(1)).isEqualTo(-1);
    long due = accumulator.nextDueIn(time.nanoTime());
    assertThat(due).as("for rows that may come").isEqualTo(AppendPace.DISTANCE_NANOS);
    accumulator.loopWaits(time.nanoTime(), due);
    assertThat(append(0)).as("the loop looks in time").isFalse();
    accumulator.loopLooks();
    time.advanceMs(1);
    assertThat(polled(1)).isZero();

    accumulator.loopWaits(time.nanoTime(), Duration.ofSeconds(1).toNanos());
    assertThat(append(0)).as("the loop sleeps").isTrue();
  }

  @Test
  void aBatchWithoutRowsDoesNotKeepOthersFromWakingALoopThatSleeps() {
    accumulator.enter();
    accumulator.batch(table.bucket(1));
    accumulator.exit();
    accumulator.loopWaits(time.nanoTime(), Duration.ofSeconds(1).toNanos());
    assertThat(append(0)).isTrue();
  }

  @Test
  void aBatchWithoutRowsDoesNotKeepTheNextOneAtADistance() {
    accumulator.enter();
    accumulator.batch(table.bucket(1));
    accumulator.exit();
    assertThat(polled(0)).isEqualTo(-1);
    append(0);
    assertThat(polled(1)).isZero();
  }

  @Test
  void rowsCollectWhileEnoughIsUnansweredButNotLongerThanTheLinger() {
    append(0);
    assertThat(polled(AppendPace.UNANSWERED_WHEN_SLOW)).isEqualTo(-1);
    time.advanceMs(LINGER.toMillis());
    assertThat(polled(AppendPace.UNANSWERED_WHEN_SLOW)).isZero();
  }

  @Test
  void aBucketThatAwaitsAnAnswerCollectsWhatComesUntilThen() {
    append(0);
    PendingBatch sent = send();
    append(0);
    append(1);
    // Its leader may be away: then nothing counts as unanswered, and rows must not go one by one.
    assertThat(polled(0)).isEqualTo(1);
    assertThat(polled(0)).isEqualTo(-1);
    sent.failed(LOST);
    table.bucket(0).queue().dropFinal();
    assertThat(polled(0)).isZero();
  }

  @Test
  void whatASilentLeaderHasDoesNotHoldBackBucketsThatAwaitNoAnswer() {
    append(0);
    PendingBatch sent = send();
    append(0);
    append(1);
    assertThat(polled(MANY, true)).as("before it has lingered").isEqualTo(-1);
    time.advanceMs(LINGER.toMillis());
    assertThat(polled(MANY)).as("a server that only falls behind").isEqualTo(-1);
    assertThat(polled(MANY, true)).isEqualTo(1);
    assertThat(polled(MANY, true)).isEqualTo(-1);
    sent.failed(LOST);
  }

  @Test
  void rowsWithoutABucketKeyLeaveABucketThatAwaitsTheAnswerOfASilentLeader() {
    append(0);
    PendingBatch sent = send();
    append(1);
    assertThat(polled(0)).isEqualTo(1);
    assertThat(table.sticky()).isEqualTo(table.bucket(0));
    append(0);
    assertThat(polled(MANY, true)).isEqualTo(-1);
    assertThat(table.sticky()).as("before they have lingered").isEqualTo(table.bucket(0));
    time.advanceMs(LINGER.toMillis());
    assertThat(polled(MANY, true)).isEqualTo(-1);
    assertThat(table.sticky()).isEqualTo(table.bucket(1));
    append(1);
    time.advanceMs(LINGER.toMillis());
    assertThat(polled(MANY, true)).isEqualTo(1);
    assertThat(table.sticky()).as("past the one that waits").isEqualTo(table.bucket(1));
    sent.failed(LOST);
  }

  /** Puts the open batch into its bucket's queue, as the delivery loop does. */
  private PendingBatch send() {
    SealedBatch sealed = accumulator.poll(time.nanoTime(), 0, false);
    assertThat(sealed).isNotNull();
    try (RowBuffer rows = sealed.rows();
        BatchCutter cutter =
            new BatchCutter(
                new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE)),
                allocator,
                SCHEMA)) {
      BatchCutter.Cut cut = cutter.cut(rows.finish(), sealed.changes()).get(0);
      WriterIdentity writer = new WriterIdentity(1, 0, false);
      PendingBatch batch =
          new PendingBatch(sealed, cut, cut.batch(), writer, 0, cut.rows(), new NothingToTell());
      sealed.bucket().queue().add(batch);
      return batch;
    }
  }

  private static final class NothingToTell implements PendingBatch.Completion {
    @Override
    public void partStored() {}

    @Override
    public void partDone(@Nullable SluiceException failure, long wireBytes) {}

    @Override
    public void partReplaced(int parts, long wireBytesBefore, long wireBytes) {}
  }

  @Test
  void aFullBufferOfOpenBatchesIsSealedWhenNothingElseMakesRoom() {
    append(0);
    accumulator.requestRoom();
    assertThat(polled(AppendPace.UNANSWERED_WHEN_SLOW)).isZero();
  }
}

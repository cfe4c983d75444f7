package io.sluice.tablet.replication.stream;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.ReplicationSink;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A follower in memory. */
final class FakeSink implements ReplicationSink {
  final FakeLog log;
  final List<Received> received = new CopyOnWriteArrayList<>();
  final List<ErrorCode> failed = new CopyOnWriteArrayList<>();
  private final TableBucket bucket;
  private final Executor shard;
  volatile int epoch = 1;
  volatile int lastEpoch;
  volatile boolean follows = true;
  volatile boolean ready = true;
  volatile long committed = -1;
  volatile @Nullable SluiceException failure;

  FakeSink(TableBucket bucket, FakeLog log, Executor shard) {
    this.bucket = bucket;
    this.log = log;
    this.shard = shard;
  }

  @Override
  public TableBucket bucket() {
    return bucket;
  }

  @Override
  public @Nullable FetchPosition position() {
    return follows ? new FetchPosition(epoch, log.end(), lastEpoch) : null;
  }

  @Override
  public boolean ready() {
    return ready;
  }

  @Override
  public void received(Received answer, Consumer<Outcome> then) {
    shard.execute(() -> then.accept(take(answer)));
  }

  private Outcome take(Received answer) {
    received.add(answer);
    if (!follows || answer.leaderEpoch() != epoch) {
      return new Outcome(null, null);
    }
    SluiceException failing = failure;
    if (failing != null) {
      failed.add(failing.code());
      return new Outcome(null, failing);
    }
    EpochHistory.End end = answer.diverges();
    if (end != null) {
      log.cut(end.endOffset());
      lastEpoch = end.epoch();
    } else if (answer.beginning() != null) {
      log.startAnew(answer.beginning().offset());
      lastEpoch = 0;
    } else if (answer.batches().hasRemaining()) {
      if (!log.store(answer.batches())) {
        return new Outcome(
            null, new SluiceException(ErrorCode.CORRUPT_BATCH, "not at " + log.end()));
      }
      lastEpoch = answer.leaderEpoch();
    }
    committed = Math.min(answer.committed(), log.end());
    return new Outcome(position(), null);
  }
}

package io.sluice.tablet.replication.stream;

import io.sluice.common.TableBucket;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.ReplicationSource;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A leader in memory: all is committed that one follower has. */
final class FakeSource implements ReplicationSource {
  /** A position as it was fetched. */
  record Fetch(FollowerLink link, FetchPosition position, boolean ready) {}

  final FakeLog log;
  final List<Fetch> fetches = new CopyOnWriteArrayList<>();
  final List<FollowerLink> left = new CopyOnWriteArrayList<>();
  final List<Integer> reads = new CopyOnWriteArrayList<>();
  private final TableBucket bucket;
  private final Executor shard;
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();
  volatile int epoch = 1;
  volatile boolean leads = true;
  volatile EpochHistory epochs = new EpochHistory(List.of(new EpochHistory.Start(1, 0)));
  private volatile long committed;
  private volatile @Nullable Error readFailure;

  FakeSource(TableBucket bucket, FakeLog log, Executor shard) {
    this.bucket = bucket;
    this.log = log;
    this.shard = shard;
  }

  @Override
  public TableBucket bucket() {
    return bucket;
  }

  void append(int records) {
    shard.execute(
        () -> {
          for (int i = 0; i < records; i++) {
            log.append(bucket.bucket() * 1_000_000L + log.end());
          }
          tell();
        });
  }

  /** Reads fail with it, null for no more. */
  void failReads(@Nullable Error failure) {
    readFailure = failure;
  }

  void tell() {
    listeners.forEach(Runnable::run);
  }

  @Override
  public void fetched(
      FollowerLink link, FetchPosition position, boolean ready, Consumer<Answer> then) {
    shard.execute(
        () -> {
          fetches.add(new Fetch(link, position, ready));
          FetchDecision decision =
              FetchDecision.of(epoch, epochs, log.start(), log.end(), position);
          boolean advanced =
              decision instanceof FetchDecision.Agrees && position.offset() > committed;
          if (advanced) {
            committed = position.offset();
          }
          then.accept(new Answer(decision, null));
          if (advanced) {
            tell();
          }
        });
  }

  @Override
  public void left(FollowerLink link) {
    left.add(link);
  }

  @Override
  public @Nullable State state() {
    return leads ? new State(epoch, committed, log.start(), log.end()) : null;
  }

  @Override
  public ByteBuffer read(long offset, int maxBytes, IntFunction<ByteBuffer> memory) {
    Error failure = readFailure;
    if (failure != null) {
      throw failure;
    }
    int there = log.bytesFrom(offset);
    int wanted =
        Math.max(log.batchBytes(), Math.min(there, maxBytes) / log.batchBytes() * log.batchBytes());
    if (there == 0) {
      return ByteBuffer.allocate(0);
    }
    ByteBuffer target = memory.apply(wanted);
    log.write(offset, target);
    reads.add(target.remaining());
    return target;
  }

  @Override
  public Beginning beginning() {
    return new Beginning(log.start(), ByteBuffer.wrap(new byte[] {1, 2, 3}), 77, epochs.starts());
  }

  @Override
  public void addReplicationListener(Runnable listener) {
    listeners.add(listener);
  }

  @Override
  public void removeReplicationListener(Runnable listener) {
    listeners.remove(listener);
  }

  int listeners() {
    return listeners.size();
  }
}

package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Grants ids from 1 on, at once or when a test says so. */
final class FakeIdGrants implements IdGrants {
  /** What was asked for and not answered yet. */
  private record Asked(long count, CompletableFuture<IdRange> answer) {}

  private final List<Asked> held = new ArrayList<>();
  private final List<Long> counts = new ArrayList<>();
  private long next = 1;
  private boolean holding;
  private @Nullable SluiceException failure;
  private long maxWaitMs = 10_000;

  @Override
  public synchronized CompletableFuture<IdRange> grant(
      TableBucket bucket, int leaderEpoch, long count) {
    counts.add(count);
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    CompletableFuture<IdRange> answer = new CompletableFuture<>();
    held.add(new Asked(count, answer));
    if (!holding) {
      release();
    }
    return answer;
  }

  /** Answers nothing from now on. */
  synchronized void hold() {
    holding = true;
  }

  /** Answers all that was asked for, and whatever comes. */
  synchronized void release() {
    holding = false;
    for (Asked asked : held) {
      asked.answer().complete(new IdRange(next, asked.count()));
      next += asked.count();
    }
    held.clear();
  }

  /** Fails with this until it is null again. */
  synchronized void fail(@Nullable SluiceException why) {
    failure = why;
  }

  synchronized void maxWaitMs(long millis) {
    maxWaitMs = millis;
  }

  @Override
  public synchronized long maxWaitMs() {
    return maxWaitMs;
  }

  /** How many ids were asked for each time. */
  synchronized List<Long> counts() {
    return List.copyOf(counts);
  }
}

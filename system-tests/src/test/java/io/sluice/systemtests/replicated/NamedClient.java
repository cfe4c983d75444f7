package io.sluice.systemtests.replicated;

import io.sluice.client.AppendResult;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.SluiceException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A source whose rows go to a table under a writer's name. Now and then it starts again, in order
 * or in the middle of its work: then the new writer fences the old one, goes on behind what is
 * known to be stored, and repeats some of it.
 */
abstract class NamedClient extends Client {
  private static final int UNDER_WAY = 1500;
  private static final int REPEATED = 400;
  private static final Duration RETRY = Duration.ofMillis(200);

  private final SourceHistory source;
  private final SplittableRandom random;
  private final Pace pace;
  private final Progress progress;

  NamedClient(
      String name,
      History history,
      ClientConfig config,
      SourceHistory source,
      SplittableRandom random,
      int rowsPerSecond) {
    super(name, history, config);
    this.source = source;
    this.random = random;
    this.pace = new Pace(rowsPerSecond);
    this.progress = new Progress(history, name);
  }

  /** One life of the source's writer. */
  interface Writer extends AutoCloseable {
    CompletableFuture<AppendResult> send(long sequence);

    long committedSequence();

    void flush();

    @Override
    void close();
  }

  abstract Writer open(Connection connection);

  abstract void ask(long sequence);

  abstract void acknowledge(long sequence, AppendResult result);

  abstract void acknowledgeUpTo(long end);

  /**
   * What a new writer is told to be stored is at least what was acknowledged before it was opened,
   * where the server can know that exactly.
   */
  abstract void checkCommitted(long committed, long acknowledgedBefore);

  @Override
  final void work() throws InterruptedException {
    Life before = null;
    while (true) {
      Life life;
      // Of the rows that the writer before has on their way some may still be stored.
      long acknowledged = source.firstUnacknowledged();
      try {
        life = new Life(connect(), acknowledged);
      } catch (SluiceException notNow) {
        failed(notNow);
        pause(RETRY);
        continue;
      }
      // Only now: a writer that was left alone is fenced and knows of the rest that it failed.
      if (before != null) {
        closeQuietly(before);
      }
      before = life;
      boolean done = life.run();
      if (done) {
        closeQuietly(life);
        return;
      }
    }
  }

  /** What one writer does. */
  private final class Life implements AutoCloseable {
    private final Connection connection;
    private final long acknowledgedBefore;
    private final Writer writer;
    private final Semaphore room = new Semaphore(UNDER_WAY);
    private final long rows = random.nextInt(2_000, 12_000);
    private volatile @Nullable Throwable failure;

    Life(Connection connection, long acknowledgedBefore) {
      this.connection = connection;
      this.acknowledgedBefore = acknowledgedBefore;
      Writer opened;
      try {
        opened = open(connection);
      } catch (SluiceException e) {
        closeQuietly(connection);
        throw e;
      }
      writer = opened;
    }

    /** Returns whether everything that was ever asked for is stored and nothing more is wanted. */
    boolean run() throws InterruptedException {
      try {
        long next = begin();
        for (long sent = 0; failure == null && sent < rows; sent++) {
          if (finishing() && next >= source.end()) {
            break;
          }
          send(next++);
        }
        if (failure != null) {
          return false;
        }
        // Half of the writers that have done enough are left in the middle of their work.
        if (finishing() || random.nextBoolean()) {
          writer.flush();
        }
        return finishing() && source.firstUnacknowledged() >= source.end();
      } catch (SluiceException e) {
        failed(e);
        pause(RETRY);
        return false;
      }
    }

    private long begin() {
      long committed = writer.committedSequence() + 1;
      if (committed > source.end()) {
        history()
            .violations()
            .add(
                "no-dup",
                "%s is told that rows up to %d are stored; it has sent %d"
                    .formatted(name(), committed, source.end()));
      }
      checkCommitted(committed, acknowledgedBefore);
      acknowledgeUpTo(committed);
      return Math.max(0, committed - random.nextInt(REPEATED));
    }

    private void send(long sequence) throws InterruptedException {
      pace.await();
      while (!room.tryAcquire(1, TimeUnit.SECONDS)) {
        if (failure != null) {
          return;
        }
      }
      ask(sequence);
      progress.asked();
      CompletableFuture<AppendResult> sent;
      try {
        sent = writer.send(sequence);
      } catch (SluiceException e) {
        sent = CompletableFuture.failedFuture(e);
      }
      var unused = sent.whenComplete((result, why) -> learn(sequence, result, why));
    }

    private void learn(long sequence, AppendResult result, @Nullable Throwable why) {
      if (why == null) {
        progress.acknowledged();
        acknowledge(sequence, result);
        history().operation();
      } else {
        progress.failed();
        if (failure == null) {
          failed(why);
          failure = why;
        }
      }
      room.release();
    }

    @Override
    public void close() {
      closeQuietly(writer);
      closeQuietly(connection);
    }
  }
}

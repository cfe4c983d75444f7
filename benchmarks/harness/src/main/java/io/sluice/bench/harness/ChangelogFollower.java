package io.sluice.bench.harness;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A consumer of a changelog on a thread of its own, which owns the reader. */
final class ChangelogFollower implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long GRACE_SECONDS = 60;
  private static final long LOOK_MS = 5;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Future<?> reading;
  private volatile long rows;
  private volatile boolean stopped;

  private ChangelogFollower(RowReader reader) {
    this.reading = thread.submit(() -> follow(reader));
  }

  /** Starts to read. */
  static ChangelogFollower start(RowReader reader) {
    return new ChangelogFollower(reader);
  }

  private Void follow(RowReader reader) throws Exception {
    try (reader) {
      ReadSum sum = ReadSum.plain();
      long read = 0;
      while (!stopped) {
        read += reader.poll(POLL, sum);
        rows = read;
      }
    }
    return null;
  }

  /** Rows read so far. */
  long rows() {
    return rows;
  }

  /** Waits until it has read so many rows, and no more. */
  void awaitRows(long expected) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
    while (rows < expected && !reading.isDone() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
    if (reading.isDone()) {
      reading.get();
    }
    if (rows != expected) {
      throw new IllegalStateException(
          "The consumer has read " + rows + " rows of the changelog, which has " + expected);
    }
  }

  @Override
  public void close() throws Exception {
    stopped = true;
    thread.shutdown();
    reading.get(GRACE_SECONDS, TimeUnit.SECONDS);
  }
}

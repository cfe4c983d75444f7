package io.sluice.client.internal;

import io.sluice.client.ClientConfig;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.Duration;

/** What every kind of writer does with its accumulator and delivery loop. Thread-safe. */
final class WriterCore {
  private static final Duration CLOSE_SLACK = Duration.ofSeconds(10);

  private final ClientCore core;
  private final ClientConfig config;
  private final TableDescription table;
  private final WriterParts parts;

  // Guarded by this.
  private boolean closed;

  WriterCore(ClientCore core, ClientConfig config, TableDescription table, WriterParts parts) {
    this.core = core;
    this.config = config;
    this.table = table;
    this.parts = parts;
  }

  ClientConfig config() {
    return config;
  }

  TableDescription table() {
    return table;
  }

  WriterParts parts() {
    return parts;
  }

  Accumulator accumulator() {
    return parts.accumulator();
  }

  /** Makes the delivery loop look for work. */
  void wake() {
    parts.loop().wake();
  }

  /** Sends everything and waits for its outcome; throws the first failure since the last flush. */
  void flush() {
    parts.accumulator().sealAll();
    wake();
    Duration limit = config.deliveryTimeout().plus(CLOSE_SLACK);
    Waits.await(
        parts.outstanding().allDone(), limit.toNanos(), "Flushing the writer of " + table.path());
    SluiceException failure = parts.outstanding().takeFailure();
    if (failure != null) {
      throw Waits.rethrown(failure);
    }
  }

  /**
   * Flushes, then ends the loop and frees the memory. Twice is harmless.
   *
   * @param writer the writer whose core this is
   * @param release frees what the writer itself holds
   */
  void close(AutoCloseable writer, Runnable release) {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    core.forget(writer);
    try {
      flush();
    } finally {
      // Also on a thread that is interrupted, whose flush fails at once.
      parts
          .accumulator()
          .refuseAll(
              new SluiceException(
                  ErrorCode.CANCELLED, "The writer of " + table.path() + " is closed"));
      parts.loop().stop(CLOSE_SLACK.toNanos());
      parts.accumulator().close();
      release.run();
    }
  }
}

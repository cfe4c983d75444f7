package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.duck.Cancellation;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs each statement on a thread of its own that has a deep stack. The engine is native code and
 * walks expressions and plans by recursion: what it accepts (an expression of depth 1,000) does not
 * fit into the megabyte that a thread of the HTTP server has, and a native stack that overflows
 * ends the whole process. The memory is only reserved; what is not used costs nothing.
 */
final class DeepStack {
  static final long STACK_BYTES = 512L * 1024 * 1024;

  /** How often it is asked whether somebody still waits; a lost interrupt is given again then. */
  private static final long LOOK_EVERY_MS = 250;

  private static final AtomicLong SEQUENCE = new AtomicLong();

  private DeepStack() {}

  /**
   * Runs it and gives its result or its failure; an interrupt cancels it and is kept.
   *
   * @param abandoned whether nobody waits for the result any more, which cancels it too; asked by
   *     the calling thread
   */
  static <T> T call(Supplier<T> statement, Cancellation cancellation, BooleanSupplier abandoned) {
    FutureTask<T> task = new FutureTask<>(statement::get);
    String name = "sql-statement-" + SEQUENCE.incrementAndGet();
    Thread thread = new Thread(null, task, name, STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException stillRunning) {
          if (abandoned.getAsBoolean()) {
            cancellation.cancel(ErrorCode.CANCELLED, "The client of the statement went away");
          }
        } catch (InterruptedException e) {
          interrupted = true;
          cancellation.cancel(ErrorCode.CANCELLED, "The statement was cancelled");
        }
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException failure(@Nullable Throwable cause) {
    if (cause instanceof StackOverflowError) {
      return new SluiceException(
          ErrorCode.INVALID_SQL, "The statement is nested too deep to be read", cause);
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException known
        ? known
        : new SluiceException(ErrorCode.INTERNAL, "A statement failed", cause);
  }
}

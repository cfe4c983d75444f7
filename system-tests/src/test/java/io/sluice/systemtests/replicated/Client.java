package io.sluice.systemtests.replicated;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One client at work on a thread of its own, with a connection of its own, until it is told to
 * finish. What fails it notes and goes on; only what its history does not allow is a violation.
 */
abstract class Client implements AutoCloseable {
  private static final Duration JOIN = Duration.ofMinutes(3);
  private static final int LONGEST_DESCRIPTION = 400;

  /** What operations may fail with when a fault lasts longer than a client has patience. */
  private static final Set<ErrorCode> EXPECTED =
      Set.of(
          ErrorCode.TIMEOUT,
          ErrorCode.UNAVAILABLE,
          ErrorCode.NOT_LEADER,
          ErrorCode.LEADER_NOT_READY,
          ErrorCode.NOT_ENOUGH_REPLICAS,
          ErrorCode.FENCED_WRITER,
          ErrorCode.CANCELLED,
          ErrorCode.DISK_FULL,
          ErrorCode.REPLICA_OFFLINE);

  private final String name;
  private final History history;
  private final ClientConfig config;
  private final Thread thread;
  private volatile boolean finishing;

  Client(String name, History history, ClientConfig config) {
    this.name = name;
    this.history = history;
    this.config = config;
    this.thread = new Thread(this::live, name);
    thread.setDaemon(true);
  }

  final String name() {
    return name;
  }

  final History history() {
    return history;
  }

  final void start() {
    thread.start();
  }

  /** Does no more than what is needed for all that was asked for to have its outcome. */
  final void finish() {
    finishing = true;
  }

  /** Whether {@link #finish} was called. */
  final boolean finishing() {
    return finishing;
  }

  /** Returns when the client has finished. */
  @Override
  public final void close() {
    finish();
    try {
      thread.join(JOIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      StringBuilder stack = new StringBuilder();
      for (StackTraceElement each : thread.getStackTrace()) {
        stack.append("\n    at ").append(each);
      }
      history.violations().add("progress", name + " has not finished within " + JOIN + stack);
    }
  }

  private void live() {
    try {
      work();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      history.violations().add("client", name + " ended with " + describe(e));
    }
  }

  /** Works until {@link #finishing}, then sees to it that everything has its outcome. */
  abstract void work() throws InterruptedException;

  final Connection connect() {
    return Connection.open(config);
  }

  /** Notes a failure; one that no fault explains is a violation. */
  final void failed(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof SluiceException known && EXPECTED.contains(known.code())) {
      history.failure(known.code().name());
    } else {
      history.violations().add("client", name + " failed with " + describe(cause));
    }
  }

  /** Closes what may no longer know of everything that it sent. */
  final void closeQuietly(@Nullable AutoCloseable closed) {
    try {
      if (closed != null) {
        closed.close();
      }
    } catch (Exception failure) {
      failed(failure);
    }
  }

  /** Waits a little, for a load that leaves the machine some air. */
  static void pause(Duration duration) {
    LockSupport.parkNanos(duration.toNanos());
  }

  private static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder().append(failure);
    for (Throwable cause = failure.getCause();
        cause != null && text.length() < LONGEST_DESCRIPTION;
        cause = cause.getCause()) {
      text.append(" <- ").append(cause);
    }
    return text.toString();
  }
}

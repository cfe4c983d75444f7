package io.sluice.tablet.flight;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what happens to one call in the order in which it happens. What may block runs on an
 * executor; the rest where it arrives, on the transport's thread, unless something before it is not
 * done yet. A call whose messages need no other thread so costs no hand-over for each of them.
 */
final class CallEvents {
  private final Executor threads;
  private final Consumer<Throwable> failed;
  // Guarded by this.
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private boolean busy;

  /**
   * @param threads for what may block
   * @param failed ends the call when something fails there, or cannot run there
   */
  CallEvents(Executor threads, Consumer<Throwable> failed) {
    this.threads = threads;
    this.failed = failed;
  }

  /** Of one thread at a time: the transport's. */
  void run(boolean mayBlock, Runnable event) {
    synchronized (this) {
      if (mayBlock || busy) {
        waiting.add(event);
        if (busy) {
          return;
        }
        busy = true;
      }
    }
    if (!mayBlock) {
      event.run();
      return;
    }
    try {
      threads.execute(this::drain);
    } catch (RejectedExecutionException stopping) {
      failed.accept(PutHandler.stopping());
      drain();
    } catch (OutOfMemoryError noThread) {
      failed.accept(noThread);
      drain();
    }
  }

  private void drain() {
    for (Runnable event = next(); event != null; event = next()) {
      try {
        event.run();
      } catch (RuntimeException | Error e) {
        failed.accept(e);
      }
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable event = waiting.poll();
    busy = event != null;
    return event;
  }
}

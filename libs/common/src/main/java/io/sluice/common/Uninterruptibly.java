package io.sluice.common;

/** Waits that an interruption does not cut short: it counts afterwards. */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /** A wait that can be begun again. */
  @FunctionalInterface
  public interface Wait {
    void run() throws InterruptedException;
  }

  /**
   * Waits, again from the start whenever the thread is interrupted meanwhile or was so before; then
   * the thread is interrupted when it returns.
   */
  public static void run(Wait wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          wait.run();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

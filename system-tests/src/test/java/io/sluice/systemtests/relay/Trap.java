package io.sluice.systemtests.relay;

import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A hook that acts on the first message of a kind and lets all others pass. */
public final class Trap implements Hook {
  private final Predicate<Relayed> wanted;
  private final Hook action;
  private final AtomicBoolean sprung = new AtomicBoolean();
  private final CompletableFuture<Relayed> done = new CompletableFuture<>();

  private Trap(Predicate<Relayed> wanted, Hook action) {
    this.wanted = wanted;
    this.action = action;
  }

  /**
   * @param action runs while the message is held; its verdict decides what becomes of the message
   */
  public static Trap of(Predicate<Relayed> wanted, Hook action) {
    return new Trap(wanted, action);
  }

  /** Lets the first message of a kind disappear. */
  public static Trap losing(Predicate<Relayed> wanted) {
    return new Trap(wanted, message -> Verdict.LOSE);
  }

  @Override
  public Verdict see(Relayed message) throws Exception {
    if (!wanted.test(message) || !sprung.compareAndSet(false, true)) {
      return Verdict.PASS;
    }
    try {
      Verdict verdict = action.see(message);
      done.complete(message);
      return verdict;
    } catch (Exception | Error e) {
      done.completeExceptionally(e);
      throw e;
    }
  }

  /** Waits until the action has run; returns the message that it ran on. */
  public Relayed await(String what, Duration timeout) {
    Await.until(what, timeout, done::isDone);
    return done.join();
  }

  /** The message that the action ran on, null before. */
  public @Nullable Relayed caught() {
    return done.isDone() ? done.join() : null;
  }
}

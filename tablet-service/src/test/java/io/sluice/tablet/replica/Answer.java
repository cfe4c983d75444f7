package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The answer to one put, waited for. */
final class Answer implements AppendCallback {
  private final CompletableFuture<Stored> stored = new CompletableFuture<>();

  record Stored(long baseOffset, boolean duplicate, int leaderEpoch) {}

  @Override
  public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
    if (!stored.complete(new Stored(baseOffset, duplicate, leaderEpoch))) {
      throw new AssertionError("A put was answered twice");
    }
  }

  @Override
  public void refused(SluiceException why) {
    if (!stored.completeExceptionally(why)) {
      throw new AssertionError("A put was answered twice", why);
    }
  }

  Stored get() throws Exception {
    return stored.get(30, TimeUnit.SECONDS);
  }

  boolean done() {
    return stored.isDone();
  }

  SluiceException failure() throws Exception {
    try {
      throw new AssertionError("Stored: " + get());
    } catch (ExecutionException e) {
      return (SluiceException) e.getCause();
    }
  }

  ErrorCode refusal() throws Exception {
    return failure().code();
  }
}

package io.sluice.tablet.replica;

import io.sluice.common.Agent;
import io.sluice.common.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Has the rows removed that have outlived {@code table.kv.ttl}, in the buckets that this server
 * leads. A turn takes a bounded time, and the next one goes on behind it. Of one thread.
 */
final class ExpiryAgent implements Agent {
  private static final long TURN_NANOS = 50_000_000;

  private final TimeSource time;
  private final Supplier<Collection<LocalReplica>> replicas;
  private int next;

  ExpiryAgent(TimeSource time, Supplier<Collection<LocalReplica>> replicas) {
    this.time = time;
    this.replicas = replicas;
  }

  @Override
  public String name() {
    return "row expiry";
  }

  @Override
  public int doWork() {
    long start = time.nanoTime();
    long nowMs = time.epochMs();
    List<LocalReplica> all = new ArrayList<>(replicas.get());
    int found = 0;
    for (int i = 0; i < all.size() && time.nanoTime() - start < TURN_NANOS; i++) {
      found += all.get(Math.floorMod(next++, all.size())).sweepExpired(nowMs);
    }
    return found;
  }
}

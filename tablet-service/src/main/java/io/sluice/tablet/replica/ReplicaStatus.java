package io.sluice.tablet.replica;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a replica may be used and for what: its {@link Leadership}, and why it is offline when it
 * is, which it stays until the process ends. Thread-safe; {@link LocalReplica} changes it.
 */
final class ReplicaStatus {
  private final Refusals refusals;
  private final AtomicReference<Leadership> leadership = new AtomicReference<>(Leadership.NONE);
  private final AtomicReference<@Nullable String> offlineReason = new AtomicReference<>();

  ReplicaStatus(Refusals refusals) {
    this.refusals = refusals;
  }

  Leadership leadership() {
    return Objects.requireNonNull(leadership.get());
  }

  /** Takes over a role; the state stays, or is what {@link #becomes} made of it meanwhile. */
  void keepsStateIn(ReplicaRole role) {
    leadership.updateAndGet(now -> new Leadership(now.state(), role));
  }

  void becomes(Leadership newer) {
    leadership.set(newer);
  }

  /** Begins to lead, unless the role has changed since it was looked at. */
  boolean leads(Leadership seen) {
    return leadership.compareAndSet(seen, seen.in(Leadership.State.LEADING));
  }

  /** Has to prepare again before it leads on: its rows are being restored. */
  void leadsNoMore() {
    leadership.updateAndGet(
        now -> now.state() == Leadership.State.LEADING ? now.in(Leadership.State.PREPARING) : now);
  }

  /** The directory is about to be removed. */
  void retires() {
    leadership.updateAndGet(now -> now.in(Leadership.State.GONE));
  }

  boolean gone() {
    return leadership().state() == Leadership.State.GONE;
  }

  /** Ends all service; false when that was so already. */
  boolean goesOffline(String reason) {
    return offlineReason.compareAndSet(null, reason);
  }

  /** Why the replica serves nothing, null when it serves. */
  @Nullable String offlineReason() {
    return offlineReason.get();
  }

  /** The epoch this server leads in; throws what forbids that. */
  int requireLeader() {
    Leadership now = requireServing();
    return switch (now.state()) {
      case LEADING -> now.epoch();
      case PREPARING -> throw refusals.preparing(now);
      default -> throw refusals.notLeader(now);
    };
  }

  /** Throws what forbids every use now: offline, or removed. */
  Leadership requireServing() {
    String reason = offlineReason.get();
    if (reason != null) {
      throw refusals.offline(reason);
    }
    Leadership now = leadership();
    if (now.state() == Leadership.State.GONE) {
      throw refusals.removed();
    }
    return now;
  }
}

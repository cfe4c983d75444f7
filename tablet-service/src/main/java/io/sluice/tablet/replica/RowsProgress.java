package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Brings the rows of a primary-key bucket as far as its log, a bounded part in each turn of the
 * shard, so that its other buckets go on; with pauses while the store asks for them. Owned by the
 * shard's thread.
 */
final class RowsProgress {
  private static final long STALL_PAUSE_MS = 20;
  private static final long NO_SPACE_PAUSE_MS = 1_000;

  private final LocalReplica replica;
  private final ReplicaContext context;
  private final KvReplica kv;
  private boolean pausing;

  RowsProgress(LocalReplica replica, ReplicaContext context, KvReplica kv) {
    this.replica = replica;
    this.context = context;
    this.kv = kv;
  }

  /** Loads a part of the changelog for a leader; true when there is nothing more to load. */
  boolean load(long committed) {
    return turn(() -> kv.catchUp(committed, this::again));
  }

  /** Loads and applies a part of the changelog for a follower; see {@link KvReplica#standBy}. */
  void standBy(long committed, boolean told) {
    turn(() -> kv.standBy(committed, told, this::again));
  }

  /** One turn. */
  private interface Turn {
    KvReplica.Progress take();
  }

  private boolean turn(Turn turn) {
    try {
      switch (turn.take()) {
        case DONE -> {
          return true;
        }
        case MORE -> again();
        case STALLED -> pause(STALL_PAUSE_MS);
        case OPENING -> {
          // Goes on when it is open.
        }
      }
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.DISK_FULL) {
        // Perhaps nobody else has them: it goes on when there is room.
        context.disk().foundNoSpace();
        pause(NO_SPACE_PAUSE_MS);
      } else {
        replica.takeOffline("Cannot load the rows: " + e.getMessage());
      }
    } catch (RuntimeException | Error defect) {
      replica.takeOffline("The rows cannot be loaded in a way that is not understood: " + defect);
      throw defect;
    }
    return false;
  }

  private void again() {
    replica.onShard(replica::goOn);
  }

  /** Moves what is committed to the rows, as far as their store takes it now. */
  long apply(long committed) {
    try {
      kv.apply(committed);
    } catch (SluiceException e) {
      // What is committed must get there in the end: it was taken in.
      if (e.code() != ErrorCode.DISK_FULL) {
        replica.takeOffline("Cannot apply changes to the rows: " + e.getMessage());
        return replica.visible();
      }
      context.disk().foundNoSpace();
    }
    if (kv.isBehind(committed)) {
      pause(STALL_PAUSE_MS);
    }
    return kv.applied();
  }

  /** Whether what is committed and loaded waits for the store. */
  boolean isBehind(long committed) {
    return kv.isBehind(committed);
  }

  /** The store asked to wait: tries again what became of the role meanwhile. */
  private void pause(long millis) {
    if (!pausing) {
      pausing = true;
      context
          .kv()
          .after(
              millis,
              () ->
                  replica.onShard(
                      () -> {
                        pausing = false;
                        replica.goOn();
                      }));
    }
  }
}

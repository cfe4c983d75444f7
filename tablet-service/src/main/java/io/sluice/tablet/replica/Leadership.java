package io.sluice.tablet.replica;

import org.jspecify.annotations.Nullable;

/**
 * What a replica may do now. Transitions: FOLLOWER → PREPARING when the coordinator names this
 * server the leader; PREPARING → LEADING when the epoch is recorded and everything of earlier
 * epochs is committed; LEADING → PREPARING while damaged rows are being restored; any → FOLLOWER
 * when another server leads, → PREPARING under a newer epoch, → GONE when the replica is removed.
 *
 * @param state what it may do
 * @param role what the coordinator decided, null before it did
 */
record Leadership(State state, @Nullable ReplicaRole role) {
  static final Leadership NONE = new Leadership(State.FOLLOWER, null);

  enum State {
    FOLLOWER,
    PREPARING,
    LEADING,
    GONE
  }

  int epoch() {
    return role == null ? -1 : role.leaderEpoch();
  }

  int leaderServerId() {
    return role == null ? 0 : role.leaderServerId();
  }

  boolean leads(int epoch) {
    return state == State.LEADING && epoch() == epoch;
  }

  /** Whether it will lead in the epoch, or lead on. */
  boolean preparesIn(int epoch) {
    return state == State.PREPARING && epoch() == epoch;
  }

  Leadership in(State other) {
    return new Leadership(other, role);
  }
}

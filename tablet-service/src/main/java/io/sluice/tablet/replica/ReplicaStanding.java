package io.sluice.tablet.replica;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a replica stands among the others of its bucket.
 *
 * @param state what it may do
 * @param leaderServerId who leads as far as is known here, 0 when nobody
 * @param leaderEpoch epoch of that
 * @param replicas servers that keep a copy
 * @param isr servers whose copy has all that is committed
 * @param leading what the leader knows of its followers; null on followers and where there are none
 */
public record ReplicaStanding(
    State state,
    int leaderServerId,
    int leaderEpoch,
    List<Integer> replicas,
    List<Integer> isr,
    @Nullable LeaderView leading) {
  /** What a replica may do. */
  public enum State {
    /** Another server leads, or nobody. */
    FOLLOWER,
    /** Becomes the leader. */
    PREPARING,
    /** Leads. */
    LEADER
  }

  static ReplicaStanding of(LocalReplica replica) {
    LeaderView view = replica.leading().view();
    ReplicaRole role = replica.role();
    State state =
        switch (replica.state()) {
          case LEADING -> State.LEADER;
          case PREPARING -> State.PREPARING;
          case FOLLOWER, GONE -> State.FOLLOWER;
        };
    if (role == null) {
      return new ReplicaStanding(state, 0, 0, List.of(), List.of(), null);
    }
    return new ReplicaStanding(
        state,
        role.leaderServerId(),
        role.leaderEpoch(),
        view == null ? role.replicas() : view.replicas(),
        view == null ? role.isr() : view.isr(),
        view);
  }
}

package io.sluice.tablet.replica;

import java.util.List;

/**
 * What a leader knew of its followers a moment ago.
 *
 * @param epoch epoch that it leads in
 * @param replicas servers that keep a copy
 * @param isr servers whose copy has all that is committed
 * @param minInsync in-sync replicas without which nothing is committed
 * @param followers every other replica
 */
public record LeaderView(
    int epoch, List<Integer> replicas, List<Integer> isr, int minInsync, List<Follower> followers) {
  public LeaderView {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    followers = List.copyOf(followers);
  }

  /** Whether a replica is missing in the in-sync set. */
  public boolean underReplicated() {
    return !isr.containsAll(replicas);
  }

  /** Whether writes are refused because too few are in sync. */
  public boolean underMinIsr() {
    return isr.size() < minInsync;
  }

  /**
   * A follower.
   *
   * @param serverId where it is
   * @param inSync whether it is in the in-sync set
   * @param logEnd its log end, -1 when it has not fetched in this epoch
   * @param lag records that it does not have yet; all of them when it has not fetched
   */
  public record Follower(int serverId, boolean inSync, long logEnd, long lag) {}
}

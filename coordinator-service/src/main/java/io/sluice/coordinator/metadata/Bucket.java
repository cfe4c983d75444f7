package io.sluice.coordinator.metadata;

import java.util.ArrayList;
import java.util.List;

/**
 * Who holds and who leads one bucket.
 *
 * <p>While its replicas are being moved it has those of before and those to come: {@code target}
 * says which will stay, {@code adding} which of them were not there before. The move is over as
 * soon as everyone of the target is in sync.
 *
 * @param partitionId partition, 0 when the table is not partitioned
 * @param bucket number, from 0
 * @param replicas servers that hold it, the preferred leader first
 * @param leader server that leads it, {@link #NO_LEADER} when none does
 * @param leaderEpoch from 1, grows by one at each election, never goes down
 * @param isr in-sync replicas, never empty: they have every committed record
 * @param isrVersion grows by one at each change of {@code replicas}, {@code isr} or {@code target}
 * @param target replicas after the move, the preferred leader first; empty when there is no move
 * @param adding replicas that are there because of the move alone
 * @param stranded whether the only one in sync came back with an empty disk while other replicas
 *     may hold more: nobody leads until an explicit call says who shall
 */
public record Bucket(
    long partitionId,
    int bucket,
    List<Integer> replicas,
    int leader,
    int leaderEpoch,
    List<Integer> isr,
    int isrVersion,
    List<Integer> target,
    List<Integer> adding,
    boolean stranded) {
  /** Server ids start at 1. */
  public static final int NO_LEADER = 0;

  public Bucket {
    replicas = List.copyOf(replicas);
    isr = isr.equals(replicas) ? replicas : List.copyOf(isr);
    target = target.equals(replicas) ? replicas : List.copyOf(target);
    adding = adding.equals(target) ? target : List.copyOf(adding);
    if (isr.isEmpty() || !replicas.containsAll(isr)) {
      throw new IllegalArgumentException(
          "In-sync replicas " + isr + " must be some of the replicas " + replicas);
    }
    if (leader != NO_LEADER && !isr.contains(leader)) {
      throw new IllegalArgumentException("Leader " + leader + " is not in sync; those are " + isr);
    }
    if (stranded && leader != NO_LEADER) {
      throw new IllegalArgumentException("A stranded bucket is led by server " + leader);
    }
    if (!replicas.containsAll(target)
        || !target.containsAll(adding)
        || (!target.isEmpty() && adding.size() == replicas.size())) {
      throw new IllegalArgumentException(
          "Replicas " + replicas + " cannot become " + target + " by adding " + adding);
    }
  }

  /** One whose replicas are not being moved. */
  public Bucket(
      long partitionId,
      int bucket,
      List<Integer> replicas,
      int leader,
      int leaderEpoch,
      List<Integer> isr,
      int isrVersion) {
    this(partitionId, bucket, replicas, leader, leaderEpoch, isr, isrVersion, List.of(), List.of());
  }

  /** One that is not stranded. */
  public Bucket(
      long partitionId,
      int bucket,
      List<Integer> replicas,
      int leader,
      int leaderEpoch,
      List<Integer> isr,
      int isrVersion,
      List<Integer> target,
      List<Integer> adding) {
    this(
        partitionId, bucket, replicas, leader, leaderEpoch, isr, isrVersion, target, adding, false);
  }

  /** A new bucket, led by its first replica in epoch 1, all replicas in sync. */
  static Bucket created(long partitionId, int bucket, List<Integer> replicas) {
    return new Bucket(partitionId, bucket, replicas, replicas.get(0), 1, replicas, 0);
  }

  /** Whether some server leads it. */
  public boolean hasLeader() {
    return leader != NO_LEADER;
  }

  /** Whether its replicas are being moved. */
  public boolean moving() {
    return !target.isEmpty();
  }

  /** The replicas without those that are there because of a move: what a cancel goes back to. */
  public List<Integer> before() {
    return adding.isEmpty() ? replicas : without(replicas, adding);
  }

  /**
   * In-sync replicas without which nothing is committed: 1 for one replica, else 2; the smaller of
   * before and after while the number of replicas is being changed.
   */
  public int minInsync() {
    int now = minInsync(replicas.size() - adding.size());
    return moving() ? Math.min(now, minInsync(target.size())) : now;
  }

  private static int minInsync(int replicationFactor) {
    return Math.min(2, replicationFactor);
  }

  /** Whether fewer replicas are in sync than there shall be. */
  public boolean underReplicated() {
    return isr.size() < replicas.size() - adding.size();
  }

  Bucket elected(int newLeader) {
    return new Bucket(
        partitionId,
        bucket,
        replicas,
        newLeader,
        leaderEpoch + 1,
        isr,
        isrVersion,
        target,
        adding,
        stranded && newLeader == NO_LEADER);
  }

  /** Without a leader, and without one until an explicit call. */
  Bucket asStranded() {
    return new Bucket(
        partitionId,
        bucket,
        replicas,
        NO_LEADER,
        hasLeader() ? leaderEpoch + 1 : leaderEpoch,
        isr,
        isrVersion,
        target,
        adding,
        true);
  }

  /** Without that in-sync replica, which must not be the leader; the last one stays. */
  Bucket shrunk(int server) {
    if (isr.size() == 1 || !isr.contains(server)) {
      return this;
    }
    return withIsr(isr.stream().filter(member -> member != server).toList());
  }

  /** With these in-sync replicas, the leader being one of them; in the order of the replicas. */
  Bucket withIsr(List<Integer> members) {
    return new Bucket(
        partitionId,
        bucket,
        replicas,
        leader,
        leaderEpoch,
        replicas.stream().filter(members::contains).toList(),
        isrVersion + 1,
        target,
        adding,
        stranded);
  }

  /** Led by that replica, in its next epoch, and nobody else in sync. */
  Bucket electedAlone(int server) {
    return new Bucket(
        partitionId,
        bucket,
        replicas,
        server,
        leaderEpoch + 1,
        List.of(server),
        isrVersion + 1,
        target,
        adding);
  }

  /**
   * On its way to that target; a move that was under way is given up for it. Servers that are in
   * neither leave at once, so one of the others must be in sync; when the leader leaves nobody
   * leads.
   */
  Bucket movingTo(List<Integer> newTarget) {
    List<Integer> old = before();
    List<Integer> added = without(newTarget, old);
    List<Integer> all = new ArrayList<>(old);
    all.addAll(added);
    return onto(all, newTarget, added);
  }

  /** Without the move. Servers that it added leave, so one of the others must be in sync. */
  Bucket cancelled() {
    return onto(before(), List.of(), List.of());
  }

  /**
   * Whether the move has nothing to wait for any more: everyone of the target is in sync, or only
   * the order changes.
   */
  boolean arrived() {
    boolean reorders = adding.isEmpty() && target.size() == replicas.size();
    return moving() && (reorders || isr.containsAll(target));
  }

  /** After the move: the target alone. When the leader leaves nobody leads. */
  Bucket moved() {
    return onto(target, List.of(), List.of());
  }

  private Bucket onto(List<Integer> newReplicas, List<Integer> newTarget, List<Integer> added) {
    List<Integer> members = newReplicas.stream().filter(isr::contains).toList();
    return new Bucket(
        partitionId,
        bucket,
        newReplicas,
        members.contains(leader) ? leader : NO_LEADER,
        leaderEpoch,
        members,
        isrVersion + 1,
        newTarget,
        added,
        stranded);
  }

  private static List<Integer> without(List<Integer> servers, List<Integer> gone) {
    return servers.stream().filter(server -> !gone.contains(server)).toList();
  }
}

package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Command;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What goes wrong, and what operators do meanwhile. */
final class Faults {
  private final Simulation cluster;
  private final Scheduler scheduler;
  private boolean over;
  private long quietUntil;
  // Who hears late of the next leader once the coordinator has accepted the next join, or 0.
  private int trapped;

  /** A kind of fault, and how often it comes by itself. */
  enum Kind {
    KILL(4),
    KILL_LEADER(4),
    LOSE_POWER(3),
    PAUSE(3),
    PAUSE_LEADER(3),
    CUT(4),
    CUT_FROM_COORDINATOR(3),
    CUT_LEADER_FROM_COORDINATOR(2),
    ISOLATE(2),
    ISOLATE_LEADER(2),
    SLOW(3),
    COORDINATOR(2),
    EMPTY_DISK(1),
    KILL_ALL(1),
    LOSE_POWER_ALL(1),
    TWO_ELECTIONS(2),
    STOP(2),
    MOVE(2),
    CANCEL(1),
    PREFERRED(1),
    UNCLEAN(1),
    OFFLINE(1),
    TRAP_JOIN(1),
    UNHEARD_STOP(1),
    LAKE(3),
    TRIM(2);

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }

    int weight() {
      return weight;
    }
  }

  Faults(Simulation cluster) {
    this.cluster = cluster;
    this.scheduler = cluster.scheduler();
  }

  void begin() {
    scheduler.after(scheduler.between(50, 2L * cluster.profile().everyMs()), this::next);
  }

  /** Nothing breaks any more, and everything comes back. */
  void end() {
    over = true;
    for (int server = 1; server <= cluster.servers(); server++) {
      SimTablet tablet = cluster.tablet(server);
      tablet.resume();
      tablet.start();
      // One that is about to stop comes back, too.
      scheduler.after(Scheduler.ms(11_000), tablet::start);
    }
    scheduler.after(Scheduler.ms(13_000), this::helpStranded);
  }

  /** Where the only one in sync lost its disk nobody leads until an operator says who shall. */
  private void helpStranded() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket != null && bucket.stranded()) {
      unclean();
    }
    if (bucket == null || bucket.stranded()) {
      scheduler.after(Scheduler.ms(500), this::helpStranded);
    }
  }

  boolean over() {
    return over;
  }

  private void next() {
    if (over) {
      return;
    }
    if (scheduler.now() < quietUntil) {
      begin();
      return;
    }
    int total = 0;
    for (int weight : cluster.profile().weights()) {
      total += weight;
    }
    int chosen = scheduler.below(total);
    for (Kind kind : Kind.values()) {
      chosen -= cluster.profile().weights()[kind.ordinal()];
      if (chosen < 0) {
        happen(kind);
        break;
      }
    }
    begin();
  }

  private SimTablet any() {
    return cluster.tablet(1 + scheduler.below(cluster.servers()));
  }

  private SimTablet leaderOrAny() {
    Bucket bucket = cluster.coordinator().bucket();
    return bucket == null || !bucket.hasLeader() ? any() : cluster.tablet(bucket.leader());
  }

  private long lasting(long longestMs) {
    // Mostly short, sometimes as long as it may be.
    return scheduler.chance(0.5)
        ? scheduler.between(50, longestMs / 5)
        : scheduler.between(50, longestMs);
  }

  private void happen(Kind kind) {
    switch (kind) {
      case KILL -> kill(any());
      case KILL_LEADER -> kill(leaderOrAny());
      case LOSE_POWER -> losePower(any());
      case PAUSE -> pause(any());
      case PAUSE_LEADER -> pause(leaderOrAny());
      case CUT -> cut(any().id(), any().id());
      case CUT_FROM_COORDINATOR -> cut(any().id(), 0);
      case CUT_LEADER_FROM_COORDINATOR -> cut(leaderOrAny().id(), 0);
      case ISOLATE -> isolate(any());
      case ISOLATE_LEADER -> isolate(leaderOrAny());
      case SLOW -> slow();
      case COORDINATOR -> cluster.coordinator().goAway(lasting(6_000));
      case EMPTY_DISK -> emptyDisk(any());
      case KILL_ALL -> eachTablet(this::kill);
      case LOSE_POWER_ALL -> eachTablet(this::losePower);
      case TWO_ELECTIONS -> twoElections();
      case STOP -> stop(any());
      case MOVE -> move();
      case CANCEL ->
          operator(new Command.CancelReassign(List.of(cluster.coordinator().bucketId())));
      case PREFERRED ->
          operator(new Command.ElectPreferred(List.of(cluster.coordinator().bucketId())));
      case UNCLEAN -> unclean();
      case OFFLINE -> offline();
      case TRAP_JOIN -> trapJoin();
      case UNHEARD_STOP -> unheardStop(leaderOrAny());
      case LAKE -> lake();
      case TRIM -> trim();
    }
  }

  private void eachTablet(java.util.function.Consumer<SimTablet> action) {
    for (int server = 1; server <= cluster.servers(); server++) {
      action.accept(cluster.tablet(server));
    }
  }

  private void kill(SimTablet tablet) {
    tablet.kill();
    startLater(tablet);
  }

  private void losePower(SimTablet tablet) {
    tablet.losePower();
    startLater(tablet);
  }

  private void emptyDisk(SimTablet tablet) {
    tablet.wipe();
    startLater(tablet);
  }

  private void startLater(SimTablet tablet) {
    scheduler.after(lasting(12_000), tablet::start);
  }

  private void stop(SimTablet tablet) {
    tablet.stop();
    scheduler.after(Scheduler.ms(10_000) + lasting(5_000), tablet::start);
  }

  /** Power is lost, and the next process stops in order before a coordinator hears of it. */
  private void unheardStop(SimTablet tablet) {
    cluster.coordinator().goAway(scheduler.between(2_500, 5_500));
    tablet.losePower();
    scheduler.after(scheduler.between(50, 500), tablet::start);
    scheduler.after(Scheduler.ms(600), tablet::stop);
    scheduler.after(Scheduler.ms(2_000) + lasting(4_000), tablet::start);
  }

  private void pause(SimTablet tablet) {
    tablet.pause();
    scheduler.after(lasting(15_000), tablet::resume);
  }

  private void cut(int one, int other) {
    if (one == other) {
      return;
    }
    long nanos = lasting(12_000);
    cluster.note("link %d-%d is cut for %d ms", one, other, nanos / 1_000_000);
    int direction = scheduler.below(4);
    if (direction != 0) {
      cluster.network().cut(one, other, nanos);
    }
    if (direction != 1) {
      cluster.network().cut(other, one, nanos);
    }
  }

  private void isolate(SimTablet tablet) {
    long nanos = lasting(12_000);
    cluster.note("%d is cut off for %d ms", tablet.id(), nanos / 1_000_000);
    for (int server = 0; server <= cluster.servers(); server++) {
      if (server != tablet.id()) {
        cluster.network().cut(server, tablet.id(), nanos);
        cluster.network().cut(tablet.id(), server, nanos);
      }
    }
  }

  private void slow() {
    int one = scheduler.below(cluster.servers() + 1);
    int other = scheduler.below(cluster.servers() + 1);
    cluster.network().slow(one, other, lasting(10_000));
  }

  /** The leader dies, and the next one as soon as it is elected. */
  private void twoElections() {
    Bucket bucket = cluster.coordinator().bucket();
    kill(leaderOrAny());
    if (bucket != null) {
      killWhenElected(bucket.leaderEpoch() + 1, 80);
    }
  }

  private void killWhenElected(int epoch, int patience) {
    Bucket bucket = cluster.coordinator().bucket();
    if (over || bucket == null || patience == 0) {
      return;
    }
    if (bucket.leaderEpoch() >= epoch && bucket.hasLeader()) {
      if (scheduler.chance(0.5)) {
        kill(cluster.tablet(bucket.leader()));
      } else {
        pause(cluster.tablet(bucket.leader()));
      }
      return;
    }
    scheduler.after(Scheduler.ms(100), () -> killWhenElected(epoch, patience - 1));
  }

  private void operator(Command command) {
    if (cluster.coordinator().up()) {
      cluster.coordinator().run(command);
    }
  }

  private void move() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket == null) {
      return;
    }
    List<Integer> all = new ArrayList<>();
    for (int server = 1; server <= cluster.servers(); server++) {
      all.add(server);
    }
    List<Integer> target = new ArrayList<>();
    int count = scheduler.chance(0.8) ? Math.min(3, all.size()) : 1 + scheduler.below(all.size());
    while (target.size() < count) {
      target.add(all.remove(scheduler.below(all.size())));
    }
    operator(
        new Command.Reassign(List.of(new Command.Move(cluster.coordinator().bucketId(), target))));
  }

  private void unclean() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket != null && (!bucket.hasLeader() || scheduler.chance(0.2))) {
      int replica = bucket.replicas().get(scheduler.below(bucket.replicas().size()));
      operator(new Command.ElectUnclean(cluster.coordinator().bucketId(), replica));
    }
  }

  /** A replica is reported damaged, and is well again. */
  private void offline() {
    SimTablet tablet = any();
    operator(
        new Command.ReplicasOffline(
            tablet.id(), tablet.incarnation(), List.of(cluster.coordinator().bucketId())));
  }

  /**
   * A follower drops out of the in-sync set and comes back at once; the leader is cut off from the
   * coordinator just when that has accepted it, so that it does not hear of it, and the other
   * follower hears late of the next leader. For a while nothing else happens.
   */
  private void trapJoin() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket == null || bucket.isr().size() < 3 || !bucket.hasLeader()) {
      return;
    }
    List<Integer> followers = new ArrayList<>(bucket.replicas());
    followers.remove((Integer) bucket.leader());
    SimTablet joining = cluster.tablet(followers.get(0));
    quietUntil = scheduler.now() + Scheduler.ms(20_000);
    trapped = followers.get(1);
    operator(
        new Command.ReplicasOffline(
            joining.id(), joining.incarnation(), List.of(cluster.coordinator().bucketId())));
  }

  boolean trapArmed() {
    return trapped != 0;
  }

  /** Whether the trap springs: a leader's set is about to be decided. */
  boolean springs(int leader) {
    if (trapped == 0) {
      return false;
    }
    cutOff(leader, trapped, Scheduler.ms(14_000));
    trapped = 0;
    return true;
  }

  /** A leader and the coordinator do not reach each other, and somebody hears late of the next. */
  void cutOff(int leader, int late, long nanos) {
    cluster.note("%d is cut off from the coordinator when its set is decided", leader);
    cluster.network().cut(leader, 0, nanos);
    cluster.network().cut(0, leader, nanos);
    cluster.network().slow(0, late, nanos);
  }

  private void lake() {
    SimTablet tablet = cluster.anyServing();
    if (tablet != null && cluster.coordinator().up() && cluster.checker().believes(tablet)) {
      cluster.coordinator().lakeReached(Math.min(tablet.committed(), tablet.log().forced()));
    }
  }

  private void trim() {
    @Nullable SimTablet tablet = cluster.anyServing();
    if (tablet != null) {
      SimLog log = tablet.log();
      long keep = scheduler.chance(0.3) ? 0 : scheduler.below(20);
      log.trimTo(Math.min(tablet.committed(), log.forced()) - keep);
    }
  }
}

package io.sluice.systemtests.simulation;

import io.sluice.tablet.replication.IsrTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One run: a cluster with one bucket, its clients, its faults, and the checks, from a seed. */
final class Simulation {
  static final int WRITERS = 3;
  static final int KEYS = 4;

  private static final long REST = Scheduler.ms(32_000);
  private static final int MOST_LINES = 400;

  private final Rules rules;
  private final boolean traced;
  private final List<String> history = new ArrayList<>();
  private final Scheduler scheduler;
  private final Profile profile;
  private final Network network;
  private final Checker checker;
  private final SimCoordinator coordinator;
  private final List<SimTablet> tablets = new ArrayList<>();
  private final Clients clients;
  private final Faults faults;

  /** What a run was like. */
  record Summary(long events, int acks, int lookups, int losses) {}

  private Simulation(long seed, Rules rules, boolean traced) {
    SplittableRandom random = new SplittableRandom(seed);
    this.rules = rules;
    this.traced = traced;
    this.profile = Profile.of(random.split());
    this.scheduler = new Scheduler(random.split());
    this.network = new Network(scheduler, profile.servers(), profile.farCoordinator());
    this.checker = new Checker(this);
    this.coordinator = new SimCoordinator(this);
    for (int id = 1; id <= profile.servers(); id++) {
      tablets.add(new SimTablet(this, id));
    }
    this.clients = new Clients(this);
    this.faults = new Faults(this);
  }

  /** Runs a seed; a violation carries the history. */
  static Summary run(long seed, Rules rules) {
    try {
      return new Simulation(seed, rules, false).run();
    } catch (AssertionError | RuntimeException failure) {
      Simulation again = new Simulation(seed, rules, true);
      try {
        again.run();
      } catch (AssertionError | RuntimeException same) {
        same.addSuppressed(new AssertionError(again.history()));
        throw same;
      }
      throw failure;
    }
  }

  /** Runs a seed for whether something is found, without the history. */
  static Summary runUntraced(long seed, Rules rules) {
    return new Simulation(seed, rules, false).run();
  }

  private Summary run() {
    tablets.forEach(SimTablet::start);
    scheduler.runUntil(scheduler.now() + Scheduler.ms(2_500));
    List<Integer> replicas = new ArrayList<>();
    for (int i = 0; i < Math.min(profile.replicas(), profile.servers()); i++) {
      replicas.add(1 + i);
    }
    coordinator.createBucket(replicas);
    clients.begin();
    faults.begin();
    scheduler.runUntil(scheduler.now() + Scheduler.ms(profile.faultsMs()));
    note("no more faults");
    faults.end();
    scheduler.runUntil(scheduler.now() + REST);
    clients.stopWriting();
    scheduler.runUntil(scheduler.now() + Scheduler.ms(4_000));
    checker.checkAtRest();
    return new Summary(scheduler.count(), checker.acks(), checker.lookups(), checker.losses());
  }

  private String history() {
    StringBuilder text = new StringBuilder(profile + System.lineSeparator());
    int from = Math.max(0, history.size() - MOST_LINES);
    history.subList(from, history.size()).forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  void note(String format, Object... arguments) {
    if (traced) {
      long ms = (scheduler.now() / 1_000_000) % 86_400_000;
      history.add(String.format("%6d ", ms) + String.format(format, arguments));
    }
  }

  Rules rules() {
    return rules;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Network network() {
    return network;
  }

  Profile profile() {
    return profile;
  }

  Checker checker() {
    return checker;
  }

  SimCoordinator coordinator() {
    return coordinator;
  }

  Clients clients() {
    return clients;
  }

  int servers() {
    return profile.servers();
  }

  SimTablet tablet(int id) {
    return tablets.get(id - 1);
  }

  /** Where a client sends a put: mostly to the leader, sometimes to who was it. */
  int believedLeader() {
    var bucket = coordinator.bucket();
    if (bucket != null && bucket.hasLeader() && scheduler.chance(0.8)) {
      return bucket.leader();
    }
    return 1 + scheduler.below(profile.servers());
  }

  /**
   * How slow clients are: when nothing breaks any more they do just enough to see that they can.
   */
  int pace() {
    return faults.over() ? 4 : 1;
  }

  /**
   * A leader asks for an in-sync set, for the first time. The coordinator may go away just then,
   * and whoever is to come in may lose what it has before the coordinator is back.
   */
  void asks(IsrTracker.Proposal proposal) {
    if (faults.over() || faults.trapArmed() || !scheduler.chance(profile.trapsJoins())) {
      return;
    }
    for (IsrTracker.Member member : proposal.members()) {
      if (!member.incarnation().isEmpty()) {
        coordinator.goAway(scheduler.between(500, 4_000));
        SimTablet tablet = tablet(member.serverId());
        tablet.losePower();
        scheduler.after(scheduler.between(50, 2_000), tablet::start);
        return;
      }
    }
  }

  /** Somebody who claims to lead, or null. */
  @Nullable SimTablet anyServing() {
    int first = scheduler.below(tablets.size());
    for (int i = 0; i < tablets.size(); i++) {
      SimTablet tablet = tablets.get((first + i) % tablets.size());
      Leading leading = tablet.leading();
      if (tablet.up() && leading != null && leading.serving()) {
        return tablet;
      }
    }
    return null;
  }

  /** Whether the coordinator could elect the server. */
  boolean mayLead(int server) {
    return coordinator.alive(server);
  }

  /**
   * What a leader asked for has reached the coordinator. The leader may be cut off just then, so
   * that it hears in no way whether that was accepted.
   */
  void asked(int leader, IsrTracker.Proposal proposal) {
    if (faults.over() || proposal.members().stream().allMatch(one -> one.incarnation().isEmpty())) {
      return;
    }
    if (!faults.springs(leader) && scheduler.chance(profile.trapsJoins())) {
      faults.cutOff(
          leader, 1 + scheduler.below(profile.servers()), scheduler.between(5_000, 14_000));
    }
  }

  /** Whether an answer to a client or a leader is lost. */
  boolean losesAnswer() {
    return !faults.over() && scheduler.chance(profile.lostAnswers());
  }
}

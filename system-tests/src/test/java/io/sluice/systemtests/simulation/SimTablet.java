package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.ReplicationTimes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A tablet server: a disk that stays, and a process that comes and goes. */
final class SimTablet {
  private static final long TICK = Scheduler.ms(1_000);
  private static final long COORDINATOR_SILENCE = Scheduler.ms(3_000);

  private final Simulation cluster;
  private final int id;

  // The machine.
  private int boots = 1;
  private String bootId = "boot1";
  private @Nullable SimLog log;
  private long savedCommitted;
  private boolean knowsCluster;
  private boolean stoppedCleanly;
  private boolean wiped;
  private String bootKnown = "";
  private int knownLosses;
  private long lostPowerAt;

  // The process.
  private int life;
  private String incarnation = "";
  private boolean up;
  private boolean paused;
  private final Deque<Runnable> inbox = new ArrayDeque<>();
  private long promisedUntil;
  private long committed;
  private @Nullable Role role;
  private @Nullable Leading leading;
  private @Nullable Following following;
  private Network.@Nullable Stream session;
  private long coordinatorHeard;
  private long stopsAt;
  private boolean heardOfCoordinator;

  SimTablet(Simulation cluster, int id) {
    this.cluster = cluster;
    this.id = id;
  }

  int id() {
    return id;
  }

  int life() {
    return life;
  }

  boolean up() {
    return up;
  }

  boolean paused() {
    return paused;
  }

  String incarnation() {
    return incarnation;
  }

  private String bootId() {
    return bootId;
  }

  /** Whether it lost power, or all it had, and the coordinator does not know yet. */
  boolean mayLackUnnoticed() {
    return wiped || (!bootKnown.isEmpty() && !bootKnown.equals(bootId()));
  }

  /** When it lost power last, 0 when it never did. */
  long lostPowerAt() {
    return lostPowerAt;
  }

  void registeredAs(Command.RegisterServer command) {
    bootKnown = command.registration().bootId();
    wiped &= !command.registration().incarnation().equals(incarnation);
  }

  /** How many accepted losses there had been when it learned what is committed. */
  int knownLosses() {
    return knownLosses;
  }

  void knowsLosses(int losses) {
    knownLosses = losses;
  }

  boolean hasLog() {
    return log != null;
  }

  /** Its log; an empty one where it has none yet. */
  SimLog log() {
    SimLog own = log;
    if (own == null) {
      own = new SimLog(Simulation.WRITERS);
      log = own;
    }
    return own;
  }

  long committed() {
    return committed;
  }

  long promisedUntil() {
    return promisedUntil;
  }

  void promise(long until) {
    promisedUntil = Math.max(promisedUntil, until);
  }

  @Nullable Leading leading() {
    return leading;
  }

  @Nullable Following following() {
    return following;
  }

  int minInsync() {
    Role known = role;
    return known == null ? 1 : known.minInsync();
  }

  int epoch() {
    Role known = role;
    return known == null ? 0 : known.epoch();
  }

  /** The action as one of this process: not done once it is gone, later while it is paused. */
  Runnable guarded(Runnable action) {
    int now = life;
    return () -> atProcess(now, action);
  }

  void atProcess(int ofLife, Runnable action) {
    if (!up || life != ofLife) {
      return;
    }
    if (paused) {
      inbox.add(action);
    } else {
      action.run();
    }
  }

  /** Starts the process. */
  void start() {
    if (up) {
      return;
    }
    up = true;
    life++;
    incarnation = id + "." + life;
    paused = false;
    inbox.clear();
    role = null;
    leading = null;
    following = null;
    stopsAt = 0;
    heardOfCoordinator = false;
    promisedUntil = cluster.scheduler().now() + ReplicationTimes.LEASE_NANOS;
    SimLog own = log;
    if (own == null) {
      committed = 0;
    } else {
      own.recover();
      committed = Math.min(savedCommitted, own.end());
      long kept = cluster.rules().keptWhenStarting(own.end(), committed);
      if (kept < own.end()) {
        own.cutTo(kept);
      }
      committed = Math.max(own.start(), Math.min(committed, own.end()));
    }
    cluster.note(
        "%d starts as %s, log [%d,%d), committed %d",
        id, incarnation(), own == null ? 0 : own.start(), own == null ? 0 : own.end(), committed);
    connect();
    tick();
  }

  /** kill -9: what was written stays in the page cache. */
  void kill() {
    if (!up) {
      return;
    }
    cluster.note("%d is killed", id);
    die();
    stoppedCleanly = false;
  }

  private void die() {
    Following was = following;
    up = false;
    paused = false;
    inbox.clear();
    Leading led = leading;
    leading = null;
    following = null;
    if (led != null) {
      led.over();
    }
    if (was != null) {
      was.died();
    }
  }

  /** The machine loses power: what was not forced is gone, or a part of it. */
  void losePower() {
    if (up) {
      die();
    }
    stoppedCleanly = false;
    boots++;
    lostPowerAt = cluster.scheduler().now();
    bootId = "boot" + boots;
    SimLog own = log;
    if (own != null && own.end() > own.forced()) {
      own.cutTo(own.forced() + cluster.scheduler().below((int) (own.end() - own.forced()) + 1));
    }
    savedCommitted = Math.min(savedCommitted, own == null ? 0 : own.end());
    cluster.note("%d loses power, log ends at %d", id, own == null ? 0 : own.end());
  }

  /** The disk is replaced by an empty one. */
  void wipe() {
    if (up) {
      die();
    }
    stoppedCleanly = true;
    wiped = true;
    // A registration of the process that is gone may still arrive; it tells nothing of this.
    incarnation = "";
    lostPowerAt = cluster.scheduler().now();
    log = null;
    savedCommitted = 0;
    knowsCluster = false;
    cluster.note("%d has an empty disk", id);
  }

  void pause() {
    if (up && !paused) {
      cluster.note("%d is paused", id);
      paused = true;
    }
  }

  void resume() {
    if (!up || !paused) {
      return;
    }
    cluster.note("%d goes on", id);
    paused = false;
    int now = life;
    while (!inbox.isEmpty() && up && !paused && life == now) {
      inbox.remove().run();
    }
  }

  /** SIGTERM: hands over, then stops in order. */
  void stop() {
    if (!up || stopsAt > 0) {
      return;
    }
    cluster.note("%d is told to stop", id);
    stopsAt = cluster.scheduler().now() + Scheduler.ms(10_000);
    sayLeaving();
  }

  private void sayLeaving() {
    Network.Stream stream = session;
    String mine = incarnation();
    if (stream != null) {
      stream.send(() -> cluster.coordinator().leaving(id, mine));
    }
  }

  private void stopIfHandedOver() {
    if (stopsAt == 0) {
      return;
    }
    Leading led = leading;
    boolean others =
        led != null
            && led.rules().isr().stream().anyMatch(one -> one != id && cluster.mayLead(one));
    if (led != null && others && cluster.scheduler().now() < stopsAt) {
      sayLeaving();
      return;
    }
    cluster.note("%d stops in order", id);
    Network.Stream stream = session;
    String mine = incarnation();
    if (stream != null) {
      stream.send(() -> cluster.coordinator().closed(id, mine));
    }
    if (log != null) {
      log.force();
    }
    savedCommitted = committed;
    // A process that the coordinator does not know cannot vouch for the one before it.
    boolean vouches = heardOfCoordinator || stoppedCleanly || cluster.rules().marksEveryStopClean();
    die();
    stoppedCleanly = vouches;
  }

  private void connect() {
    coordinatorHeard = cluster.scheduler().now();
    Network.Stream out = cluster.network().stream(id, 0);
    Network.Stream back = cluster.network().stream(0, id);
    session = out;
    TabletServer.Registration registration =
        new TabletServer.Registration(id, "h", 1, 1, "", incarnation(), bootId(), stoppedCleanly);
    boolean emptyDisk = !knowsCluster && cluster.rules().tellsOfEmptyDisk();
    int mine = life;
    Consumer<Consumer<SimTablet>> process =
        message -> atProcess(mine, () -> fromCoordinator(message));
    out.send(() -> cluster.coordinator().register(registration, emptyDisk, back, process));
  }

  private void fromCoordinator(Consumer<SimTablet> message) {
    coordinatorHeard = cluster.scheduler().now();
    heardOfCoordinator = true;
    message.accept(this);
  }

  /** The coordinator answers a heartbeat. */
  void coordinatorAlive() {
    knowsCluster = true;
  }

  private void tick() {
    Network.Stream stream = session;
    if (cluster.scheduler().now() - coordinatorHeard > COORDINATOR_SILENCE) {
      connect();
    } else if (stream != null) {
      String mine = incarnation();
      stream.send(() -> cluster.coordinator().heartbeat(id, mine));
    }
    if (log != null && cluster.scheduler().chance(0.25)) {
      log.force();
    }
    savedCommitted = committed;
    if (leading != null) {
      leading.propose();
    }
    if (following != null) {
      following.tick();
    }
    stopIfHandedOver();
    if (up) {
      cluster.scheduler().after(TICK, guarded(this::tick));
    }
  }

  /** What the coordinator decided; an older decision changes nothing. */
  void assign(Role newer) {
    knowsCluster = true;
    Role before = role;
    if (before != null && newer.isOlderThan(before)) {
      return;
    }
    role = newer;
    if (!newer.replicas().contains(id)) {
      lead(null);
      follow(null);
      if (log != null) {
        cluster.note("%d has no replica any more", id);
        log = null;
        savedCommitted = 0;
        committed = 0;
      }
      return;
    }
    log();
    boolean newEpoch = before == null || before.epoch() != newer.epoch();
    if (newer.leader() == id) {
      if (leading != null && leading.epoch() == newer.epoch()) {
        leading.decided(newer);
      } else {
        becomeLeader(newer);
      }
    } else if (newEpoch || following == null || leading != null) {
      lead(null);
      follow(
          newer.leader() == 0
              ? null
              : new Following(
                  cluster, this, newer.leader(), newer.epoch(), newer.isr().contains(id)));
    } else {
      following.inSync(newer.isr().contains(id));
    }
  }

  private void becomeLeader(Role newer) {
    follow(null);
    lead(null);
    SimLog own = log();
    own.startEpoch(newer.epoch());
    long epochStart = own.end();
    cluster.note("%d begins epoch %d at %d", id, newer.epoch(), epochStart);
    if (newer.lakeEnd() > own.end() && cluster.rules().jumpsOverLake()) {
      // The control batch takes the lake's last offset.
      long behind = newer.lakeEnd() - 1;
      if (behind > own.end()) {
        cluster.checker().jumps(this, own.end(), behind);
        own.jumpTo(behind, newer.epoch());
      }
      own.append(
          new Batch(own.end(), 1, newer.epoch(), Batch.NO_WRITER, 0, 0, cluster.scheduler().now()));
    }
    cluster.checker().begins(this, newer.epoch());
    Leading led = new Leading(cluster, this, newer, epochStart, committed);
    leading = led;
    led.moved();
  }

  private void lead(@Nullable Leading next) {
    Leading was = leading;
    leading = next;
    if (was != null) {
      was.over();
    }
  }

  private void follow(@Nullable Following next) {
    Following was = following;
    following = next;
    if (was != null) {
      was.over();
    }
    if (next != null) {
      next.begin();
    }
  }

  /** Everything below is committed, as this tablet learns in that epoch. */
  void committedTo(long offset, int inEpoch) {
    long from = committed;
    committed = offset;
    cluster.checker().committed(this, from, offset, inEpoch, leading != null);
  }

  /** Cuts its log for a leader. */
  void cutTo(long offset) {
    SimLog own = log();
    cluster.note("%d cuts its log from %d to %d, committed %d", id, own.end(), offset, committed);
    own.cutTo(offset);
    cluster.checker().cut(this, committed);
    committed = Math.min(committed, own.end());
    savedCommitted = Math.min(savedCommitted, own.end());
  }

  /** Begins with an empty log. */
  void startAnew(long offset, EpochHistory epochs, long @Nullable [] writers) {
    cluster.note("%d starts anew at %d", id, offset);
    SimLog fresh = new SimLog(Simulation.WRITERS);
    if (writers != null) {
      fresh.startAnew(offset, epochs, writers);
    }
    log = fresh;
    committed = Math.min(committed, offset);
    savedCommitted = Math.min(savedCommitted, offset);
    cluster.checker().checkInSync();
  }

  /** Follows the log start of its leader. */
  void followLogStart(long offset) {
    if (offset > log().start()) {
      log().trimTo(Math.min(offset, committed));
    }
  }
}

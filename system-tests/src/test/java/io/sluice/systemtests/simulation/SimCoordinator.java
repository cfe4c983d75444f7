package io.sluice.systemtests.simulation;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The coordinators as one: the real state machine, behind sessions and a network. */
final class SimCoordinator {
  private static final long SESSION = Scheduler.ms(6_000);

  private final Simulation cluster;
  private final Map<Integer, Session> sessions = new TreeMap<>();
  private ClusterState state = ClusterState.EMPTY;
  private TableBucket bucketId = new TableBucket(1, TableBucket.NO_PARTITION, 0);
  private boolean up = true;
  private int term;
  private long lakeEnd;

  private static final class Session {
    private final int server;
    private final String incarnation;
    private final Network.Stream down;
    private final Consumer<Consumer<SimTablet>> process;
    private long heard;

    Session(
        int server,
        String incarnation,
        Network.Stream down,
        Consumer<Consumer<SimTablet>> process,
        long now) {
      this.server = server;
      this.incarnation = incarnation;
      this.down = down;
      this.process = process;
      this.heard = now;
    }
  }

  SimCoordinator(Simulation cluster) {
    this.cluster = cluster;
    apply(new Command.Bootstrap("simulation"));
    apply(new Command.CreateDatabase("demo", "", 0));
  }

  /** Creates the only bucket on these servers, the preferred leader first. */
  void createBucket(List<Integer> replicas) {
    TableSchema schema =
        new TableSchema(
            1, List.of(Column.of(1, "k", new DataType.IntegerType(32), false)), List.of());
    Outcome outcome =
        apply(
                new Command.CreateTable(
                    new TablePath("demo", "t"),
                    schema,
                    List.of(),
                    Map.of(),
                    "",
                    0,
                    List.of(replicas)))
            .outcome();
    bucketId = new TableBucket(outcome.orThrow().id(), TableBucket.NO_PARTITION, 0);
    tellAll();
  }

  TableBucket bucketId() {
    return bucketId;
  }

  boolean up() {
    return up;
  }

  @Nullable Bucket bucket() {
    return state.bucket(bucketId);
  }

  boolean alive(int server) {
    return state.isAlive(server);
  }

  long lakeEnd() {
    return lakeEnd;
  }

  /** The lake has everything up to there. */
  void lakeReached(long offset) {
    if (offset > lakeEnd) {
      lakeEnd = offset;
      cluster.note("lake has everything below %d", offset);
      tellAll();
    }
  }

  /** Another coordinator leads after that time: every tablet is given a full session. */
  void goAway(long nanos) {
    if (!up) {
      return;
    }
    up = false;
    term++;
    sessions.clear();
    cluster.note("coordinator leader is gone");
    cluster
        .scheduler()
        .after(
            nanos,
            () -> {
              up = true;
              cluster.note("coordinator leader is there");
              int began = term;
              for (int server = 1; server <= cluster.servers(); server++) {
                TabletServer known = state.servers().get(server);
                if (known != null && known.alive()) {
                  String incarnation = known.registration().incarnation();
                  int id = server;
                  cluster
                      .scheduler()
                      .after(
                          SESSION,
                          () -> {
                            if (term == began && !sessions.containsKey(id)) {
                              run(new Command.EndSession(id, incarnation));
                            }
                          });
                }
              }
            });
  }

  /** A tablet opens its session. */
  void register(
      TabletServer.Registration registration,
      boolean emptyDisk,
      Network.Stream down,
      Consumer<Consumer<SimTablet>> process) {
    if (!up) {
      return;
    }
    int server = registration.serverId();
    run(new Command.RegisterServer(registration, 0, emptyDisk));
    Session session =
        new Session(server, registration.incarnation(), down, process, cluster.scheduler().now());
    sessions.put(server, session);
    tell(session);
    watch(session);
  }

  private void watch(Session session) {
    long ends = session.heard + SESSION;
    cluster
        .scheduler()
        .at(
            ends,
            () -> {
              if (!up || sessions.get(session.server) != session) {
                return;
              }
              if (session.heard + SESSION > cluster.scheduler().now()) {
                watch(session);
                return;
              }
              endSession(session.server, session.incarnation);
            });
  }

  private void endSession(int server, String incarnation) {
    sessions.remove(server);
    run(new Command.EndSession(server, incarnation));
  }

  /** A tablet is alive; it is told that this coordinator is, too. */
  void heartbeat(int server, String incarnation) {
    Session session = sessions.get(server);
    if (up && session != null && session.incarnation.equals(incarnation)) {
      session.heard = cluster.scheduler().now();
      session.down.send(() -> session.process.accept(SimTablet::coordinatorAlive));
    }
  }

  /** A tablet hands over. */
  void leaving(int server, String incarnation) {
    if (up) {
      run(new Command.Leaving(server, incarnation));
    }
  }

  /** A tablet has closed its session in order. */
  void closed(int server, String incarnation) {
    Session session = sessions.get(server);
    if (up && session != null && session.incarnation.equals(incarnation)) {
      endSession(server, incarnation);
    }
  }

  /** A leader asks for an in-sync set; null when nobody is there to answer. */
  IsrProposals.@Nullable Decision alterIsr(int server, IsrTracker.Proposal proposal) {
    if (!up) {
      return null;
    }
    List<Command.IsrMember> members =
        proposal.members().stream()
            .map(member -> new Command.IsrMember(member.serverId(), member.incarnation()))
            .toList();
    Transition transition =
        run(
            new Command.AlterIsr(
                server,
                List.of(
                    new Command.IsrChange(
                        bucketId, proposal.leaderEpoch(), proposal.isrVersion(), members))));
    Outcome.Decision decision = ((Outcome.Accepted) transition.outcome()).decisions().get(0);
    Bucket now = bucket();
    SluiceException refusal =
        decision.refusal() == null
            ? null
            : new SluiceException(decision.refusal(), decision.message());
    cluster.note(
        "in-sync set %s of version %d asked by %d: %s",
        proposal.members(),
        proposal.isrVersion(),
        server,
        refusal == null ? "accepted" : refusal.code());
    return new IsrProposals.Decision(
        refusal,
        now == null
            ? null
            : new IsrProposals.BucketState(
                now.leader(),
                now.leaderEpoch(),
                now.replicas(),
                now.isr(),
                now.isrVersion(),
                now.minInsync()));
  }

  /** Applies a command and tells the tablets what it changed. */
  Transition run(Command command) {
    Transition transition = apply(command);
    boolean changed = transition.events().stream().anyMatch(Event.BucketsChanged.class::isInstance);
    if (changed) {
      tellAll();
    }
    return transition;
  }

  private Transition apply(Command command) {
    Bucket before = bucket();
    Transition transition = cluster.rules().apply(state, command);
    state = transition.state();
    Bucket after = bucket();
    if (after != null && !after.equals(before)) {
      cluster.note(
          "%s: leader %d epoch %d replicas %s isr %s version %d target %s",
          command.getClass().getSimpleName(),
          after.leader(),
          after.leaderEpoch(),
          after.replicas(),
          after.isr(),
          after.isrVersion(),
          after.target());
    }
    for (Event event : transition.events()) {
      if (event instanceof Event.DataMaybeLost lost && !lost.buckets().isEmpty()) {
        cluster.checker().lossAccepted(lost.serverId(), after == null ? 0 : after.leaderEpoch());
      } else if (event instanceof Event.UncleanElection unclean) {
        cluster.checker().lossAccepted(unclean.serverId(), after == null ? 0 : after.leaderEpoch());
      }
    }
    if (command instanceof Command.RegisterServer register) {
      cluster.tablet(register.registration().serverId()).registeredAs(register);
    }
    if (after != null && !after.equals(before)) {
      cluster.checker().checkInSync();
    }
    electAnybody(after);
    return transition;
  }

  /** Only with broken rules. */
  private void electAnybody(@Nullable Bucket bucket) {
    if (bucket == null || bucket.hasLeader() || !cluster.rules().electsOutsideIsr()) {
      return;
    }
    for (int replica : bucket.replicas()) {
      if (state.isAlive(replica)) {
        state = cluster.rules().apply(state, new Command.ElectUnclean(bucketId, replica)).state();
        cluster.note("%d is elected whether in sync or not", replica);
        cluster.checker().checkInSync();
        return;
      }
    }
  }

  private void tellAll() {
    sessions.values().forEach(this::tell);
  }

  private void tell(Session session) {
    Bucket bucket = bucket();
    if (bucket != null) {
      Role role = Role.of(bucket, lakeEnd);
      session.down.send(() -> session.process.accept(tablet -> tablet.assign(role)));
    } else {
      session.down.send(() -> session.process.accept(SimTablet::coordinatorAlive));
    }
  }
}

package io.sluice.coordinator.raft;

import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog.Applied;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Metadata logs of one group in this process. */
public final class RaftCluster implements AutoCloseable {
  public static final Duration SOON = Duration.ofSeconds(60);

  /** A database whose creation {@link #brittle} coordinators cannot apply. */
  static final String POISON = "poison";

  private static final Duration ELECTION = Duration.ofMillis(500);

  /** Ids of those that cannot apply the creation of {@link #POISON}. */
  final Set<String> brittle = ConcurrentHashMap.newKeySet();

  private final Path home;
  private final long snapshotEvery;
  private final List<Member> members;
  private final TreeMap<String, RaftMetadataLog> running = new TreeMap<>();

  /** Members 1 to {@code size}, none of which runs yet. */
  public RaftCluster(Path home, int size, long snapshotEvery) throws IOException {
    this.home = home;
    this.snapshotEvery = snapshotEvery;
    this.members = members(1, size);
  }

  /** Members of these ids on ports that are free. */
  public static List<Member> members(int first, int count) throws IOException {
    List<Member> members = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>();
    for (int id = first; id < first + count; id++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      held.add(socket);
      members.add(
          new Member(String.valueOf(id), "127.0.0.1", socket.getLocalPort(), 9122 + id, 9179 + id));
    }
    for (ServerSocket socket : held) {
      socket.close();
    }
    return members;
  }

  public Member member(String id) {
    return members.stream().filter(member -> member.id().equals(id)).findFirst().orElseThrow();
  }

  /** Starts all that do not run. */
  public RaftCluster startAll() {
    members.forEach(member -> start(member.id()));
    return this;
  }

  public RaftMetadataLog start(String id) {
    if (!running.containsKey(id)) {
      prepare(id).start();
    }
    return running.get(id);
  }

  /** One that the caller starts. */
  RaftMetadataLog prepare(String id) {
    RaftMetadataLog log =
        new RaftMetadataLog(
            new RaftSettings(id, members, directory(id), snapshotEvery, false, ELECTION),
            (state, command) -> apply(id, state, command));
    running.put(id, log);
    return log;
  }

  private Transition apply(String id, ClusterState state, Command command) {
    if (brittle.contains(id)
        && command instanceof Command.CreateDatabase created
        && created.name().equals(POISON)) {
      throw new IllegalStateException("This version knows no poison");
    }
    return Transitions.apply(state, command);
  }

  /** Starts one that is no member yet. */
  RaftMetadataLog startJoining(Member member) {
    String id = member.id();
    RaftMetadataLog log =
        new RaftMetadataLog(
            new RaftSettings(id, List.of(member), directory(id), snapshotEvery, true, ELECTION));
    running.put(id, log);
    log.start();
    return log;
  }

  Path directory(String id) {
    return home.resolve(id);
  }

  public void stop(String id) throws IOException {
    RaftMetadataLog log = running.remove(id);
    if (log != null) {
      log.close();
    }
  }

  void stopAll() throws IOException {
    for (String id : List.copyOf(running.keySet())) {
      stop(id);
    }
  }

  public RaftMetadataLog log(String id) {
    return running.get(id);
  }

  List<RaftMetadataLog> logs() {
    return List.copyOf(running.values());
  }

  /** Ids of those that run. */
  public List<String> ids() {
    return List.copyOf(running.keySet());
  }

  /** The one that leads, once there is one. */
  public RaftMetadataLog leader() {
    return running.get(leaderId());
  }

  public String leaderId() {
    Await.until("one of them leads", SOON, () -> leading() != null);
    return leading();
  }

  private String leading() {
    return running.entrySet().stream()
        .filter(entry -> entry.getValue().leads())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  /** Has the leader of now do it; again, as clients do, when that one is lost on the way. */
  public Applied submit(Command command) {
    return insist(command + " is done", () -> leader().submit(command));
  }

  /** Has the leader of now change the group; again, as operators do, when it has no time. */
  public CoordinatorGroup change(String leaving, Member joining) {
    return insist(
        "without " + leaving + ", with " + joining, () -> leader().change(leaving, joining));
  }

  private static <T> T insist(String what, Supplier<CompletableFuture<T>> request) {
    AtomicReference<T> done = new AtomicReference<>();
    Await.until(
        what,
        SOON,
        () -> {
          try {
            done.set(request.get().join());
            return true;
          } catch (CompletionException e) {
            requireRetriable(e);
            return false;
          }
        });
    return done.get();
  }

  private static void requireRetriable(CompletionException failure) {
    SluiceException why = SluiceException.findIn(failure);
    if (why == null || !why.code().retriable()) {
      throw failure;
    }
  }

  /** The newest state, by the leader of now. */
  public MetadataImage read() {
    return read(leaderId());
  }

  /** The newest state, by that one. */
  MetadataImage read(String id) {
    return insist(id + " answers", () -> log(id).readLatest());
  }

  /** A running one that does not lead. */
  public String followerId() {
    String leader = leaderId();
    return running.keySet().stream().filter(id -> !id.equals(leader)).findFirst().orElseThrow();
  }

  /** Waits until all that run have the same state. */
  void awaitAgreement() {
    Await.until(
        "every coordinator has the state of the leader",
        SOON,
        () -> {
          var expected = leader().current().state();
          return logs().stream().allMatch(log -> log.current().state().equals(expected));
        });
  }

  @Override
  public void close() throws IOException {
    stopAll();
  }
}

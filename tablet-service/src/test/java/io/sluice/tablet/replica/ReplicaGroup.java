package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.StoragePlatform;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import io.sluice.testkit.Await;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.MovedClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Servers with one replicated bucket in one process: a coordinator of a few lines, and a {@link
 * Pump} in the place of the network. The clock stands still until a test moves it; followers fetch
 * when it says.
 */
final class ReplicaGroup implements AutoCloseable {
  static final long TABLE = 7;
  static final TableBucket BUCKET = TableBucket.of(TABLE, 0);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  final MovedClock clock = new MovedClock(1_700_000_000_000L);
  final Map<Integer, Server> servers = new TreeMap<>();
  final Pump pump = new Pump(this);
  private final Path root;
  private final HostedTable table;
  private long index;
  // The bucket as the coordinator has it.
  private int leader;
  private int epoch;
  private List<Integer> replicas;
  private List<Integer> isr;
  private int isrVersion;
  private long lakeEnd;
  private boolean refusesIsr;

  /** One server; its set is another one after a restart. */
  final class Server {
    final int id;
    final FaultyFiles files = new FaultyFiles().withoutForcing();
    final BufferAllocator allocator = new RootAllocator();
    final FakeIdGrants ids = new FakeIdGrants();
    volatile double diskUsed;
    private int starts;
    private KvHost kv;
    private ReplicaSet set;

    Server(int id) {
      this.id = id;
      open();
    }

    void open() {
      starts++;
      kv = KvHost.open(TestTablet.smallStores(), allocator, clock, ids);
      set =
          ReplicaSet.open(
              new TabletStorageConfig(
                  id,
                  root.resolve("server-" + id),
                  TestTablet.log(86_400_000),
                  DiskLimits.DEFAULT,
                  1,
                  1 << 20,
                  2,
                  16,
                  3_600_000,
                  10_000,
                  10_000),
              new StoragePlatform(clock, files::open, path -> diskUsed),
              TestTablet::dropFirst,
              kv,
              ReplicationContext.of(
                  pump.followers(id), ReplicaGroup.this::decide, other -> "host-" + other + ":1"));
    }

    String incarnation() {
      return id + "/" + starts;
    }

    ReplicaSet set() {
      return set;
    }

    KvHost kv() {
      return kv;
    }

    Replica replica() {
      return set.require(BUCKET);
    }

    void stop() {
      pump.ends(id);
      set.close();
      kv.close();
    }

    void close() {
      stop();
      allocator.close();
    }
  }

  ReplicaGroup(Path root, int size) {
    this(root, size, TestTablet.table(TABLE, "t"));
  }

  /** With that table, of one bucket, in which server 1 leads and all are in sync. */
  ReplicaGroup(Path root, int size, HostedTable table) {
    this.root = root;
    this.table = table;
    List<Integer> ids = new ArrayList<>();
    for (int id = 1; id <= size; id++) {
      ids.add(id);
    }
    replicas = List.copyOf(ids);
    isr = replicas;
    ids.forEach(id -> servers.put(id, new Server(id)));
    elect(1);
  }

  Server server(int id) {
    return servers.get(id);
  }

  Replica replica(int id) {
    return server(id).replica();
  }

  synchronized List<Integer> isr() {
    return isr;
  }

  int epoch() {
    return epoch;
  }

  void refuseIsr(boolean refuses) {
    refusesIsr = refuses;
  }

  void lakeEnd(long offset) {
    lakeEnd = offset;
  }

  /** Has a server lead under the next epoch; 0 for none. */
  void elect(int server) {
    synchronized (this) {
      leader = server;
      epoch++;
    }
    tellAll();
  }

  /** Takes a server out of the in-sync set, as when its session ends. */
  void dropFromIsr(int server) {
    synchronized (this) {
      List<Integer> left = new ArrayList<>(isr);
      left.remove((Integer) server);
      isr = List.copyOf(left);
      isrVersion++;
    }
    tellAll();
  }

  void tellAll() {
    index++;
    servers.keySet().forEach(this::tell);
  }

  /** Has a server hear what the coordinator knows. */
  void tell(int id) {
    ReplicaRole role;
    synchronized (this) {
      role = new ReplicaRole(BUCKET, leader, epoch, replicas, isr, isrVersion, 0, lakeEnd);
    }
    ReplicaSet set = server(id).set();
    if (pump.isCut(id)) {
      return;
    }
    set.apply(
        new ReplicaUpdate.Image(
            TestTablet.CLUSTER, index, List.of(table), List.of(role), List.of()));
  }

  /** Stops a server in order and starts it again, as another process. */
  void restart(int id) {
    server(id).stop();
    server(id).open();
    tell(id);
  }

  private void decide(
      TableBucket bucket, IsrTracker.Proposal proposal, Consumer<IsrProposals.Decision> then) {
    SluiceException refusal = null;
    synchronized (this) {
      if (refusesIsr || proposal.leaderEpoch() != epoch) {
        refusal = new SluiceException(ErrorCode.FENCED_LEADER_EPOCH, "Not in this epoch");
      } else if (proposal.isrVersion() != isrVersion) {
        refusal = new SluiceException(ErrorCode.STALE_ISR, "Not of this version");
      } else if (proposal.members().stream().anyMatch(this::isAway)) {
        refusal = new SluiceException(ErrorCode.STALE_INCARNATION, "One is not alive");
      } else {
        isr = proposal.members().stream().map(IsrTracker.Member::serverId).toList();
        isrVersion++;
      }
    }
    then.accept(
        new IsrProposals.Decision(
            refusal, new IsrProposals.BucketState(leader, epoch, replicas, isr, isrVersion, 2)));
  }

  private boolean isAway(IsrTracker.Member member) {
    return !isr.contains(member.serverId())
        && (pump.isCut(member.serverId())
            || !server(member.serverId()).incarnation().equals(member.incarnation()));
  }

  /** Fetches until the condition holds. */
  void pumpUntil(String what, Await.Condition condition) {
    Await.until(
        what,
        PATIENCE,
        () -> {
          pump.round();
          return condition.holds();
        });
  }

  /** Fetches until a server leads under the current epoch. */
  Replica awaitLeader(int id) {
    pumpUntil("server " + id + " leads under " + epoch, () -> replica(id).requireLeader() == epoch);
    return replica(id);
  }

  /** Waits until every server but the leader follows it, so that rounds can be counted. */
  void awaitFollowers() {
    Set<Integer> others = new TreeSet<>(servers.keySet());
    others.remove(leader);
    Await.until(
        "all follow " + leader, PATIENCE, () -> pump.following(leader, epoch).equals(others));
  }

  /** Fetches until all replicas that are not cut off are the same and committed as a whole. */
  void awaitEqual() {
    pumpUntil(
        "equal replicas",
        () -> {
          ReplicaOffsets first = replica(leader).offsets();
          for (int id : servers.keySet()) {
            ReplicaOffsets offsets = replica(id).offsets();
            if (!pump.isCut(id)
                && (offsets.logEnd() != first.logEnd() || offsets.committed() != first.logEnd())) {
              return false;
            }
          }
          return true;
        });
  }

  /** Waits until what is queued on a server's shards now is done. */
  void drain(int id) throws Exception {
    LocalReplica replica = (LocalReplica) replica(id);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    replica.onShard(() -> done.complete(true));
    done.get(20, TimeUnit.SECONDS);
  }

  /** First and last offset, epoch and time of every stored batch, also of those not committed. */
  List<String> batches(int id) {
    List<String> found = new ArrayList<>();
    LocalReplica replica = (LocalReplica) replica(id);
    try (var cursor = replica.log().openCursor(replica.log().startOffset())) {
      while (cursor.next(Long.MAX_VALUE)) {
        var header = cursor.header();
        found.add(
            header.baseOffset()
                + "-"
                + header.nextOffset()
                + " epoch "
                + header.leaderEpoch()
                + " crc "
                + header.contentCrc()
                + " at "
                + header.appendTimeMs());
      }
    }
    return found;
  }

  Set<Integer> ids() {
    return servers.keySet();
  }

  @Override
  public void close() {
    servers.values().forEach(Server::close);
  }
}

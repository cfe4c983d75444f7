package io.sluice.coordinator.balance;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators do with replicas and servers. Thread-safe. */
public final class ReplicaOperations {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaOperations.class);

  private final MetadataLog log;
  private final Balancer balancer;
  private final IntToLongFunction diskUsedBytes;
  private final BiPredicate<Integer, TableBucket> offline;

  /**
   * @param diskUsedBytes what the replicas of a server take, 0 when not known
   * @param offline whether a live server says that it cannot use its replica of a bucket
   */
  public ReplicaOperations(
      MetadataLog log,
      Balancer balancer,
      IntToLongFunction diskUsedBytes,
      BiPredicate<Integer, TableBucket> offline) {
    this.log = log;
    this.offline = offline;
    this.balancer = balancer;
    this.diskUsedBytes = diskUsedBytes;
  }

  /** What a rebalance would change now. */
  public CompletableFuture<List<BalancePlanner.Step>> plan() {
    return log.readLatest().thenApply(image -> BalancePlanner.plan(image.state(), diskUsedBytes));
  }

  /** Plans a rebalance and begins it. */
  public CompletableFuture<Balancer.Progress> rebalance() {
    return plan().thenApply(steps -> balancer.start(steps, ""));
  }

  /** How far the rebalance is; NOT_COORDINATOR_LEADER where that cannot be known. */
  public Balancer.Progress progress() {
    balancer.requireLeading();
    return balancer.progress();
  }

  /** Gives the rebalance up, and with it the moves that are under way for it. */
  public CompletableFuture<Balancer.Progress> cancel() {
    List<TableBucket> underWay = balancer.cancel();
    LOG.info("Rebalance cancelled, with {} moves under way", underWay.size());
    return inGroups(underWay, Command.CancelReassign::new).thenApply(done -> balancer.progress());
  }

  /** Moves the replicas of one bucket; done when the copies have arrived, see {@link Bucket}. */
  public CompletableFuture<Void> reassign(TableBucket bucket, List<Integer> target) {
    return one(new Command.Reassign(List.of(new Command.Move(bucket, target))))
        .thenAccept(done -> LOG.info("Replicas of {} are to be on {}", bucket, target));
  }

  /** Gives the move of one bucket up. */
  public CompletableFuture<Void> cancelMove(TableBucket bucket) {
    return one(new Command.CancelReassign(List.of(bucket)))
        .thenAccept(done -> LOG.info("The move of {} is given up", bucket));
  }

  /** Gives leaderships back to the preferred replicas, of all buckets. */
  public CompletableFuture<Integer> electPreferred() {
    return log.readLatest()
        .thenCompose(
            image -> {
              List<TableBucket> others = notPreferred(image.state());
              return inGroups(others, Command.ElectPreferred::new).thenApply(done -> others.size());
            });
  }

  private static List<TableBucket> notPreferred(ClusterState state) {
    List<TableBucket> found = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (bucket.leader() != bucket.replicas().get(0)) {
          found.add(entry.value().bucketId(bucket));
        }
      }
    }
    return found;
  }

  /**
   * Makes a replica the leader whatever it has: committed records that it lacks are lost. Refused
   * with INVALID_ARGUMENT while a replica that has them all can lead.
   */
  public CompletableFuture<Void> electUnclean(TableBucket bucket, int serverId) {
    return log.readLatest()
        .thenCompose(
            image -> {
              requireNobodyHealthy(image.state(), bucket);
              return one(new Command.ElectUnclean(bucket, serverId));
            })
        .thenAccept(
            done -> LOG.warn("Tablet {} leads {} by an unclean election", serverId, bucket));
  }

  /** A live in-sync replica is healthy unless it is damaged, or its disk was empty. */
  private void requireNobodyHealthy(ClusterState state, TableBucket id) {
    Bucket bucket = state.bucket(id);
    if (bucket == null || bucket.stranded()) {
      return;
    }
    for (int member : bucket.isr()) {
      if (state.isAlive(member) && !offline.test(member, id)) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Bucket "
                + id
                + " needs no unclean election: the replica on server "
                + member
                + " is alive, healthy and has all committed records"
                + (bucket.hasLeader() ? "; server " + bucket.leader() + " leads the bucket" : ""));
      }
    }
  }

  /**
   * Says that a server gets no replicas any more, and moves those it has elsewhere. Refused while a
   * rebalance is under way. The progress says when some have nowhere to go.
   */
  public CompletableFuture<Balancer.Progress> drain(int serverId) {
    balancer.requireNoneUnderWay();
    return log.submit(new Command.SetServerState(serverId, ServerState.DRAINING))
        .thenCompose(
            applied -> {
              applied.outcome().orThrow();
              LOG.info("Tablet {} is to be drained", serverId);
              return log.readLatest();
            })
        .thenApply(
            image -> {
              List<BalancePlanner.Step> steps = BalancePlanner.plan(image.state(), diskUsedBytes);
              return balancer.start(steps, whatStays(image.state(), serverId, steps));
            });
  }

  private static String whatStays(
      ClusterState state, int serverId, List<BalancePlanner.Step> steps) {
    int stays = ServerLoads.of(state).replicas(serverId);
    for (BalancePlanner.Step step : steps) {
      if (step.from().contains(serverId) && !step.to().contains(serverId)) {
        stays--;
      }
    }
    return stays == 0
        ? ""
        : stays
            + (stays == 1 ? " replica stays" : " replicas stay")
            + " on server "
            + serverId
            + ": no other server may take them, or they are being moved, or another of their"
            + " servers is away; start one, or lower table.replication.factor, then rebalance";
  }

  /** Says that a server is given replicas again. */
  public CompletableFuture<Void> activate(int serverId) {
    return log.submit(new Command.SetServerState(serverId, ServerState.ACTIVE))
        .thenAccept(applied -> applied.outcome().orThrow());
  }

  /**
   * Takes an empty server away for good. INVALID_ARGUMENT while it holds replicas, naming one whose
   * only in-sync copy it has if there is such a one.
   */
  public CompletableFuture<Void> decommission(int serverId) {
    return log.readLatest()
        .thenCompose(
            image -> {
              requireEmpty(image, serverId);
              return log.submit(new Command.SetServerState(serverId, ServerState.DECOMMISSIONED));
            })
        .thenAccept(
            applied -> {
              applied.outcome().orThrow();
              LOG.info("Tablet {} is decommissioned", serverId);
            });
  }

  private static void requireEmpty(MetadataImage image, int serverId) {
    TabletServer server = image.state().servers().get(serverId);
    if (server == null) {
      throw new SluiceException(ErrorCode.NOT_FOUND, image.state().noSuchServer(serverId));
    }
    int replicas = 0;
    String last = "";
    for (PersistentMap.Entry<Long, Table> entry : image.state().tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (bucket.replicas().contains(serverId)) {
          replicas++;
          if (bucket.isr().equals(List.of(serverId))) {
            last = entry.value().path() + ", bucket " + bucket.bucket();
          }
        }
      }
    }
    if (replicas > 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Tablet server "
              + serverId
              + " still holds "
              + replicas
              + (replicas == 1 ? " replica" : " replicas")
              + (last.isEmpty() ? "" : ", among them the last in-sync copy of " + last)
              + "; drain it first and wait until the rebalance is over");
    }
  }

  private CompletableFuture<Outcome.Accepted> one(Command command) {
    return log.submit(command)
        .thenApply(
            applied -> {
              Outcome.Accepted accepted = applied.outcome().orThrow();
              accepted.decisions().forEach(Outcome.Decision::orThrow);
              return accepted;
            });
  }

  /** Group after group, as a command names a bounded number of buckets; stops at a failure. */
  private CompletableFuture<Void> inGroups(
      List<TableBucket> buckets, Function<List<TableBucket>, Command> command) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    int most = Command.ForReplicas.MAX_BUCKETS;
    for (int from = 0; from < buckets.size(); from += most) {
      List<TableBucket> group = buckets.subList(from, Math.min(buckets.size(), from + most));
      done =
          done.thenCompose(before -> log.submit(command.apply(group)))
              .thenAccept(
                  applied ->
                      applied.outcome().orThrow().decisions().stream()
                          .filter(decision -> decision.refusal() != ErrorCode.BUCKET_NOT_FOUND)
                          .forEach(Outcome.Decision::orThrow));
    }
    return done;
  }
}

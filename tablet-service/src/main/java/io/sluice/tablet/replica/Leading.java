package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.LogBeginning;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import io.sluice.tablet.replication.ReplicationSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica as the leader of its bucket, from the record of its epoch on: knows who follows and how
 * far, and thus what is committed; proposes who is in sync. The rules are {@link IsrTracker}'s and
 * {@link FetchDecision}'s.
 *
 * <p>Changed by the shard's thread; {@link ReplicationSource}'s methods, {@link #hasLease} and
 * {@link #view} are for everybody.
 */
final class Leading implements ReplicationSource {
  private static final Logger logger = LoggerFactory.getLogger(Leading.class);

  /** After a refusal the coordinator is left in peace for so long. */
  private static final long PROPOSAL_PAUSE_NANOS = 500_000_000;

  private final LocalReplica replica;
  private final ReplicaContext context;
  private final BucketLog log;
  private final CommitPoint commits;
  private final RepeatedFetches repeated;
  private List<Integer> replicas = List.of();
  private int isrVersion;
  // The only replica: all that is written is committed.
  private boolean alone;
  private boolean writable;
  private long nextProposalNanos;
  // End of a hole that no batch is behind, -1 when there is none.
  private long untoldHoleEnd = -1;
  private long untoldHoleStart;
  private int epochWithoutSpace;
  private long toldEnd;
  private long toldCommitted;
  private volatile @Nullable IsrTracker tracker;
  private volatile @Nullable LeaderView view;

  Leading(LocalReplica replica, ReplicaContext context, BucketLog log, CommitPoint commits) {
    this.replica = replica;
    this.context = context;
    this.log = log;
    this.commits = commits;
    this.repeated = new RepeatedFetches(log);
  }

  /**
   * Begins to lead under a newer epoch, at once.
   *
   * @throws SluiceException when the epoch cannot be recorded; DISK_FULL when that may be tried
   *     again, unless the log is broken
   */
  void begin(ReplicaRole role) {
    int epoch = role.leaderEpoch();
    long start = log.startEpoch(epoch);
    skipWhatTheLakeHas(role.lakeEndOffset(), epoch);
    tracker =
        new IsrTracker(
            context.serverId(),
            epoch,
            start,
            commits.committed(),
            context.replication().lagNanos());
    isrVersion = -1;
    repeated.clear();
    nextProposalNanos = context.time().nanoTime();
    decided(role);
  }

  private void skipWhatTheLakeHas(long lakeEnd, int epoch) {
    long end = log.endOffset();
    if (lakeEnd > end) {
      if (untoldHoleEnd != end) {
        untoldHoleStart = end;
      }
      // The batch below takes the lake's last offset: rows begin where the next round reads on.
      untoldHoleEnd = lakeEnd - 1;
      if (untoldHoleEnd > end) {
        log.jumpTo(untoldHoleEnd);
      }
    }
    if (untoldHoleEnd != log.endOffset()) {
      return;
    }
    // Followers hear of the hole by the first batch behind it.
    log.append(LogBatchHeader.control(BatchWriter.NONE), List.of(), epoch);
    context.counters().hole();
    logger.warn(
        "DATA LOST: the log of {} ({}) ends at {} but the lake has records below {}; offsets go on"
            + " there, so that none is used twice",
        replica.displayName(),
        bucket(),
        untoldHoleStart,
        untoldHoleEnd + 1);
    untoldHoleEnd = -1;
  }

  /**
   * After {@link #begin} has failed: whether it is to be called again, as only space was missing.
   * Perhaps nobody else has this log.
   */
  boolean waitsForSpace(ReplicaRole role, SluiceException failure) {
    end();
    if (failure.code() != ErrorCode.DISK_FULL || log.broken()) {
      return false;
    }
    replica.afterFailure(failure);
    if (epochWithoutSpace != role.leaderEpoch()) {
      epochWithoutSpace = role.leaderEpoch();
      logger.warn(
          "{} ({}) is led under epoch {} only once the disk has room: {}",
          replica.displayName(),
          bucket(),
          role.leaderEpoch(),
          failure.getMessage());
    }
    return true;
  }

  /** Does not lead any more, or serves nothing any more. */
  void end() {
    if (tracker != null) {
      tracker = null;
      view = null;
      writable = false;
      replica.news().forFollowers();
    }
  }

  /** Takes over what the coordinator has decided in this epoch. */
  void decided(ReplicaRole role) {
    IsrTracker now = tracker;
    if (now == null || role.isrVersion() <= isrVersion) {
      return;
    }
    List<Integer> before = now.isr();
    now.appended(log.endOffset());
    now.decided(
        role.replicas(),
        role.isr(),
        role.minInsync(),
        role.isrVersion(),
        context.time().nanoTime());
    tookOver(now, before, role.replicas(), role.isrVersion());
    replica.progressed();
  }

  private void tookOver(
      IsrTracker now, List<Integer> before, List<Integer> newReplicas, int version) {
    if (isrVersion >= 0) {
      countChanges(before, now.isr());
    }
    isrVersion = version;
    replicas = List.copyOf(newReplicas);
    alone = replicas.size() == 1 && replicas.get(0) == context.serverId();
    writable = alone || now.hasMinInsync();
    publish();
  }

  private void countChanges(List<Integer> before, List<Integer> after) {
    List<Integer> left = new ArrayList<>(before);
    left.removeAll(after);
    List<Integer> joined = new ArrayList<>(after);
    joined.removeAll(before);
    if (!left.isEmpty() || !joined.isEmpty()) {
      context.counters().isrChanged(left.size(), joined.size());
      logger.debug(
          "In sync for {} ({}): {}, was {}", replica.displayName(), bucket(), after, before);
    }
  }

  /** Whether this server leads, in any epoch that is recorded. */
  boolean isActive() {
    return tracker != null;
  }

  /** Whether the bucket has other replicas. */
  boolean hasOthers() {
    return tracker != null && !alone;
  }

  /** Log end when the epoch began; of an active leader. */
  long epochStart() {
    IsrTracker now = tracker;
    return now == null ? Long.MAX_VALUE : now.epochStart();
  }

  /** The epoch it leads in, -1 when it does not. */
  int epoch() {
    IsrTracker now = tracker;
    return now == null ? -1 : now.leaderEpoch();
  }

  /** Whether as many replicas are in sync as a write needs. */
  boolean isWritable() {
    return writable;
  }

  /** Refuses a write that fewer replicas would keep than demanded. */
  SluiceException notEnough(Refusals refusals) {
    IsrTracker now = tracker;
    return now == null
        ? replica.notLeading()
        : refusals.notEnoughReplicas(replicas, now.isr(), now.minInsync());
  }

  /** Looks how far the in-sync replicas have the log, and advances what is committed. */
  void advance() {
    IsrTracker now = tracker;
    if (now == null) {
      return;
    }
    long end = log.endOffset();
    if (alone) {
      commits.advanceTo(end);
      return;
    }
    now.appended(end);
    long reached = now.committed();
    commits.advanceTo(reached);
    if (end != toldEnd || reached != toldCommitted) {
      toldEnd = end;
      toldCommitted = reached;
      replica.news().forFollowers();
    }
  }

  /** At regular times: who lags leaves the in-sync set. */
  void tick() {
    if (tracker != null) {
      replica.progressed();
      propose();
      publish();
    }
  }

  private void propose() {
    IsrTracker now = tracker;
    long nanos = context.time().nanoTime();
    if (now == null || nanos - nextProposalNanos < 0) {
      return;
    }
    IsrTracker.Proposal proposal = now.propose(nanos);
    if (proposal != null) {
      context
          .replication()
          .proposals()
          .ask(bucket(), proposal, decision -> replica.onShard(() -> answered(proposal, decision)));
    }
  }

  private void answered(IsrTracker.Proposal proposal, IsrProposals.Decision decision) {
    IsrTracker now = tracker;
    if (now == null || now.leaderEpoch() != proposal.leaderEpoch()) {
      return;
    }
    long nanos = context.time().nanoTime();
    List<Integer> before = now.isr();
    now.appended(log.endOffset());
    now.answered(proposal, decision, nanos);
    IsrProposals.BucketState state = decision.now();
    if (state != null
        && state.leaderEpoch() == now.leaderEpoch()
        && state.isrVersion() > isrVersion) {
      tookOver(now, before, state.replicas(), state.isrVersion());
    }
    SluiceException refusal = decision.refusal();
    if (refusal != null) {
      logger.debug(
          "The in-sync set {} was refused for {}: {}",
          proposal.members(),
          replica.displayName(),
          refusal.getMessage());
      nextProposalNanos = nanos + PROPOSAL_PAUSE_NANOS;
    }
    replica.progressed();
  }

  /** Whether nobody else can act as leader yet; asked after what it protects was read. */
  boolean hasLease() {
    IsrTracker now = tracker;
    return now != null
        && now.hasLease(context.time().nanoTime(), context.replication().leaseNanos());
  }

  @Override
  public TableBucket bucket() {
    return log.bucket();
  }

  @Override
  public void fetched(
      FollowerLink link, FetchPosition position, boolean ready, Consumer<Answer> then) {
    replica.submit(
        new ShardCall(
            () -> then.accept(take(link, position, ready)),
            failure -> then.accept(new Answer(null, failure))));
  }

  private Answer take(FollowerLink link, FetchPosition position, boolean ready) {
    try {
      IsrTracker now = tracker;
      if (now == null) {
        throw replica.notLeading();
      }
      FetchDecision decision =
          FetchDecision.of(
              now.leaderEpoch(), log.epochs(), log.startOffset(), log.endOffset(), position);
      if (decision instanceof FetchDecision.Agrees) {
        repeated.fetched(link.serverId(), position.offset());
        now.fetched(link, position.offset(), ready, context.time().nanoTime());
        replica.progressed();
        if (!now.isr().contains(link.serverId())) {
          propose();
        }
      }
      return new Answer(decision, null);
    } catch (SluiceException e) {
      return new Answer(null, e);
    }
  }

  @Override
  public void left(FollowerLink link) {
    replica.onShard(
        () -> {
          IsrTracker now = tracker;
          if (now != null) {
            now.left(link);
          }
        });
  }

  @Override
  public @Nullable State state() {
    int epoch = epoch();
    // Each is read before the one that bounds it from above.
    long reached = commits.committed();
    long start = log.startOffset();
    long end = log.endOffset();
    return epoch < 0 || epoch != epoch() ? null : new State(epoch, reached, start, end);
  }

  @Override
  public ByteBuffer read(long offset, int maxBytes, IntFunction<ByteBuffer> memory) {
    replica.requireServing();
    try {
      ByteBuffer batches = log.read(offset, maxBytes, memory);
      repeated.verify(offset, batches);
      return batches;
    } catch (SluiceException e) {
      throw replica.afterRead(e);
    }
  }

  @Override
  public Beginning beginning() {
    replica.requireServing();
    try {
      LogBeginning all = log.beginning();
      return new Beginning(all.offset(), all.writers(), all.lastTimeMs(), all.epochs());
    } catch (SluiceException e) {
      throw replica.afterRead(e);
    }
  }

  @Override
  public void addReplicationListener(Runnable listener) {
    replica.news().followers().add(listener);
  }

  @Override
  public void removeReplicationListener(Runnable listener) {
    replica.news().followers().remove(listener);
  }

  private void publish() {
    IsrTracker now = tracker;
    if (now == null || alone) {
      view = null;
      return;
    }
    long end = log.endOffset();
    List<LeaderView.Follower> all = new ArrayList<>(replicas.size());
    for (int server : replicas) {
      if (server != context.serverId()) {
        long reached = now.followerEnd(server);
        all.add(
            new LeaderView.Follower(
                server, now.isr().contains(server), reached, Math.max(0, end - reached)));
      }
    }
    view = new LeaderView(now.leaderEpoch(), replicas, now.isr(), now.minInsync(), all);
  }

  /** What it knew of its followers at the last tick; null when there are none. */
  @Nullable LeaderView view() {
    return view;
  }
}

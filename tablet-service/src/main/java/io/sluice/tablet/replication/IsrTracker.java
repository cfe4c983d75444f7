package io.sluice.tablet.replication;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a leader knows of its followers in one epoch: how far each is, who is in sync, and thus what
 * is committed.
 *
 * <ul>
 *   <li>{@code committed} is the smallest log end over the in-sync set and those proposed for it; a
 *       proposed removal counts only once the coordinator has answered (KIP-497). It never goes
 *       down, and does not move while there are fewer in-sync replicas than demanded (KIP-966).
 *   <li>A follower is proposed when its log end is at or behind both committed and the start of the
 *       epoch; with the incarnation that fetches, since a process that starts anew may have lost
 *       what its predecessor had (KIP-903).
 *   <li>One that has not been at the log end for {@code lagNanos} is proposed to leave. One that
 *       has reached what was the log end when it fetched before was there then: under steady writes
 *       nobody ever stands at the newest end.
 *   <li>Those who were refused are proposed again one by one, a pause later.
 *   <li>After decisions that were missed here nobody is proposed by a stream that may be dead: its
 *       replica may have been moved away and back meanwhile, empty. One that fetches on by then is
 *       the same replica, as it would have left the stream.
 *   <li>One proposal at a time; while its outcome is unknown the additions count.
 *   <li>A refusal that leaves the version as it was does not settle the proposal: a copy of it may
 *       still be on its way and be accepted later. Its additions count until the version grows; for
 *       that the set as it is is asked for once more.
 * </ul>
 *
 * <p>Not thread-safe but for {@link #hasLease}; reads no clock.
 */
public final class IsrTracker {
  private final int self;
  private final int leaderEpoch;
  private final long epochStart;
  private final long lagNanos;
  private final Map<Integer, Follower> followers = new HashMap<>();
  private List<Integer> replicas = List.of();
  private List<Integer> isr = List.of();
  // Those whose promise a lease needs: in sync, or proposed and perhaps in sync by now.
  private volatile List<Integer> promising = List.of();
  private int isrVersion = -1;
  private int minInsync = Integer.MAX_VALUE;
  private long logEnd;
  private long committed;
  private @Nullable Proposal proposed;
  // Refused, but perhaps in sync by now: they count like proposed ones.
  private Set<Integer> doubtful = Set.of();
  private volatile Map<Integer, FollowerLink> links = Map.of();

  /** A replica elsewhere. */
  private static final class Follower {
    private @Nullable FollowerLink link;
    private long logEnd = -1;
    private boolean ready;
    private long caughtUpNanos;
    // What was the log end when it fetched last, and when that was.
    private long soughtEnd = Long.MAX_VALUE;
    private long soughtNanos;
    // Not proposed before: the coordinator has refused it, or it may be another one than it was.
    private long joinsNanos;
    private int refusals;

    Follower(long nowNanos) {
      this.caughtUpNanos = nowNanos;
      this.joinsNanos = nowNanos;
    }
  }

  /**
   * A member of a proposed set.
   *
   * @param serverId the server
   * @param incarnation the process that fetches; empty for those who are in the set already: had
   *     one of them lost something it would not be in this version of the set
   */
  public record Member(int serverId, String incarnation) {}

  /**
   * A change of the in-sync set that the coordinator is asked for.
   *
   * @param isrVersion version of the set that it changes
   */
  public record Proposal(int leaderEpoch, int isrVersion, List<Member> members) {
    public Proposal {
      members = List.copyOf(members);
    }
  }

  /**
   * @param epochStart log end when this epoch began
   * @param committed what was committed as far as this server knew; what its log does not have any
   *     more, after a loss that was accepted, is not
   * @param lagNanos how long one may be behind before it leaves
   */
  public IsrTracker(int self, int leaderEpoch, long epochStart, long committed, long lagNanos) {
    this.self = self;
    this.leaderEpoch = leaderEpoch;
    this.epochStart = epochStart;
    this.logEnd = epochStart;
    this.committed = Math.min(committed, epochStart);
    this.lagNanos = lagNanos;
  }

  /** The epoch this is about. */
  public int leaderEpoch() {
    return leaderEpoch;
  }

  /** Log end when the epoch began. */
  public long epochStart() {
    return epochStart;
  }

  /**
   * The coordinator's decision for this epoch; one that is not newer changes nothing. It ends a
   * proposal of an older version: had that been accepted, this decision would have it.
   *
   * @param newMinInsync in-sync replicas without which nothing is committed
   * @param version grows with every change of the bucket in this epoch
   */
  public void decided(
      List<Integer> newReplicas,
      List<Integer> newIsr,
      int newMinInsync,
      int version,
      long nowNanos) {
    if (version <= isrVersion) {
      return;
    }
    replicas = List.copyOf(newReplicas);
    followers.keySet().retainAll(replicas);
    for (int replica : replicas) {
      if (replica != self) {
        followers.computeIfAbsent(replica, any -> new Follower(nowNanos));
      }
    }
    minInsync = newMinInsync;
    isr = List.copyOf(newIsr);
    if (isrVersion >= 0 && version > isrVersion + 1) {
      for (Follower follower : followers.values()) {
        follower.joinsNanos = nowNanos + lagNanos;
      }
    }
    isrVersion = version;
    if (proposed != null && proposed.isrVersion() < version) {
      proposed = null;
    }
    doubtful = Set.of();
    relink();
    repromise();
    advance();
  }

  /**
   * The coordinator has answered a proposal. What it says of another epoch changes nothing here:
   * either the role of a newer one is on its way, and this tracker asks for nothing more, or the
   * answer is older than this epoch.
   */
  public void answered(Proposal proposal, IsrProposals.Decision decision, long nowNanos) {
    IsrProposals.BucketState now = decision.now();
    if (now == null || now.leaderEpoch() != leaderEpoch || now.leaderServerId() != self) {
      return;
    }
    // First, so that nothing of the proposal stops counting that has been accepted.
    decided(now.replicas(), now.isr(), now.minInsync(), now.isrVersion(), nowNanos);
    if (!proposal.equals(proposed)) {
      return;
    }
    TreeSet<Integer> doubts = new TreeSet<>(doubtful);
    for (Member member : proposal.members()) {
      if (!isr.contains(member.serverId())) {
        doubts.add(member.serverId());
        Follower follower = followers.get(member.serverId());
        if (follower != null) {
          follower.joinsNanos = nowNanos + lagNanos / 10;
          follower.refusals++;
        }
      }
    }
    doubtful = Collections.unmodifiableSet(doubts);
    proposed = null;
    repromise();
  }

  private void repromise() {
    TreeSet<Integer> all = new TreeSet<>(isr);
    if (proposed != null) {
      proposed.members().forEach(member -> all.add(member.serverId()));
    }
    all.addAll(doubtful);
    all.remove(self);
    promising = List.copyOf(all);
  }

  /** The log has grown. */
  public void appended(long newLogEnd) {
    if (newLogEnd > logEnd) {
      // Those who were at the end until now were so when they fetched last, which they may have
      // done without naming this bucket.
      for (Follower follower : followers.values()) {
        FollowerLink link = follower.link;
        if (link != null && follower.logEnd >= logEnd) {
          follower.caughtUpNanos = Math.max(follower.caughtUpNanos, link.lastFetchNanos());
        }
      }
    }
    logEnd = newLogEnd;
    advance();
  }

  /**
   * A follower has fetched, and the logs agree below the offset.
   *
   * @param offset its log end
   * @param ready whether it could lead at once: it has the rows of a primary-key table applied
   */
  public void fetched(FollowerLink link, long offset, boolean ready, long nowNanos) {
    Follower follower = followers.get(link.serverId());
    if (follower == null) {
      return;
    }
    boolean another = follower.link != link;
    follower.link = link;
    follower.logEnd = offset;
    follower.ready = ready;
    if (offset >= logEnd) {
      follower.caughtUpNanos = nowNanos;
    } else if (offset >= follower.soughtEnd) {
      follower.caughtUpNanos = Math.max(follower.caughtUpNanos, follower.soughtNanos);
    }
    follower.soughtEnd = logEnd;
    follower.soughtNanos = nowNanos;
    if (another) {
      follower.refusals = 0;
      follower.joinsNanos = nowNanos;
      relink();
    }
    advance();
  }

  /** The follower's stream is over, or the bucket is not in it any more. */
  public void left(FollowerLink link) {
    Follower follower = followers.get(link.serverId());
    if (follower != null && follower.link == link) {
      follower.link = null;
      follower.ready = false;
      relink();
    }
  }

  private void relink() {
    Map<Integer, FollowerLink> now = new HashMap<>();
    followers.forEach(
        (server, follower) -> {
          if (follower.link != null) {
            now.put(server, follower.link);
          }
        });
    links = Map.copyOf(now);
  }

  private void advance() {
    if (isr.size() < minInsync) {
      return;
    }
    long end = logEnd;
    for (int member : isr) {
      end = Math.min(end, endOf(member));
    }
    if (proposed != null) {
      for (Member member : proposed.members()) {
        end = Math.min(end, endOf(member.serverId()));
      }
    }
    for (int member : doubtful) {
      end = Math.min(end, endOf(member));
    }
    committed = Math.max(committed, end);
  }

  private long endOf(int server) {
    if (server == self) {
      return logEnd;
    }
    Follower follower = followers.get(server);
    return follower == null ? -1 : follower.logEnd;
  }

  /** End of what every in-sync replica has. */
  public long committed() {
    return committed;
  }

  /** Whether as many replicas are in sync as a write needs. */
  public boolean hasMinInsync() {
    return isr.size() >= minInsync;
  }

  /** In-sync replicas that a write needs. */
  public int minInsync() {
    return minInsync;
  }

  /** Servers in sync, as decided. */
  public List<Integer> isr() {
    return isr;
  }

  /** Log end of a follower as known here, -1 when it has not fetched in this epoch. */
  public long followerEnd(int server) {
    return endOf(server);
  }

  /** The change to ask the coordinator for now, null when there is none or one is on its way. */
  public @Nullable Proposal propose(long nowNanos) {
    if (proposed != null) {
      return null;
    }
    TreeSet<Integer> wanted = new TreeSet<>(isr);
    for (Map.Entry<Integer, Follower> entry : followers.entrySet()) {
      if (isr.contains(entry.getKey()) && lags(entry.getValue(), nowNanos)) {
        wanted.remove(entry.getKey());
      }
    }
    addJoining(wanted, nowNanos);
    if (doubtful.isEmpty() && wanted.size() == isr.size() && wanted.containsAll(isr)) {
      return null;
    }
    List<Member> members = new ArrayList<>();
    for (int server : wanted) {
      Follower follower = followers.get(server);
      FollowerLink link = follower == null || isr.contains(server) ? null : follower.link;
      members.add(new Member(server, link == null ? "" : link.incarnation()));
    }
    proposed = new Proposal(leaderEpoch, isrVersion, members);
    repromise();
    return proposed;
  }

  /**
   * All that may join and were not refused yet; else the one that was refused least: the
   * coordinator refuses a set as a whole, and one that is dead keeps nobody else out.
   */
  private void addJoining(TreeSet<Integer> wanted, long nowNanos) {
    int retried = -1;
    int fewest = Integer.MAX_VALUE;
    boolean fresh = false;
    for (Map.Entry<Integer, Follower> entry : followers.entrySet()) {
      Follower follower = entry.getValue();
      if (isr.contains(entry.getKey()) || !mayJoin(follower, nowNanos)) {
        continue;
      }
      if (follower.refusals == 0) {
        wanted.add(entry.getKey());
        fresh = true;
      } else if (follower.refusals < fewest) {
        retried = entry.getKey();
        fewest = follower.refusals;
      }
    }
    if (!fresh && retried >= 0) {
      wanted.add(retried);
    }
  }

  private boolean mayJoin(Follower follower, long nowNanos) {
    return follower.link != null
        && follower.ready
        && follower.logEnd >= committed
        && follower.logEnd >= epochStart
        && nowNanos - follower.joinsNanos >= 0
        && !lags(follower, nowNanos);
  }

  private boolean lags(Follower follower, long nowNanos) {
    long caughtUp = follower.caughtUpNanos;
    FollowerLink link = follower.link;
    if (link != null && follower.logEnd >= logEnd) {
      caughtUp = Math.max(caughtUp, link.lastFetchNanos());
    }
    return nowNanos - caughtUp > lagNanos;
  }

  /**
   * Whether nobody else can act as leader yet: every other replica that is in sync, or may be by
   * now, has promised so. On any thread, after what it protects was read.
   *
   * @param leaseNanos how long a promise lasts
   */
  public boolean hasLease(long nowNanos, long leaseNanos) {
    Map<Integer, FollowerLink> now = links;
    for (int member : promising) {
      FollowerLink link = now.get(member);
      if (link == null) {
        return false;
      }
      long base = link.leaseBaseNanos();
      if (base == FollowerLink.NO_LEASE || nowNanos - base >= leaseNanos) {
        return false;
      }
    }
    return true;
  }
}

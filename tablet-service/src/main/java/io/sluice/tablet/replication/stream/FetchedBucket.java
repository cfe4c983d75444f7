package io.sluice.tablet.replication.stream;

import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.ReplicationSource;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of a session: where the follower is and what it was told. Fields without another owner
 * are guarded by the session.
 *
 * <pre>
 * CHECKING --logs agree--> FOLLOWING --data sent--> AWAITING --new position--> CHECKING
 * CHECKING --they do not--> FOLLOWING with a verdict --sent--> AWAITING
 * any --refused, removed, end of the session--> GONE
 * </pre>
 */
final class FetchedBucket implements FollowerLink {
  /** Where a bucket stands. */
  enum Stage {
    CHECKING,
    FOLLOWING,
    AWAITING,
    GONE
  }

  private final FetchSession session;
  private final TableBucket bucket;
  private final BucketId id;
  private final Runnable listener;
  private volatile boolean closed;

  // Of the session's reading thread, then read by others.
  private volatile @Nullable ReplicationSource source;

  Stage stage = Stage.CHECKING;
  int version;
  int leaderEpoch;
  long offset;
  @Nullable Verdict verdict;
  boolean queued;
  boolean urgent;
  long committedTold = -1;
  long logStartTold = -1;

  FetchedBucket(FetchSession session, TableBucket bucket, BucketId id) {
    this.session = session;
    this.bucket = bucket;
    this.id = id;
    this.listener = () -> session.changed(this);
  }

  TableBucket bucket() {
    return bucket;
  }

  BucketId id() {
    return id;
  }

  /** The replica here, null until the first position was handed to it. */
  @Nullable ReplicationSource source() {
    return source;
  }

  /** The replica here, to which this listens from now on. */
  ReplicationSource attach(ReplicationSources sources) {
    ReplicationSource known = source;
    if (known == null) {
      known = sources.source(bucket);
      known.addReplicationListener(listener);
      source = known;
    }
    return known;
  }

  /** Ends the lease at once: the follower promises nothing with what it sends from now on. */
  void close() {
    closed = true;
  }

  /** Tells the replica that this follower has left; with nothing held. Twice is harmless. */
  void detach() {
    closed = true;
    ReplicationSource known = source;
    if (known != null) {
      known.removeReplicationListener(listener);
      known.left(this);
    }
  }

  @Override
  public int serverId() {
    return session.followerId();
  }

  @Override
  public String incarnation() {
    return session.followerIncarnation();
  }

  @Override
  public long lastFetchNanos() {
    return session.lastFetchNanos();
  }

  @Override
  public long leaseBaseNanos() {
    return closed ? NO_LEASE : session.leaseBaseNanos();
  }
}

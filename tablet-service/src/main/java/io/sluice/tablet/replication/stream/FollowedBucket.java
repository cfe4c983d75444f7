package io.sluice.tablet.replication.stream;

import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.replication.v1.BucketFetch;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.ReplicationSink;
import org.jspecify.annotations.Nullable;

/**
 * A replica of this server and whom it follows in one epoch. Guarded by the lock of {@link
 * FollowerStreams}.
 */
final class FollowedBucket {
  final ReplicationSink sink;
  final TableBucket bucket;
  final int leaderServerId;
  final int leaderEpoch;
  private final BucketId id;

  boolean inSync;

  /** Whether it was near the leader's log end when it last heard of that. */
  boolean near;

  /** The stream it is fetched on. */
  @Nullable FetchStream stream;

  /** Whether the leader has it in the stream, as far as is known: a request named it. */
  boolean told;

  /** Whether a part of an answer is on its way through the replica: not fetched meanwhile. */
  boolean storing;

  /** Not fetched before a pause is over. */
  boolean paused;

  long backOffMs;

  /** What earlier streams have promised for it. */
  long promisedNanos;

  FollowedBucket(
      ReplicationSink sink, int leaderServerId, int leaderEpoch, boolean inSync, long promised) {
    this.sink = sink;
    this.bucket = sink.bucket();
    this.id = BucketIds.of(bucket);
    this.leaderServerId = leaderServerId;
    this.leaderEpoch = leaderEpoch;
    this.inSync = inSync;
    this.promisedNanos = promised;
  }

  /** What a request says of it; null while the replica does not follow in this epoch. */
  @Nullable BucketFetch fetch() {
    FetchPosition position = sink.position();
    if (position == null || position.leaderEpoch() != leaderEpoch) {
      return null;
    }
    return BucketFetch.newBuilder()
        .setBucket(id)
        .setLeaderEpoch(leaderEpoch)
        .setOffset(position.offset())
        .setLastEpoch(position.lastEpoch())
        .setReady(sink.ready())
        .build();
  }

  /** Whether it may be asked for now. */
  boolean mayBeFetched() {
    return !paused && !storing;
  }
}

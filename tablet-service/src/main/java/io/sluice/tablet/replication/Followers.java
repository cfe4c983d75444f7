package io.sluice.tablet.replication;

import io.sluice.common.TableBucket;

/** Who fetches for the replicas of this server that follow others. Thread-safe, never blocks. */
public interface Followers {
  /**
   * The replica follows the leader on that server in that epoch from now on, and no other.
   *
   * @param inSync whether it is in the in-sync set; others catch up on a throttled stream until
   *     they are near the leader's log end
   */
  void follow(ReplicationSink sink, int leaderServerId, int leaderEpoch, boolean inSync);

  /** The replica follows nobody from now on. */
  void unfollow(TableBucket bucket);

  /** Until when this server has promised not to act as leader of the bucket, monotonic. */
  long promisedUntilNanos(TableBucket bucket);

  /** Nobody to follow: for servers and tests without replication. */
  Followers NONE =
      new Followers() {
        @Override
        public void follow(
            ReplicationSink sink, int leaderServerId, int leaderEpoch, boolean inSync) {
          throw new IllegalStateException("Nobody fetches for " + sink.bucket());
        }

        @Override
        public void unfollow(TableBucket bucket) {
          // Nothing is followed.
        }

        @Override
        public long promisedUntilNanos(TableBucket bucket) {
          return Long.MIN_VALUE;
        }
      };
}

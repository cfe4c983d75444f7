package io.sluice.tablet.replication;

import java.util.concurrent.TimeUnit;

/** How long promises hold and patience lasts; the same on every server of a cluster. */
public final class ReplicationTimes {
  private ReplicationTimes() {}

  /** A follower that fetches promises for so long not to act as leader. */
  public static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A follower that has not been at the log end for so long is no longer in sync. */
  public static final long LAG_NANOS = TimeUnit.SECONDS.toNanos(10);
}

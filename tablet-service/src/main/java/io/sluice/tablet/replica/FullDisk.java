package io.sluice.tablet.replica;

import io.sluice.common.TimeSource;
import io.sluice.tablet.log.DiskGuard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hands over what this server leads when its disk takes no more writes: another in-sync replica may
 * have room, and this one goes on as a follower, which may fill the disk a little further. For a
 * while only, each time the disk fills up: where all disks are full buckets must not be led now
 * here, now there. Asked by the thread that reports to the coordinator.
 */
final class FullDisk {
  /** Retention or a clean-up may help before. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final DiskGuard disk;
  private final TimeSource time;
  private boolean wasFull;
  private long fullSinceNanos;

  FullDisk(DiskGuard disk, TimeSource time) {
    this.disk = disk;
    this.time = time;
  }

  /** The replicas that another server should lead now, with the reason. */
  synchronized List<OfflineReplica> handsOver(Collection<LocalReplica> replicas) {
    long now = time.nanoTime();
    if (!disk.full()) {
      wasFull = false;
      return List.of();
    }
    if (!wasFull) {
      wasFull = true;
      fullSinceNanos = now;
    }
    long sinceNanos = now - fullSinceNanos;
    if (sinceNanos < PATIENCE_NANOS || sinceNanos > END_NANOS) {
      return List.of();
    }
    List<OfflineReplica> led = new ArrayList<>();
    for (LocalReplica replica : replicas) {
      LeaderView view = replica.leading().view();
      if (view != null && view.isr().size() > 1) {
        led.add(
            new OfflineReplica(
                replica.bucket(), "the disk of " + disk.directory() + " takes no more writes"));
      }
    }
    return led;
  }
}

package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who leads the buckets of one table, looked up again on request but not more often than every 50
 * ms. Owned by the thread behind its executor.
 */
final class LeaderView {
  private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Tables tables;
  private final TableDescription table;
  private final Executor owner;
  private final TimeSource time;
  private final @Nullable String[] leaders;
  private final Map<TableBucket, String> partitionLeaders = new HashMap<>();

  /** How many look-ups in a row did not have a partition that is watched. */
  private final Map<Long, Integer> missing = new HashMap<>();

  private boolean underWay;
  private boolean wanted;
  private long notBeforeNanos;
  private @Nullable SluiceException gone;

  LeaderView(Tables tables, TableDescription table, Executor owner, TimeSource time) {
    this.tables = tables;
    this.table = table;
    this.owner = owner;
    this.time = time;
    this.leaders = new String[table.partitioned() ? 0 : table.bucketCount()];
    this.notBeforeNanos = time.nanoTime();
    take(table);
  }

  /** Address of the bucket's leader, null when none is known. */
  @Nullable String leaderOf(TableBucket bucket) {
    return bucket.partitionId() == TableBucket.NO_PARTITION
        ? leaders[bucket.bucket()]
        : partitionLeaders.get(bucket);
  }

  /** Has a partition that is in use looked for; does nothing when the table is not partitioned. */
  void watch(long partitionId) {
    if (partitionId != TableBucket.NO_PARTITION) {
      missing.putIfAbsent(partitionId, 0);
    }
  }

  /**
   * Whether a watched partition is gone: two look-ups in a row did not have it, the second of which
   * cannot have begun before it was created.
   */
  boolean isGone(long partitionId) {
    return missing.getOrDefault(partitionId, 0) >= 2;
  }

  /** Why there is no such table any more, null while there is. */
  @Nullable SluiceException gone() {
    return gone;
  }

  /** Asks for a look-up now or as soon as the last one is long enough ago. */
  void refresh(long now) {
    wanted = true;
    refreshIfWanted(now);
  }

  void refreshIfWanted(long now) {
    if (!wanted || underWay || gone != null || now - notBeforeNanos < 0) {
      return;
    }
    wanted = false;
    underWay = true;
    tables
        .refresh(table.path())
        .whenComplete((found, failure) -> owner.execute(() -> refreshed(found, failure)));
  }

  private void refreshed(@Nullable TableDescription found, @Nullable Throwable failure) {
    underWay = false;
    notBeforeNanos = time.nanoTime() + SHORTEST_INTERVAL_NANOS;
    if (failure != null) {
      // Another failure than "no such table" changes nothing: the next attempt asks again.
      if (StatusMapping.fromStatus(failure).code() == ErrorCode.TABLE_NOT_FOUND) {
        gone = Leaders.changed(table.path(), table.tableId());
      }
    } else if (found != null && found.tableId() != table.tableId()) {
      gone = Leaders.changed(table.path(), table.tableId());
    } else if (found != null) {
      take(found);
      countMissing(found);
    }
  }

  private void countMissing(TableDescription found) {
    if (missing.isEmpty()) {
      return;
    }
    Set<Long> there = new HashSet<>();
    found.partitions().forEach(each -> there.add(each.partitionId()));
    missing.replaceAll((id, count) -> there.contains(id) ? 0 : count + 1);
    boolean again = false;
    for (int count : missing.values()) {
      again |= count == 1;
    }
    if (again) {
      wanted = true;
    }
  }

  private void take(TableDescription found) {
    Arrays.fill(leaders, null);
    partitionLeaders.clear();
    for (BucketDescription bucket : found.buckets()) {
      String leader = bucket.leaderAddress();
      if (bucket.partitionId() != TableBucket.NO_PARTITION) {
        if (leader != null) {
          partitionLeaders.put(bucket.tableBucket(table.tableId()), leader);
        }
      } else if (bucket.bucket() < leaders.length) {
        leaders[bucket.bucket()] = leader;
      }
    }
  }
}

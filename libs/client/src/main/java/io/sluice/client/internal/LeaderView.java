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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who leads the buckets of one table, looked up again on request but not more often than every 50
 * ms, and until a coordinator has answered. Owned by the thread behind its executor.
 */
final class LeaderView {
  private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How often a leader that does not answer is looked up again: it may have been replaced. */
  private static final long SILENT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often in a row a server's word is taken for who leads. */
  private static final int MAX_HOPS = 2;

  private static final String LEADER = "leader";
  private static final Pattern ADDRESS = Pattern.compile("[^\\s/]{1,255}:[1-9][0-9]{0,4}");

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
  private long lastRefreshNanos;
  private @Nullable SluiceException gone;

  LeaderView(Tables tables, TableDescription table, Executor owner, TimeSource time) {
    this.tables = tables;
    this.table = table;
    this.owner = owner;
    this.time = time;
    this.leaders = new String[table.partitioned() ? 0 : table.bucketCount()];
    this.notBeforeNanos = time.nanoTime();
    this.lastRefreshNanos = notBeforeNanos;
    take(table);
  }

  /** Address of the bucket's leader, null when none is known. */
  @Nullable String leaderOf(TableBucket bucket) {
    return bucket.partitionId() == TableBucket.NO_PARTITION
        ? leaders[bucket.bucket()]
        : partitionLeaders.get(bucket);
  }

  /**
   * Takes over who leads a bucket from a server's refusal.
   *
   * @param failures failures of the bucket in a row, of which this is the last
   * @return whether another server is to be asked now, without a pause: not when servers name each
   *     other
   */
  boolean follow(TableBucket bucket, SluiceException refusal, int failures) {
    String named = refusal.details().get(LEADER);
    if (refusal.code() != ErrorCode.NOT_LEADER
        || failures > MAX_HOPS
        || named == null
        || !ADDRESS.matcher(named).matches()) {
      return false;
    }
    if (bucket.partitionId() != TableBucket.NO_PARTITION) {
      partitionLeaders.put(bucket, named);
    } else {
      leaders[bucket.bucket()] = named;
    }
    return true;
  }

  /** Has the leader of a bucket that is waited for looked up now and then. */
  void refreshSilent(long now) {
    if (now - lastRefreshNanos >= SILENT_INTERVAL_NANOS) {
      refresh(now);
    }
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
    lastRefreshNanos = now;
    tables
        .refresh(table.path())
        .whenComplete((found, failure) -> owner.execute(() -> refreshed(found, failure)));
  }

  private void refreshed(@Nullable TableDescription found, @Nullable Throwable failure) {
    underWay = false;
    notBeforeNanos = time.nanoTime() + SHORTEST_INTERVAL_NANOS;
    if (failure != null) {
      ErrorCode code = StatusMapping.fromStatus(failure).code();
      if (code == ErrorCode.TABLE_NOT_FOUND) {
        gone = Leaders.changed(table.path(), table.tableId());
      } else if (code.retriable()) {
        // Another coordinator may know.
        wanted = true;
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

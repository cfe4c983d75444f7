package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.MergeRules;
import java.util.concurrent.CompletableFuture;

/**
 * Gives ids of auto-increment columns to the leaders of buckets: each id of a table once, whatever
 * happens to those who got it. Futures fail with a {@link SluiceException}. Thread-safe.
 */
public final class IdGrants {
  private final MetadataLog log;

  public IdGrants(MetadataLog log) {
    this.log = log;
  }

  /**
   * Ids that were given away.
   *
   * @param first the first of them, from 1
   * @param count how many, at least 1
   */
  public record Range(long first, long count) {}

  /**
   * Gives ids to the leader of a bucket, once that is committed.
   *
   * @param serverId the server that asks
   * @param leaderEpoch the epoch in which it leads the bucket; NOT_LEADER when it does not
   * @param count how many are wanted; no more are given than the table allows at once, and fewer
   *     when the column's type has no more. IDS_EXHAUSTED when it has none
   */
  public CompletableFuture<Range> grant(
      TableBucket bucket, int serverId, int leaderEpoch, long count) {
    return log.readLatest()
        .thenCompose(
            image -> {
              Table table = image.state().table(bucket.tableId());
              if (table == null) {
                throw new SluiceException(
                    ErrorCode.TABLE_NOT_FOUND, "There is no table with id " + bucket.tableId());
              }
              return log.submit(command(table, bucket, serverId, leaderEpoch, count));
            })
        .thenApply(
            applied -> {
              Outcome.Accepted granted = applied.outcome().orThrow();
              return new Range(granted.id(), granted.count());
            });
  }

  private static Command command(
      Table table, TableBucket bucket, int serverId, int leaderEpoch, long count) {
    MergeRules rules = MergeRules.of(table.schema(), table.options());
    if (rules.autoIncrementColumn() < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Table " + table.path() + " has no auto-increment column");
    }
    return new Command.GrantIds(
        bucket.tableId(),
        bucket.partitionId(),
        bucket.bucket(),
        serverId,
        leaderEpoch,
        Math.min(Math.max(1, count), rules.maxIdRange()),
        rules.largestId());
  }
}

package io.sluice.coordinator.membership;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Table;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.AlterIsrResponse;
import io.sluice.protocol.cluster.v1.IsrChange;
import io.sluice.protocol.cluster.v1.IsrDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;

/**
 * Decides about the in-sync sets that leaders ask for, by commands. Futures fail with a {@link
 * SluiceException}: nothing is known then of what was decided. Thread-safe.
 */
public final class IsrChanges {
  private static final int MAX_CHANGES = 100_000;

  /** Of no process: a server whose replica is offline does not come in with it. */
  private static final String NO_INCARNATION = "";

  private final MetadataLog log;
  private final BiPredicate<Integer, TableBucket> offline;

  /**
   * @param offline whether a server reports its replica of a bucket as offline: it may be about to
   *     begin it anew, and a leader that has not heard of that may still ask for it
   */
  public IsrChanges(MetadataLog log, BiPredicate<Integer, TableBucket> offline) {
    this.log = log;
    this.offline = offline;
  }

  /** The decisions, once they are committed; INVALID_ARGUMENT for a request that makes no sense. */
  public CompletableFuture<AlterIsrResponse> alter(AlterIsrRequest request) {
    List<Command.IsrChange> changes = changes(request);
    List<CompletableFuture<MetadataLog.Applied>> parts = new ArrayList<>();
    for (int from = 0; from < changes.size(); from += Command.ForReplicas.MAX_BUCKETS) {
      int to = Math.min(changes.size(), from + Command.ForReplicas.MAX_BUCKETS);
      parts.add(log.submit(new Command.AlterIsr(request.getServerId(), changes.subList(from, to))));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<Outcome.Decision> decisions = new ArrayList<>(changes.size());
              for (CompletableFuture<MetadataLog.Applied> part : parts) {
                decisions.addAll(part.join().outcome().orThrow().decisions());
              }
              return response(changes, decisions);
            });
  }

  private List<Command.IsrChange> changes(AlterIsrRequest request) {
    if (request.getServerId() < 1 || request.getChangesCount() > MAX_CHANGES) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Server "
              + request.getServerId()
              + " asks for "
              + request.getChangesCount()
              + " changes of in-sync replicas; a server's id is at least 1, and it may ask for "
              + MAX_CHANGES
              + " at once");
    }
    List<Command.IsrChange> changes = new ArrayList<>(request.getChangesCount());
    for (IsrChange change : request.getChangesList()) {
      TableBucket bucket = Registrations.toBucket(change.getBucket());
      changes.add(
          new Command.IsrChange(
              bucket,
              change.getLeaderEpoch(),
              change.getIsrVersion(),
              change.getIsrList().stream()
                  .map(
                      member ->
                          new Command.IsrMember(
                              member.getServerId(),
                              offline.test(member.getServerId(), bucket)
                                  ? NO_INCARNATION
                                  : member.getIncarnation()))
                  .toList()));
    }
    return changes;
  }

  private AlterIsrResponse response(
      List<Command.IsrChange> changes, List<Outcome.Decision> decisions) {
    ClusterState state = log.current().state();
    AlterIsrResponse.Builder response = AlterIsrResponse.newBuilder();
    for (int i = 0; i < changes.size(); i++) {
      IsrDecision.Builder decision =
          IsrDecision.newBuilder().setMessage(decisions.get(i).message());
      ErrorCode refusal = decisions.get(i).refusal();
      if (refusal != null) {
        decision.setCode(refusal.name());
      }
      TableBucket id = changes.get(i).bucket();
      Table table = state.table(id.tableId());
      Bucket bucket = state.bucket(id);
      if (table != null && bucket != null) {
        decision.setState(TabletViews.replica(state, table, bucket));
      }
      response.addDecisions(decision);
    }
    return response.build();
  }
}

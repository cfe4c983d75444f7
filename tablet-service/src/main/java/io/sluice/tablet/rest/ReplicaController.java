package io.sluice.tablet.rest;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.LeaderView;
import io.sluice.tablet.replica.OfflineReplica;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicaStanding;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The replicas on this server: {@code GET /api/v1/replicas}. */
@RestController
@RequestMapping("/api/v1/replicas")
public final class ReplicaController {
  private final ReplicaSet replicas;

  public ReplicaController(ReplicaSet replicas) {
    this.replicas = replicas;
  }

  /**
   * Everything on this server.
   *
   * @param replicas replicas that serve, by table and bucket
   * @param offline replicas that do not, with the reason
   * @param diskUsedBytes bytes of all of them
   */
  public record ReplicaList(
      List<ReplicaView> replicas, List<OfflineView> offline, long diskUsedBytes) {}

  /**
   * One replica with its offsets. {@code leaderEpoch} is there only where this server leads, {@code
   * followers} only where it leads or begins to.
   *
   * @param role LEADER, PREPARING (becomes the leader) or FOLLOWER
   * @param leaderServerId who leads as far as is known here, 0 when nobody
   * @param epoch the epoch of that leader
   */
  public record ReplicaView(
      long tableId,
      long partitionId,
      String table,
      int bucket,
      String role,
      boolean leader,
      @Nullable Integer leaderEpoch,
      int leaderServerId,
      int epoch,
      List<Integer> replicas,
      List<Integer> isr,
      List<LeaderView.Follower> followers,
      long logStart,
      long committed,
      long visible,
      long stable,
      long logEnd,
      long sizeBytes) {}

  /** A replica that serves nothing. */
  public record OfflineView(long tableId, @Nullable String table, int bucket, String reason) {}

  @GetMapping
  ReplicaList list() {
    List<ReplicaView> serving =
        replicas.all().stream()
            .sorted(Comparator.comparing(Replica::bucket))
            .map(this::view)
            .filter(Objects::nonNull)
            .toList();
    List<OfflineView> offline =
        replicas.offline().stream()
            .sorted(Comparator.comparing(OfflineReplica::bucket))
            .map(each -> view(each.bucket(), each.reason()))
            .toList();
    return new ReplicaList(serving, offline, replicas.diskUsedBytes());
  }

  private @Nullable ReplicaView view(Replica replica) {
    TableBucket bucket = replica.bucket();
    ReplicaStanding standing = replicas.standing(bucket);
    if (standing == null) {
      return null;
    }
    ReplicaOffsets offsets = replica.offsets();
    Integer epoch = leaderEpoch(replica);
    LeaderView leading = standing.leading();
    return new ReplicaView(
        bucket.tableId(),
        bucket.partitionId(),
        replica.table().path().toString(),
        bucket.bucket(),
        standing.state().name(),
        epoch != null,
        epoch,
        standing.leaderServerId(),
        standing.leaderEpoch(),
        standing.replicas(),
        standing.isr(),
        leading == null ? List.of() : leading.followers(),
        offsets.logStart(),
        offsets.committed(),
        offsets.visible(),
        offsets.stable(),
        offsets.logEnd(),
        replica.sizeBytes());
  }

  private OfflineView view(TableBucket bucket, String reason) {
    HostedTable table = replicas.table(bucket.tableId());
    return new OfflineView(
        bucket.tableId(), table == null ? null : table.path().toString(), bucket.bucket(), reason);
  }

  private static @Nullable Integer leaderEpoch(Replica replica) {
    try {
      return replica.requireLeader();
    } catch (SluiceException notLeading) {
      // A follower, or a leader that is not ready: both are normal states of a replica.
      return null;
    }
  }
}

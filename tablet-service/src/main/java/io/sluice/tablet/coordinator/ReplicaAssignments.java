package io.sluice.tablet.coordinator;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.TableState;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.ReplicaRole;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicaUpdate;
import io.sluice.tablet.replica.WriterEpoch;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/** Hands the coordinator's messages to the replicas of this server, in the types they know. */
public final class ReplicaAssignments implements AssignedState {
  private final ReplicaSet replicas;
  private final AppliedSignal applied;

  /**
   * @param applied raised after every update
   */
  public ReplicaAssignments(ReplicaSet replicas, AppliedSignal applied) {
    this.replicas = replicas;
    this.applied = applied;
  }

  @Override
  public String clusterId() {
    return replicas.clusterId();
  }

  @Override
  public long appliedIndex() {
    return replicas.appliedIndex();
  }

  @Override
  public boolean cleanStop() {
    return replicas.stoppedCleanly();
  }

  @Override
  public List<BucketId> directories() {
    return replicas.directories().stream().sorted().map(ReplicaAssignments::toProto).toList();
  }

  @Override
  public void apply(Image image) {
    replicas.apply(
        new ReplicaUpdate.Image(
            image.getClusterId(),
            image.getIndex(),
            tables(image.getTablesList()),
            roles(image.getReplicasList()),
            writers(image.getWritersList())));
    applied.raise();
  }

  @Override
  public void apply(Delta delta) {
    replicas.apply(
        new ReplicaUpdate.Delta(
            delta.getIndex(),
            tables(delta.getTablesList()),
            new HashSet<>(delta.getDroppedTablesList()),
            roles(delta.getReplicasList()),
            delta.getRemovedReplicasList().stream()
                .map(ReplicaAssignments::toBucket)
                .collect(Collectors.toSet()),
            writers(delta.getWritersList())));
    applied.raise();
  }

  @Override
  public List<OfflineReplica> offline() {
    return replicas.offline().stream()
        .map(
            each ->
                OfflineReplica.newBuilder()
                    .setBucket(toProto(each.bucket()))
                    .setReason(each.reason())
                    .build())
        .toList();
  }

  @Override
  public long diskUsedBytes() {
    return replicas.diskUsedBytes();
  }

  private static List<HostedTable> tables(List<TableState> states) {
    return states.stream()
        .map(
            state ->
                new HostedTable(
                    state.getTableId(),
                    new TablePath(state.getDatabase(), state.getTable()),
                    state.getSchemasList().stream().map(Schemas::toSchema).toList(),
                    state.getBucketCount(),
                    state.getBucketKeyList(),
                    state.getOptionsMap(),
                    state.getPartitionKeysList(),
                    state.getPartitionsList().stream()
                        .collect(
                            Collectors.toMap(
                                PartitionInfo::getPartitionId, PartitionInfo::getValuesList))))
        .toList();
  }

  private static List<ReplicaRole> roles(List<ReplicaState> states) {
    return states.stream()
        .map(
            state ->
                new ReplicaRole(
                    toBucket(state.getBucket()),
                    state.getLeaderServerId(),
                    state.getLeaderEpoch(),
                    state.getReplicasList(),
                    state.getIsrList(),
                    state.getIsrVersion()))
        .toList();
  }

  private static List<WriterEpoch> writers(List<io.sluice.protocol.cluster.v1.WriterEpoch> epochs) {
    return epochs.stream()
        .map(each -> new WriterEpoch(each.getWriterId(), each.getWriterEpoch()))
        .toList();
  }

  private static BucketId toProto(TableBucket bucket) {
    return BucketId.newBuilder()
        .setTableId(bucket.tableId())
        .setPartitionId(bucket.partitionId())
        .setBucket(bucket.bucket())
        .build();
  }

  private static TableBucket toBucket(BucketId id) {
    return new TableBucket(id.getTableId(), id.getPartitionId(), id.getBucket());
  }
}

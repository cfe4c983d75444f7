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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Hands the coordinator's messages to the replicas of this server, in the types they know. */
public final class ReplicaAssignments implements AssignedState {
  private final int serverId;
  private final ReplicaSet replicas;
  private final ServerDirectory servers;
  private final AppliedSignal applied;
  // Of what this server leads, the other servers that are in sync.
  private final Map<TableBucket, List<Integer>> led = new HashMap<>();

  /**
   * @param serverId this server
   * @param servers is told of servers before the replicas hear of roles
   * @param applied raised after every update
   */
  public ReplicaAssignments(
      int serverId, ReplicaSet replicas, ServerDirectory servers, AppliedSignal applied) {
    this.serverId = serverId;
    this.replicas = replicas;
    this.servers = servers;
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
    servers.update(image.getServersList());
    replicas.apply(
        new ReplicaUpdate.Image(
            image.getClusterId(),
            image.getIndex(),
            tables(image.getTablesList()),
            roles(image.getReplicasList()),
            writers(image.getWritersList())));
    led.clear();
    image.getReplicasList().forEach(this::noteLeader);
    applied.raise();
  }

  @Override
  public void apply(Delta delta) {
    servers.update(delta.getServersList());
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
    delta.getReplicasList().forEach(this::noteLeader);
    delta.getRemovedReplicasList().forEach(id -> led.remove(toBucket(id)));
    led.keySet().removeIf(bucket -> delta.getDroppedTablesList().contains(bucket.tableId()));
    applied.raise();
  }

  private void noteLeader(ReplicaState state) {
    TableBucket bucket = toBucket(state.getBucket());
    List<Integer> others =
        state.getIsrList().stream().filter(server -> server != serverId).toList();
    if (state.getLeaderServerId() == serverId && !others.isEmpty()) {
      led.put(bucket, others);
    } else {
      led.remove(bucket);
    }
  }

  @Override
  public boolean leadsForOthers() {
    return led.values().stream().anyMatch(others -> others.stream().anyMatch(servers::alive));
  }

  @Override
  public List<OfflineReplica> offline() {
    return Stream.concat(replicas.offline().stream(), replicas.handsOver().stream())
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
                    state.getIsrVersion(),
                    state.getMinInsync(),
                    state.getLakeEndOffset()))
        .toList();
  }

  private static List<WriterEpoch> writers(List<io.sluice.protocol.cluster.v1.WriterEpoch> epochs) {
    return epochs.stream()
        .map(each -> new WriterEpoch(each.getWriterId(), each.getWriterEpoch()))
        .toList();
  }

  static BucketId toProto(TableBucket bucket) {
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

package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import java.util.List;
import java.util.Set;

/**
 * What the coordinator's session delivers: first an image, then deltas, in the order of the
 * metadata index.
 */
public sealed interface ReplicaUpdate {
  /** Index of the metadata log that the receiver stands at after this update. */
  long index();

  /** Tables that are new or changed; of an image: all. */
  List<HostedTable> tables();

  /** Replicas that are new or changed; of an image: all. */
  List<ReplicaRole> replicas();

  /** Newest epochs of named writers; lower ones are fenced. */
  List<WriterEpoch> writers();

  /**
   * All that a tablet has to know, as of an index.
   *
   * @param clusterId the cluster it describes; a data directory belongs to one cluster for ever
   */
  record Image(
      String clusterId,
      long index,
      List<HostedTable> tables,
      List<ReplicaRole> replicas,
      List<WriterEpoch> writers)
      implements ReplicaUpdate {
    public Image {
      tables = List.copyOf(tables);
      replicas = List.copyOf(replicas);
      writers = List.copyOf(writers);
    }
  }

  /**
   * What changed between the previous index and this one.
   *
   * @param droppedTables ids of tables that are gone
   * @param removedReplicas replicas that this tablet no longer has; their directories are deleted
   */
  record Delta(
      long index,
      List<HostedTable> tables,
      Set<Long> droppedTables,
      List<ReplicaRole> replicas,
      Set<TableBucket> removedReplicas,
      List<WriterEpoch> writers)
      implements ReplicaUpdate {
    public Delta {
      tables = List.copyOf(tables);
      droppedTables = Set.copyOf(droppedTables);
      replicas = List.copyOf(replicas);
      removedReplicas = Set.copyOf(removedReplicas);
      writers = List.copyOf(writers);
    }
  }
}

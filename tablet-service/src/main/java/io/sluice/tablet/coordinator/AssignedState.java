package io.sluice.tablet.coordinator;

import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import java.util.List;

/**
 * The state that the coordinator assigns to this server, as the session sees it. All methods are
 * called by the session's one thread.
 */
public interface AssignedState {
  /** The cluster this server's directories belong to, empty before the first image. */
  String clusterId();

  /** Index of the newest state applied, 0 for none. */
  long appliedIndex();

  /** Whether the previous process on these directories stopped in order. */
  boolean cleanStop();

  /** Every replica directory on this server's disks. */
  List<BucketId> directories();

  /** Replaces all that was assigned. */
  void apply(Image image);

  /** Applies what changed since the applied index. */
  void apply(Delta delta);

  /** Replicas that cannot serve, with the reason. */
  List<OfflineReplica> offline();

  /** Whether this server leads a bucket that another server, which is alive, could lead too. */
  boolean leadsForOthers();

  /** Bytes that the replicas take on disk. */
  long diskUsedBytes();
}

package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.DataDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a data directory from being used for another cluster than its own. */
final class ClusterCheck {
  private static final Logger log = LoggerFactory.getLogger(ClusterCheck.class);

  private ClusterCheck() {}

  /**
   * A new directory belongs to the image's cluster from now on.
   *
   * @return the cluster
   * @throws SluiceException INVALID_ARGUMENT when the directory belongs to another one
   */
  static String adopt(DataDirectory data, ReplicaUpdate.Image image) {
    String own = data.clusterId();
    if (own.isEmpty()) {
      data.saveCluster(image.clusterId(), image.index());
    } else if (!own.equals(image.clusterId())) {
      SluiceException refusal =
          new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "Data directory "
                  + data.root()
                  + " belongs to cluster "
                  + own
                  + ", but the coordinator is of cluster "
                  + image.clusterId()
                  + "; use another data directory or another coordinator");
      log.error("{}", refusal.getMessage());
      throw refusal;
    }
    return image.clusterId();
  }
}

package io.sluice.coordinator.membership;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import java.util.ArrayList;
import java.util.List;

/** Whether a registration makes sense. Pure. */
final class Registrations {
  private static final int MAX_TEXT = 255;

  private Registrations() {}

  /** Checks the message; INVALID_ARGUMENT naming what is wrong. */
  static TabletServer.Registration check(RegisterTablet message, ClusterState state) {
    if (message.getServerId() < 1) {
      throw invalid("sluice.tablet.id is " + message.getServerId() + "; it must be 1 or larger");
    }
    checkText(message, "host", message.getHost(), true);
    checkText(message, "incarnation", message.getIncarnation(), true);
    checkText(message, "boot id", message.getBootId(), false);
    checkText(message, "rack", message.getRack(), false);
    checkPort(message, "Flight port", message.getFlightPort());
    checkPort(message, "HTTP port", message.getHttpPort());
    String claimed = message.getClusterId();
    if (!claimed.isEmpty() && !claimed.equals(state.clusterId())) {
      throw invalid(
          "Tablet server "
              + message.getServerId()
              + " holds data of cluster "
              + claimed
              + ", this is cluster "
              + state.clusterId()
              + "; point it at its own coordinators or give it an empty data directory");
    }
    return new TabletServer.Registration(
        message.getServerId(),
        message.getHost(),
        message.getFlightPort(),
        message.getHttpPort(),
        message.getRack(),
        message.getIncarnation(),
        message.getBootId(),
        message.getCleanStop());
  }

  /** The replica directories the server reports. */
  static List<TableBucket> directories(RegisterTablet message) {
    List<TableBucket> directories = new ArrayList<>(message.getDirectoriesCount());
    for (BucketId id : message.getDirectoriesList()) {
      directories.add(toBucket(id));
    }
    return directories;
  }

  static TableBucket toBucket(BucketId id) {
    return new TableBucket(id.getTableId(), id.getPartitionId(), id.getBucket());
  }

  private static void checkText(
      RegisterTablet message, String what, String text, boolean required) {
    if ((required && text.isBlank()) || text.length() > MAX_TEXT) {
      throw invalid(
          "Tablet server "
              + message.getServerId()
              + " registers with "
              + what
              + " '"
              + text
              + "'; it must have "
              + (required ? 1 : 0)
              + " to "
              + MAX_TEXT
              + " characters");
    }
  }

  private static void checkPort(RegisterTablet message, String what, int port) {
    if (port < 1 || port > 65535) {
      throw invalid(
          "Tablet server "
              + message.getServerId()
              + " registers with "
              + what
              + " "
              + port
              + "; it must be between 1 and 65535");
    }
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, message);
  }
}

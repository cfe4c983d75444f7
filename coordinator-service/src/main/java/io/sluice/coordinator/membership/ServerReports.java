package io.sluice.coordinator.membership;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.OfflineReplica;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes into the metadata what tablet servers say of themselves: that they stop, that replicas are
 * offline. Called at every heartbeat, so what fails is tried again; one command of a session is on
 * its way at a time. Thread-safe.
 */
final class ServerReports {
  private static final Logger LOG = LoggerFactory.getLogger(ServerReports.class);

  private static final int MAX_OFFLINE_REPORTED = 10_000;

  private final MetadataLog log;

  ServerReports(MetadataLog log) {
    this.log = log;
  }

  /** The replicas that a heartbeat reports as offline, with the reason. */
  static Map<TableBucket, String> offline(Heartbeat message) {
    if (message.getOfflineCount() == 0) {
      return Map.of();
    }
    Map<TableBucket, String> offline = new TreeMap<>();
    for (OfflineReplica replica : message.getOfflineList()) {
      if (offline.size() == MAX_OFFLINE_REPORTED) {
        break;
      }
      offline.put(Registrations.toBucket(replica.getBucket()), replica.getReason());
    }
    return Collections.unmodifiableMap(offline);
  }

  /** Submits what the metadata does not know yet of this session's server. */
  void report(TabletSession session) {
    Command command = next(session, log.current().state());
    if (command != null) {
      submit(session, command);
    }
  }

  /** Submits that the server stops, each time it says so. */
  void leaving(TabletSession session) {
    submit(session, new Command.Leaving(session.serverId, session.incarnation));
  }

  private void submit(TabletSession session, Command command) {
    if (!session.reporting.compareAndSet(false, true)) {
      return;
    }
    log.submit(command)
        .whenComplete(
            (applied, failure) -> {
              session.reporting.set(false);
              if (failure != null) {
                SluiceException known = SluiceException.findIn(failure);
                LOG.warn(
                    "What {} reports cannot be recorded yet: {}",
                    session,
                    known == null ? failure.toString() : known.getMessage());
              }
            });
  }

  private static @Nullable Command next(TabletSession session, ClusterState state) {
    TabletServer server = state.servers().get(session.serverId);
    if (server == null || !server.isLive(session.incarnation)) {
      return null;
    }
    if (session.leaving && !server.leaving()) {
      return new Command.Leaving(session.serverId, session.incarnation);
    }
    List<TableBucket> lost =
        session.offline.keySet().stream()
            .filter(id -> canDoWithout(state.bucket(id), session.serverId))
            .limit(Command.ForReplicas.MAX_BUCKETS)
            .toList();
    return lost.isEmpty()
        ? null
        : new Command.ReplicasOffline(session.serverId, session.incarnation, lost);
  }

  private static boolean canDoWithout(@Nullable Bucket bucket, int serverId) {
    return bucket != null && bucket.isr().size() > 1 && bucket.isr().contains(serverId);
  }
}

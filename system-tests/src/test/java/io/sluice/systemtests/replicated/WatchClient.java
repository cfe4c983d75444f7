package io.sluice.systemtests.replicated;

import io.sluice.client.BucketDescription;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Asks the coordinators again and again who leads and who is in sync: the leader is in the in-sync
 * set, that set is of replicas and never empty, and epochs only grow.
 */
final class WatchClient extends Client {
  private static final Duration INTERVAL = Duration.ofMillis(300);

  private final List<String> paths;
  private final Map<String, BucketDescription> last = new HashMap<>();

  WatchClient(History history, ClientConfig config, List<String> paths) {
    super("watch", history, config);
    this.paths = List.copyOf(paths);
  }

  @Override
  void work() {
    try (Connection connection = connect()) {
      while (!finishing()) {
        for (String path : paths) {
          try {
            for (BucketDescription bucket :
                connection.admin().describe(TablePath.parse(path)).buckets()) {
              check(path, bucket);
            }
          } catch (SluiceException failure) {
            failed(failure);
          }
        }
        pause(INTERVAL);
      }
    }
  }

  private void check(String path, BucketDescription bucket) {
    String name = path + " bucket " + bucket.bucket();
    BucketDescription before = last.put(name, bucket);
    if (before != null && before.leaderEpoch() > bucket.leaderEpoch()) {
      history()
          .violations()
          .add(
              "election",
              "%s goes from epoch %d to %d"
                  .formatted(name, before.leaderEpoch(), bucket.leaderEpoch()));
    }
    boolean leaderInSync =
        bucket.leaderServerId() == 0 || bucket.inSync().contains(bucket.leaderServerId());
    if (!leaderInSync
        || bucket.inSync().isEmpty()
        || !new HashSet<>(bucket.replicas()).containsAll(bucket.inSync())) {
      history()
          .violations()
          .add(
              "election",
              "%s has leader %d, in sync %s, replicas %s"
                  .formatted(name, bucket.leaderServerId(), bucket.inSync(), bucket.replicas()));
    }
    if (before != null
        && (before.leaderEpoch() != bucket.leaderEpoch()
            || !before.inSync().equals(bucket.inSync()))) {
      history()
          .timeline()
          .note(
              "    %s: leader %d epoch %d in sync %s"
                  .formatted(name, bucket.leaderServerId(), bucket.leaderEpoch(), bucket.inSync()));
    }
  }
}

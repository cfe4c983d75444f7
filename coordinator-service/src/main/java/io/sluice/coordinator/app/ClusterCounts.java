package io.sluice.coordinator.app;

import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;

/** Numbers about the current state, counted once for each image. Thread-safe. */
final class ClusterCounts {
  private final MetadataLog log;
  private Counted counted = count(MetadataImage.EMPTY);

  private record Counted(MetadataImage image, ServerLoads loads, int liveServers, int partitions) {}

  ClusterCounts(MetadataLog log) {
    this.log = log;
  }

  private synchronized Counted current() {
    MetadataImage image = log.current();
    if (counted.image() != image) {
      counted = count(image);
    }
    return counted;
  }

  private static Counted count(MetadataImage image) {
    int live = 0;
    for (PersistentMap.Entry<Integer, TabletServer> entry : image.state().servers()) {
      live += entry.value().alive() ? 1 : 0;
    }
    int partitions = 0;
    for (PersistentMap.Entry<Long, Table> entry : image.state().tables()) {
      partitions += entry.value().partitions().size();
    }
    return new Counted(image, ServerLoads.of(image.state()), live, partitions);
  }

  private ClusterState state() {
    return current().image().state();
  }

  int databases() {
    return state().databases().size();
  }

  int tables() {
    return state().tables().size();
  }

  int partitions() {
    return current().partitions();
  }

  int buckets() {
    return current().loads().buckets();
  }

  int ledBuckets() {
    ServerLoads loads = current().loads();
    return loads.buckets() - loads.offlineBuckets();
  }

  int offlineBuckets() {
    return current().loads().offlineBuckets();
  }

  int underReplicatedBuckets() {
    return current().loads().underReplicated();
  }

  int underMinInsyncBuckets() {
    return current().loads().underMinInsync();
  }

  int movingBuckets() {
    return current().loads().moving();
  }

  int servers() {
    return state().servers().size();
  }

  int liveServers() {
    return current().liveServers();
  }

  int writers() {
    return state().writers().size();
  }
}

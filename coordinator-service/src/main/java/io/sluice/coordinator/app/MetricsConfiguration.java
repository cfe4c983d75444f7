package io.sluice.coordinator.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.coordinator.control.AutoPartitionAgent;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.raft.RaftMetadataLog;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The coordinator's metrics; all read when they are scraped. */
@Configuration(proxyBeanMethods = false)
final class MetricsConfiguration {
  @Bean
  ClusterCounts clusterCounts(RaftMetadataLog log) {
    return new ClusterCounts(log);
  }

  @Bean
  MeterBinder replicationMetrics(ReplicationCounts counts) {
    return registry -> {
      FunctionCounter.builder("sluice.coordinator.elections", counts, ReplicationCounts::elections)
          .description("Buckets that were given a leader or a new epoch")
          .register(registry);
      FunctionCounter.builder("sluice.coordinator.isr.shrinks", counts, ReplicationCounts::shrinks)
          .description("In-sync sets that lost replicas")
          .register(registry);
      FunctionCounter.builder(
              "sluice.coordinator.isr.expands", counts, ReplicationCounts::expansions)
          .description("In-sync sets that gained replicas")
          .register(registry);
      FunctionCounter.builder("sluice.coordinator.moves", counts, ReplicationCounts::moves)
          .description("Moves of replicas that came to their end")
          .register(registry);
      FunctionCounter.builder(
              "sluice.coordinator.unclean.elections", counts, ReplicationCounts::uncleanElections)
          .description("Leaders elected by an explicit call, whatever they had")
          .register(registry);
    };
  }

  @Bean
  MeterBinder raftMetrics(RaftMetadataLog log) {
    return registry -> {
      FunctionTimer.builder(
              "sluice.coordinator.apply",
              log,
              RaftMetadataLog::appliedCommands,
              RaftMetadataLog::applyNanos,
              TimeUnit.NANOSECONDS)
          .description("Metadata commands applied")
          .register(registry);
      Gauge.builder("sluice.coordinator.raft.index", log, l -> l.current().index())
          .description("Log index of the last applied metadata command")
          .register(registry);
      Gauge.builder("sluice.coordinator.leads", log, l -> l.leads() ? 1 : 0)
          .description("1 when this coordinator leads the metadata group")
          .register(registry);
      Gauge.builder("sluice.coordinator.broken", log, l -> l.isBroken() ? 1 : 0)
          .description("1 when this coordinator has met a metadata command it cannot apply")
          .register(registry);
    };
  }

  @Bean
  MeterBinder metadataMetrics(ClusterCounts counts, TabletSessions sessions) {
    return registry -> {
      Gauge.builder(
              "sluice.coordinator.replicas.offline", sessions, s -> s.offlineReplicas().size())
          .description("Replicas that their servers report as offline")
          .register(registry);
      gauge("sluice.coordinator.databases", "Databases", counts, ClusterCounts::databases)
          .register(registry);
      gauge("sluice.coordinator.tables", "Tables", counts, ClusterCounts::tables)
          .register(registry);
      gauge("sluice.coordinator.partitions", "Partitions", counts, ClusterCounts::partitions)
          .register(registry);
      gauge("sluice.coordinator.buckets", "Buckets", counts, ClusterCounts::buckets)
          .register(registry);
      gauge(
              "sluice.coordinator.buckets.led",
              "Buckets with a leader",
              counts,
              ClusterCounts::ledBuckets)
          .register(registry);
      gauge(
              "sluice.coordinator.buckets.offline",
              "Buckets without a leader",
              counts,
              ClusterCounts::offlineBuckets)
          .register(registry);
      gauge(
              "sluice.coordinator.buckets.under.replicated",
              "Buckets with fewer in-sync replicas than there shall be",
              counts,
              ClusterCounts::underReplicatedBuckets)
          .register(registry);
      gauge(
              "sluice.coordinator.buckets.under.min.insync",
              "Buckets with fewer in-sync replicas than a write needs",
              counts,
              ClusterCounts::underMinInsyncBuckets)
          .register(registry);
      gauge(
              "sluice.coordinator.buckets.moving",
              "Buckets whose replicas are being moved",
              counts,
              ClusterCounts::movingBuckets)
          .register(registry);
      gauge(
              "sluice.coordinator.servers.live",
              "Tablet servers with an open session",
              counts,
              ClusterCounts::liveServers)
          .register(registry);
      gauge(
              "sluice.coordinator.servers",
              "Tablet servers that ever registered",
              counts,
              ClusterCounts::servers)
          .register(registry);
      gauge("sluice.coordinator.writers", "Named writers", counts, ClusterCounts::writers)
          .register(registry);
    };
  }

  @Bean
  MeterBinder partitionMetrics(AutoPartitionAgent partitions) {
    return registry -> {
      FunctionCounter.builder(
              "sluice.coordinator.auto.partition.creations",
              partitions,
              AutoPartitionAgent::created)
          .description("Partitions created automatically")
          .register(registry);
      FunctionCounter.builder(
              "sluice.coordinator.auto.partition.drops", partitions, AutoPartitionAgent::dropped)
          .description("Partitions dropped automatically, past their retention")
          .register(registry);
      FunctionCounter.builder(
              "sluice.coordinator.auto.partition.failures", partitions, AutoPartitionAgent::failed)
          .description("Automatic creations and drops of partitions that failed")
          .register(registry);
    };
  }

  private static Gauge.Builder<ClusterCounts> gauge(
      String name,
      String description,
      ClusterCounts counts,
      ToDoubleFunction<ClusterCounts> value) {
    return Gauge.builder(name, counts, value).description(description);
  }
}

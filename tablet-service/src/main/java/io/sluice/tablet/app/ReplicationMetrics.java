package io.sluice.tablet.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicationCounters;
import java.util.function.ToDoubleFunction;

/** Metrics of the buckets that are kept on several servers, {@code sluice.replication.*}. */
final class ReplicationMetrics {
  private ReplicationMetrics() {}

  static void bind(MeterRegistry registry, ReplicaSet replicas) {
    bindState(registry, replicas);
    bindLag(registry, replicas);
    ReplicationCounters counters = replicas.replicationCounters();
    count(
        registry,
        counters,
        "sluice.replication.isr.shrinks",
        "Replicas that left an in-sync set led from here",
        ReplicationCounters::shrinks);
    count(
        registry,
        counters,
        "sluice.replication.isr.expands",
        "Replicas that joined an in-sync set led from here",
        ReplicationCounters::expands);
    count(
        registry,
        counters,
        "sluice.replication.holes",
        "Times that records were found lost and their offsets were skipped",
        ReplicationCounters::holes);
    count(
        registry,
        counters,
        "sluice.replication.cuts",
        "Times that a follower cut its log because its leader did not have the end of it",
        ReplicationCounters::cuts);
    count(
        registry,
        counters,
        "sluice.replication.rebuilds",
        "Damaged replicas that were begun anew from their leader",
        ReplicationCounters::rebuilds);
  }

  private static void bindState(MeterRegistry registry, ReplicaSet replicas) {
    Gauge.builder("sluice.replication.leaders", replicas, set -> set.replicationStats().leaders())
        .description("Buckets that this server leads")
        .register(registry);
    Gauge.builder(
            "sluice.replication.under.replicated",
            replicas,
            set -> set.replicationStats().underReplicated())
        .description("Buckets led from here that miss a replica in the in-sync set")
        .register(registry);
    Gauge.builder(
            "sluice.replication.under.min.isr",
            replicas,
            set -> set.replicationStats().underMinIsr())
        .description("Buckets led from here that refuse writes: too few replicas are in sync")
        .register(registry);
    Gauge.builder("sluice.replication.offline", replicas, set -> set.offline().size())
        .description("Replicas here that serve nothing, as their data is damaged")
        .register(registry);
  }

  private static void bindLag(MeterRegistry registry, ReplicaSet replicas) {
    Gauge.builder("sluice.replication.lag.max", replicas, set -> set.replicationStats().maxLag())
        .baseUnit("records")
        .description("Records that the follower lacks which lacks the most")
        .register(registry);
    Gauge.builder("sluice.replication.lag.sum", replicas, set -> set.replicationStats().sumLag())
        .baseUnit("records")
        .description("Records that all followers of buckets led from here lack together")
        .register(registry);
  }

  private static void count(
      MeterRegistry registry,
      ReplicationCounters counters,
      String name,
      String description,
      ToDoubleFunction<ReplicationCounters> value) {
    FunctionCounter.builder(name, counters, value).description(description).register(registry);
  }
}

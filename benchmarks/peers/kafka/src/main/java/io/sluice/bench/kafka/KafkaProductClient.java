package io.sluice.bench.kafka;

import io.sluice.bench.harness.ProductClient;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.RowReader;
import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.bench.harness.Settings;
import io.sluice.bench.harness.TargetTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/**
 * Drives Apache Kafka. Settings are those of its producer and consumer, as {@code producer.NAME}
 * and {@code consumer.NAME}; {@code spread=rows} deals rows to the partitions in turn.
 */
final class KafkaProductClient implements ProductClient {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final long RETRY_MS = 20;

  private final String bootstrap;
  private final Admin admin;

  KafkaProductClient(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin = Admin.create(connection());
  }

  private Properties connection() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    return properties;
  }

  @Override
  public void createTable(TargetTable table) throws Exception {
    awaitBrokers(table.replicas());
    NewTopic topic = new NewTopic(table.name(), table.buckets(), (short) table.replicas());
    Map<String, String> configs = new HashMap<>();
    if (table.replicas() > 1) {
      configs.put("min.insync.replicas", "2");
    }
    topic.configs(configs);
    admin.createTopics(List.of(topic)).all().get();
    awaitLeaders(table);
  }

  /** A broker that listens may not have joined the others yet. */
  private void awaitBrokers(int count) throws Exception {
    long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
    while (admin.describeCluster().nodes().get().size() < count) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("Not all of " + count + " brokers have joined the cluster");
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    }
  }

  /** A topic that has been created may not be known to its leaders yet. */
  private void awaitLeaders(TargetTable table) throws Exception {
    long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
    while (true) {
      try {
        storedRows(table);
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RetriableException) || System.nanoTime() > deadline) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(RETRY_MS);
      }
    }
  }

  @Override
  public void dropTable(TargetTable table) throws Exception {
    admin.deleteTopics(List.of(table.name())).all().get();
  }

  @Override
  public RowWriter writer(TargetTable table, RowRing ring, Settings settings) {
    Properties properties = connection();
    properties.put("acks", "all");
    if (!table.hasDefaultCodec()) {
      properties.put("compression.type", table.codec());
    }
    properties.putAll(settings.under("producer."));
    boolean inTurn = settings.value("spread").filter("rows"::equals).isPresent();
    return new KafkaRowWriter(properties, table, ring, inTurn);
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    Properties properties = connection();
    properties.put("enable.auto.commit", "false");
    properties.putAll(settings.under("consumer."));
    return new KafkaRowReader(properties, partitions(table), table.schema(), columns, form);
  }

  private static List<TopicPartition> partitions(TargetTable table) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int partition = 0; partition < table.buckets(); partition++) {
      partitions.add(new TopicPartition(table.name(), partition));
    }
    return partitions;
  }

  @Override
  public long storedRows(TargetTable table) throws Exception {
    Map<TopicPartition, OffsetSpec> latest =
        partitions(table).stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
    return admin.listOffsets(latest).all().get().values().stream()
        .mapToLong(result -> result.offset())
        .sum();
  }

  /** Those of one copy: each broker says what it holds. */
  @Override
  public long storedBytes(TargetTable table) throws Exception {
    List<Integer> nodes =
        admin.describeCluster().nodes().get().stream().map(Node::id).collect(Collectors.toList());
    long bytes = 0;
    for (Map<String, LogDirDescription> directories :
        admin.describeLogDirs(nodes).allDescriptions().get().values()) {
      for (LogDirDescription directory : directories.values()) {
        for (Map.Entry<TopicPartition, ReplicaInfo> replica : directory.replicaInfos().entrySet()) {
          if (replica.getKey().topic().equals(table.name())) {
            bytes += replica.getValue().size();
          }
        }
      }
    }
    return bytes / table.replicas();
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(2));
  }
}

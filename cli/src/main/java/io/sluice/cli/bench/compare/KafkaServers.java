package io.sluice.cli.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** Apache Kafka: one process, broker and KRaft controller. */
final class KafkaServers implements Servers {
  private static final String NAME = Peers.KAFKA;

  private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

  /** Any 16 bytes in base 64 will do. */
  private static final String CLUSTER_ID = "c2x1aWNlLWJlbmNobWFya3";

  private final PeerFiles files;
  private final ChildProcess broker;
  private final int port;

  private KafkaServers(PeerFiles files, ChildProcess broker, int port) {
    this.files = files;
    this.broker = broker;
    this.port = port;
  }

  /** Formats its storage and starts it. */
  static KafkaServers start(PeerFiles files, Workplace workplace) throws InterruptedException {
    List<Integer> ports = Workplace.freePorts(2);
    Path directory = workplace.directory(NAME);
    Path properties =
        workplace.file(
            NAME + "/server.properties",
            properties(ports.get(0), ports.get(1), directory.resolve("data")));
    List<String> format = List.of("format", "-t", CLUSTER_ID, "-c", properties.toString());
    try (ChildProcess formatter =
        ChildProcess.server(
            "kafka-format",
            JavaProcesses.command(
                JavaProcesses.SMALL_HEAP,
                files.serverClassPath(),
                workplace.logging(),
                "kafka.tools.StorageTool",
                format),
            directory,
            workplace)) {
      formatter.awaitEnd(START_TIMEOUT);
    }
    ChildProcess broker =
        ChildProcess.server(
            "kafka-broker",
            JavaProcesses.command(
                JavaProcesses.HEAP,
                files.serverClassPath(),
                workplace.logging(),
                "kafka.Kafka",
                List.of(properties.toString())),
            directory,
            workplace);
    broker.awaitPort(ports.get(0), START_TIMEOUT);
    return new KafkaServers(files, broker, ports.get(0));
  }

  private static String properties(int port, int controllerPort, Path data) {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        log.dirs=%3$s
        offsets.topic.replication.factor=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        # Room for batches of 1 MiB.
        message.max.bytes=10485760
        """
        .formatted(port, controllerPort, data);
  }

  @Override
  public String title() {
    return "Apache Kafka " + files.version("kafka-clients");
  }

  @Override
  public String bootstrap() {
    return "127.0.0.1:" + port;
  }

  @Override
  public List<Long> pids() {
    return List.of(broker.pid());
  }

  @Override
  public String clientClassPath() {
    return files.clientClassPath();
  }

  @Override
  public OptionalLong storedBytes(String table) {
    return OptionalLong.empty();
  }
}

package io.sluice.cli.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Apache Kafka: one process or several, each of them broker and KRaft controller. */
final class KafkaServers implements Servers {
  private static final String NAME = Peers.KAFKA;

  private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

  /** Any 16 bytes in base 64 will do. */
  private static final String CLUSTER_ID = "c2x1aWNlLWJlbmNobWFya3";

  private final PeerFiles files;
  private final List<ChildProcess> brokers = new ArrayList<>();
  private final List<Integer> ports;

  private KafkaServers(PeerFiles files, List<Integer> ports) {
    this.files = files;
    this.ports = ports;
  }

  /** Formats the storage of each and starts them together: a quorum has to answer. */
  static KafkaServers start(PeerFiles files, Workplace workplace, Replication replication)
      throws InterruptedException {
    int count = replication.servers();
    List<Integer> ports = Workplace.freePorts(2 * count);
    List<Integer> controllers = ports.subList(count, 2 * count);
    KafkaServers servers = new KafkaServers(files, ports.subList(0, count));
    for (int node = 1; node <= count; node++) {
      Path directory = workplace.directory(NAME + "/" + node);
      Path properties =
          workplace.file(
              NAME + "/" + node + "/server.properties",
              properties(node, ports.get(node - 1), controllers, directory.resolve("data")));
      format(files, properties, directory, workplace);
      servers.brokers.add(
          ChildProcess.server(
              "kafka-broker-" + node,
              JavaProcesses.command(
                  replication.heap(),
                  files.serverClassPath(),
                  workplace.logging(),
                  "kafka.Kafka",
                  List.of(properties.toString())),
              directory,
              workplace));
    }
    for (int i = 0; i < count; i++) {
      servers.brokers.get(i).awaitPort(servers.ports.get(i), START_TIMEOUT);
    }
    return servers;
  }

  private static void format(PeerFiles files, Path properties, Path directory, Workplace workplace)
      throws InterruptedException {
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
  }

  /**
   * @param node number of the process, from 1
   * @param port of the broker
   * @param controllers ports of all controllers, in the order of the nodes
   */
  static String properties(int node, int port, List<Integer> controllers, Path data) {
    String voters =
        IntStream.rangeClosed(1, controllers.size())
            .mapToObj(id -> id + "@127.0.0.1:" + controllers.get(id - 1))
            .collect(Collectors.joining(","));
    return """
        process.roles=broker,controller
        node.id=%1$d
        controller.quorum.voters=%4$s
        listeners=PLAINTEXT://127.0.0.1:%2$d,CONTROLLER://127.0.0.1:%3$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%2$d
        controller.listener.names=CONTROLLER
        log.dirs=%5$s
        offsets.topic.replication.factor=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        # Room for batches of 1 MiB.
        message.max.bytes=10485760
        # The files of a dropped topic go after a second, not a minute: memory that still holds them
        # is not there for whoever writes next.
        log.segment.delete.delay.ms=1000
        """
        .formatted(node, port, controllers.get(node - 1), voters, data);
  }

  @Override
  public String title() {
    return "Apache Kafka " + files.version("kafka-clients");
  }

  @Override
  public String bootstrap() {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  @Override
  public List<Long> pids() {
    return brokers.stream().map(ChildProcess::pid).toList();
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

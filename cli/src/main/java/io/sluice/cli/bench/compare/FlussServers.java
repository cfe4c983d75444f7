package io.sluice.cli.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Apache Fluss: ZooKeeper (the one inside of its server jar), a coordinator and a tablet server.
 */
final class FlussServers implements RestartableServers {
  private static final String NAME = Peers.FLUSS;

  private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
  private static final String ZOOKEEPER =
      "org.apache.fluss.shaded.zookeeper3.org.apache.zookeeper.server.quorum.QuorumPeerMain";
  private static final String COORDINATOR = "org.apache.fluss.server.coordinator.CoordinatorServer";
  private static final String TABLET = "org.apache.fluss.server.tablet.TabletServer";

  private final PeerFiles files;
  private final Workplace workplace;
  private final Path directory;
  private final List<ChildProcess> processes = new ArrayList<>();
  private final int zookeeperPort;
  private final int coordinatorPort;
  private final int tabletPort;

  private FlussServers(PeerFiles files, Workplace workplace) {
    this.files = files;
    this.workplace = workplace;
    this.directory = workplace.directory(NAME);
    List<Integer> ports = Workplace.freePorts(3);
    this.zookeeperPort = ports.get(0);
    this.coordinatorPort = ports.get(1);
    this.tabletPort = ports.get(2);
  }

  /** Starts them one after the other. */
  static FlussServers start(PeerFiles files, Workplace workplace) throws InterruptedException {
    FlussServers servers = new FlussServers(files, workplace);
    servers.startAll();
    return servers;
  }

  private void startAll() throws InterruptedException {
    Path zookeeper = workplace.file(NAME + "/zoo.cfg", zookeeperConfig());
    start("fluss-zookeeper", JavaProcesses.SMALL_HEAP, ZOOKEEPER, List.of(zookeeper.toString()))
        .awaitPort(zookeeperPort, START_TIMEOUT);
    Path coordinator = workplace.file(NAME + "/coordinator/server.yaml", coordinatorConfig());
    start("fluss-coordinator", JavaProcesses.SMALL_HEAP, COORDINATOR, configDirectory(coordinator))
        .awaitPort(coordinatorPort, START_TIMEOUT);
    startTablet();
  }

  private ChildProcess startTablet() throws InterruptedException {
    Path tablet = workplace.file(NAME + "/tablet/server.yaml", tabletConfig());
    ChildProcess process =
        start("fluss-tablet", JavaProcesses.HEAP, TABLET, configDirectory(tablet));
    process.awaitPort(tabletPort, START_TIMEOUT);
    return process;
  }

  private static List<String> configDirectory(Path file) {
    return List.of("--configDir", String.valueOf(file.getParent()));
  }

  private ChildProcess start(String name, String heap, String main, List<String> arguments) {
    ChildProcess process =
        ChildProcess.server(
            name,
            JavaProcesses.command(
                heap, files.serverClassPath(), workplace.logging(), main, arguments),
            directory,
            workplace);
    processes.add(process);
    return process;
  }

  private String zookeeperConfig() {
    return """
        dataDir=%s
        clientPort=%d
        clientPortAddress=127.0.0.1
        maxClientCnxns=0
        admin.enableServer=false
        """
        .formatted(directory.resolve("zookeeper"), zookeeperPort);
  }

  /** Segments are not copied to its remote storage: on one disk that would write all rows twice. */
  private String commonConfig() {
    return """
        zookeeper.address: 127.0.0.1:%d
        remote.data.dir: %s
        remote.log.task-interval-duration: 0s
        """
        .formatted(zookeeperPort, directory.resolve("remote"));
  }

  private String coordinatorConfig() {
    return commonConfig()
        + """
        bind.listeners: FLUSS://127.0.0.1:%d
        default.replication.factor: 1
        """
            .formatted(coordinatorPort);
  }

  private String tabletConfig() {
    return commonConfig()
        + """
        bind.listeners: FLUSS://127.0.0.1:%d
        tablet-server.id: 0
        data.dir: %s
        """
            .formatted(tabletPort, data());
  }

  private Path data() {
    return directory.resolve("data");
  }

  @Override
  public String title() {
    return "Apache Fluss " + files.version("fluss-client");
  }

  @Override
  public String bootstrap() {
    return "127.0.0.1:" + coordinatorPort;
  }

  @Override
  public List<Long> pids() {
    return processes.stream().map(ChildProcess::pid).toList();
  }

  /** The tablet server is the last one that was started. */
  @Override
  public void killRowServer() throws InterruptedException {
    processes.remove(processes.size() - 1).kill();
  }

  @Override
  public long startRowServer() throws InterruptedException {
    return startTablet().pid();
  }

  @Override
  public String clientClassPath() {
    return files.clientClassPath();
  }

  @Override
  public OptionalLong storedBytes(String table) throws IOException {
    return OptionalLong.of(Workplace.bytes(data(), file -> isLogOf(table, file)));
  }

  /** Its tables have directories {@code NAME-ID} with one for each bucket. */
  private static boolean isLogOf(String table, Path file) {
    if (!file.toString().endsWith(".log")) {
      return false;
    }
    for (Path part : file) {
      if (part.toString().startsWith(table + "-")) {
        return true;
      }
    }
    return false;
  }
}

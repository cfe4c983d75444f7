package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.BenchClusters;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The products of a comparison, each with its servers and its client process. Closing ends and
 * removes everything; so does the end of this process, for example when a person presses Ctrl-C.
 */
final class Products implements AutoCloseable {
  private final Replication replication;
  private final Workplace workplace = Workplace.create();
  private final Map<String, ClientSession> clients = new LinkedHashMap<>();
  private @Nullable SluiceServers sluice;

  /**
   * @param replication how many servers of rows each gets
   */
  Products(Replication replication) {
    this.replication = replication;
    // Sluice's cluster removes itself then.
    Runtime.getRuntime().addShutdownHook(new Thread(workplace::close, "bench-workplace-removal"));
  }

  /** Starts a peer. */
  void startPeer(String name, Path repository) throws InterruptedException {
    PeerFiles files = new PeerFiles(repository, name);
    Servers servers =
        name.equals(Peers.KAFKA)
            ? KafkaServers.start(files, workplace, replication)
            : FlussServers.start(files, workplace);
    clients.put(name, ClientSession.start(name, servers, workplace));
  }

  /** Starts Sluice. */
  void startSluice(BenchClusters clusters, String commit) throws InterruptedException {
    SluiceServers servers = SluiceServers.start(clusters, commit, replication);
    sluice = servers;
    clients.put(Lane.SLUICE, ClientSession.start(Lane.SLUICE, servers, workplace));
  }

  List<ClientSession> clients() {
    return List.copyOf(clients.values());
  }

  ClientSession client(String name) {
    ClientSession client = clients.get(name);
    if (client == null) {
      throw new IllegalArgumentException("No product " + name + " runs");
    }
    return client;
  }

  @Override
  public void close() {
    workplace.close();
    if (sluice != null) {
      sluice.close();
    }
  }
}

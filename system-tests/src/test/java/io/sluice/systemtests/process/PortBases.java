package io.sluice.systemtests.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Hands out port bases, each with the thousand ports above it, below the range that outgoing
 * connections take. Which are taken is known to all test JVMs of this machine by locked files: a
 * port whose service was killed looks free, and must not go to a cluster of another JVM.
 */
public final class PortBases {
  private static final int LOWEST = 10_000;
  private static final int COUNT = 20;
  private static final int STEP = 1000;

  private static final Path LOCKS =
      Path.of(
          System.getProperty("java.io.tmpdir"),
          "sluice-test-ports-" + System.getProperty("user.name"));

  /** Offsets of the first service's ports of a kind, as the launcher has them. */
  private static final Map<String, Integer> GRPC =
      Map.of("coordinator", 123, "tablet", 223, "lake", 423, "lake-sql", 523);

  private static final Map<String, Integer> HTTP =
      Map.of("coordinator", 180, "tablet", 280, "tiering", 380, "lake", 480, "lake-sql", 580);

  /** What this JVM has taken. Guarded by the class, as all below. */
  private static final Map<Integer, FileChannel> TAKEN = new HashMap<>();

  /** The next port for a service of this JVM, and where its base ends. */
  private static int nextPort;

  private static int lastPort;

  private PortBases() {}

  /**
   * Takes a base for the launcher's {@code --port-base} whose ports are free for these services,
   * until {@link #giveBack}.
   */
  static synchronized int take(ClusterPlan plan) {
    return take(plan.ports());
  }

  /** Another cluster may have the base now. */
  static synchronized void giveBack(int base) {
    FileChannel file = TAKEN.remove(base);
    if (file != null) {
      close(file);
    }
  }

  /** Free ports for services in this JVM; each is handed out once. */
  public static synchronized List<Integer> freePorts(int count) {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      if (nextPort == lastPort) {
        nextPort = take(List.of());
        lastPort = nextPort + STEP;
      }
      int port = nextPort++;
      if (isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static int take(List<Integer> ports) {
    int first = ThreadLocalRandom.current().nextInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      int base = LOWEST + (first + i) % COUNT * STEP;
      FileChannel file = TAKEN.containsKey(base) ? null : lock(base);
      if (file != null) {
        if (ports.stream().allMatch(port -> isFree(base + port))) {
          TAKEN.put(base, file);
          return base;
        }
        close(file);
      }
    }
    throw new AssertionError("No free ports between " + LOWEST + " and " + (LOWEST + COUNT * STEP));
  }

  /** The locked file of a base; null when another JVM has it. The lock goes with the file. */
  private static @Nullable FileChannel lock(int base) {
    try {
      Files.createDirectories(LOCKS);
      FileChannel file =
          FileChannel.open(
              LOCKS.resolve(Integer.toString(base)),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      if (file.tryLock() != null) {
        return file;
      }
      file.close();
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot take ports by a file in " + LOCKS, e);
    }
  }

  private static void close(FileChannel file) {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot give ports back by a file in " + LOCKS, e);
    }
  }

  /** Port of gRPC or Arrow Flight of a service, {@code tablet-2}. */
  static int grpcPort(String service, int base) {
    return base + port(GRPC, service);
  }

  /** Port of REST and health of a service. */
  static int httpPort(String service, int base) {
    return base + port(HTTP, service);
  }

  /** Port by which a coordinator talks to the others. */
  static int raftPort(String coordinator, int base) {
    return base + 132 + Integer.parseInt(coordinator.substring(coordinator.lastIndexOf('-') + 1));
  }

  private static int port(Map<String, Integer> offsets, String service) {
    int dash = service.lastIndexOf('-');
    Integer offset = offsets.get(service.substring(0, dash));
    if (offset == null) {
      throw new AssertionError(service + " has no such port");
    }
    return offset + Integer.parseInt(service.substring(dash + 1)) - 1;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}

package io.sluice.systemtests.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Finds port bases whose ports are free, below the range that outgoing connections take. */
final class PortBases {
  private static final int LOWEST = 10_000;
  private static final int COUNT = 200;
  private static final int STEP = 100;

  /** Offsets of the first service's ports of a kind, as the launcher has them. */
  private static final Map<String, Integer> GRPC =
      Map.of("coordinator", 123, "tablet", 223, "lake", 423, "lake-sql", 523);

  private static final Map<String, Integer> HTTP =
      Map.of("coordinator", 180, "tablet", 280, "tiering", 380, "lake", 480, "lake-sql", 580);

  private PortBases() {}

  /** A base for the launcher's {@code --port-base}, free at this moment for these services. */
  static int findFree(ClusterPlan plan) {
    int first = ThreadLocalRandom.current().nextInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      int base = LOWEST + (first + i) % COUNT * STEP;
      if (plan.ports().stream().allMatch(port -> isFree(base + port))) {
        return base;
      }
    }
    throw new AssertionError("No free ports between " + LOWEST + " and " + (LOWEST + COUNT * STEP));
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

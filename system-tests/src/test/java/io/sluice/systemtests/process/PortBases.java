package io.sluice.systemtests.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds port bases whose ports are free, below the range that outgoing connections take. */
final class PortBases {
  private static final int LOWEST = 10_000;
  private static final int COUNT = 200;
  private static final int STEP = 100;
  private static final int COORDINATOR = 123;
  private static final int COORDINATOR_HTTP = 180;
  private static final int TABLET = 223;
  private static final int TABLET_HTTP = 280;

  private PortBases() {}

  /** A base for the launcher's {@code --port-base}, free at this moment. */
  static int findFree(int tablets) {
    int first = ThreadLocalRandom.current().nextInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      int base = LOWEST + (first + i) % COUNT * STEP;
      if (isFree(base, tablets)) {
        return base;
      }
    }
    throw new AssertionError("No free ports between " + LOWEST + " and " + (LOWEST + COUNT * STEP));
  }

  static int coordinatorPort(int base) {
    return base + COORDINATOR;
  }

  static int coordinatorHttpPort(int base) {
    return base + COORDINATOR_HTTP;
  }

  static int tabletPort(int base, int tablet) {
    return base + TABLET + tablet - 1;
  }

  static int tabletHttpPort(int base, int tablet) {
    return base + TABLET_HTTP + tablet - 1;
  }

  private static boolean isFree(int base, int tablets) {
    boolean free = isFree(coordinatorPort(base)) && isFree(coordinatorHttpPort(base));
    for (int tablet = 1; free && tablet <= tablets; tablet++) {
      free = isFree(tabletPort(base, tablet)) && isFree(tabletHttpPort(base, tablet));
    }
    return free;
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

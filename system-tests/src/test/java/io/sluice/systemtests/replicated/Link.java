package io.sluice.systemtests.replicated;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The network from one server to another: whoever connects to its port is connected to the other
 * server. While it is cut nothing arrives, in one direction or in both, and nobody is told:
 * connections stay, new ones are taken and stay silent, as on a network that loses packets. When it
 * heals, what was sent meanwhile arrives. Thread-safe.
 */
final class Link implements AutoCloseable {
  private static final int CONNECT_MS = 5000;
  private static final int CHUNK = 16 * 1024;

  private final String name;
  private final ServerSocket server;
  private final Gate requests = new Gate();
  private final Gate answers = new Gate();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile int targetPort;

  private Link(String name, ServerSocket server) {
    this.name = name;
    this.server = server;
  }

  /** Opens a link that leads nowhere until it is {@linkplain #leadTo led} somewhere. */
  static Link open(String name) {
    try {
      ServerSocket server = new ServerSocket();
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Link link = new Link(name, server);
      start("link " + name, link::accept);
      return link;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot open link " + name, e);
    }
  }

  /** New connections go to that port of the loopback address. */
  void leadTo(int port) {
    targetPort = port;
  }

  /** The address to connect to in place of the server's, {@code host:port}. */
  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Loses everything from now on. */
  void cut() {
    requests.shut();
    answers.shut();
  }

  /** Loses what the other server answers; requests still get there. */
  void cutAnswers() {
    answers.shut();
  }

  /** Takes so long for everything. */
  void slow(long bytesPerSecond) {
    requests.slow(bytesPerSecond);
    answers.slow(bytesPerSecond);
  }

  /** Works as it should. */
  void heal() {
    requests.open();
    answers.open();
  }

  /** Breaks every connection; new ones work. */
  void reset() {
    sockets.forEach(Link::closeQuietly);
  }

  @Override
  public void close() {
    closeQuietly(server);
    requests.close();
    answers.close();
    reset();
  }

  @Override
  public String toString() {
    return name;
  }

  private void accept() {
    while (!server.isClosed()) {
      Socket client;
      try {
        client = server.accept();
      } catch (IOException closed) {
        return;
      }
      sockets.add(client);
      start("link " + name + " out", () -> connect(client));
    }
  }

  private void connect(Socket client) {
    Socket target = new Socket();
    sockets.add(target);
    try {
      // Nobody gets through a link that is cut, also not to be refused.
      requests.pass(0);
      target.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort), CONNECT_MS);
      client.setTcpNoDelay(true);
      target.setTcpNoDelay(true);
      start("link " + name + " back", () -> pump(target, client, answers));
      pump(client, target, requests);
    } catch (IOException unreachable) {
      end(client, target);
    }
  }

  private void pump(Socket from, Socket to, Gate gate) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read; (read = in.read(chunk)) >= 0; ) {
        gate.pass(read);
        out.write(chunk, 0, read);
      }
      gate.pass(0);
    } catch (IOException broken) {
      // The other side is told by closing both.
    } finally {
      end(from, to);
    }
  }

  private void end(Socket one, Socket other) {
    closeQuietly(one);
    closeQuietly(other);
    sockets.remove(one);
    sockets.remove(other);
  }

  private static void start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception alreadyBroken) {
      // Closing is all that was wanted.
    }
  }
}

package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A temporary directory for the servers and logs of a comparison, and the processes that work in
 * it. Closing ends them, the last one first, and removes the directory. Thread-safe.
 */
final class Workplace implements AutoCloseable {
  private static final String LOGGING =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Configuration status="ERROR">
        <Appenders>
          <Console name="console" target="SYSTEM_ERR">
            <PatternLayout pattern="%d %-5p %c{1} %m%n"/>
          </Console>
        </Appenders>
        <Loggers>
          <Root level="WARN">
            <AppenderRef ref="console"/>
          </Root>
        </Loggers>
      </Configuration>
      """;

  private static final int REMOVAL_ATTEMPTS = 5;

  private final Path root;
  private final Deque<ChildProcess> processes = new ArrayDeque<>();
  private boolean closed;

  private Workplace(Path root) {
    this.root = root;
  }

  static Workplace create() {
    try {
      Workplace workplace = new Workplace(Files.createTempDirectory("sluice-bench-peers-"));
      Files.writeString(workplace.logging(), LOGGING);
      return workplace;
    } catch (IOException e) {
      throw new CliException("Cannot make a directory for servers: " + e.getMessage(), "", e);
    }
  }

  /** A log4j configuration that prints warnings to the error stream. */
  Path logging() {
    return root.resolve("log4j2.xml");
  }

  /** A directory in it, made if need be. */
  Path directory(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException e) {
      throw new CliException("Cannot make " + root.resolve(name) + ": " + e.getMessage(), "", e);
    }
  }

  /** Writes a text file and returns it. */
  Path file(String name, String text) {
    try {
      Path file = root.resolve(name);
      Files.createDirectories(root.resolve(name).getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new CliException("Cannot write " + root.resolve(name) + ": " + e.getMessage(), "", e);
    }
  }

  /** So many different ports of the loopback address that are free at the moment. */
  static List<Integer> freePorts(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        ports.add(socket.getLocalPort());
      }
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new CliException("Cannot find free ports: " + e.getMessage(), "", e);
    }
    return ports;
  }

  /** Bytes of the files below a directory whose paths match, 0 when it is not there. */
  static long bytes(Path directory, Predicate<Path> matches) throws IOException {
    long[] bytes = {0};
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes[0] += matches.test(file) ? attributes.size() : 0;
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return continueIfGone(failure);
          }
        });
    return bytes[0];
  }

  private static FileVisitResult continueIfGone(IOException failure) throws IOException {
    if (failure instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }

  /** Takes over a process that has just been started. */
  synchronized ChildProcess own(ChildProcess process) {
    processes.push(process);
    if (closed) {
      process.close();
    }
    return process;
  }

  @Override
  public synchronized void close() {
    closed = true;
    processes.forEach(ChildProcess::close);
    // A server that has just been killed may still have written a file.
    for (int attempt = 1; ; attempt++) {
      try {
        remove();
        return;
      } catch (IOException e) {
        if (attempt == REMOVAL_ATTEMPTS) {
          throw new CliException(
              "Cannot remove " + root + ": " + e,
              "Remove it by hand; nothing uses it any more.",
              e);
        }
      }
    }
  }

  private void remove() throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return continueIfGone(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

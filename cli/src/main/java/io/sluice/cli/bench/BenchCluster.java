package io.sluice.cli.bench;

import io.sluice.cli.cluster.Launcher;
import io.sluice.cli.measure.ProcessCpu;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cluster of coordinators and tablets that a benchmark owns; closing removes all of it. */
public final class BenchCluster implements AutoCloseable {
  private static final int COORDINATOR_PORT = 123;
  private static final int RAFT_PORT = 133;
  private static final int COORDINATOR_HTTP_PORT = 180;
  private static final int TABLET_PORT = 223;
  private static final int TABLET_HTTP_PORT = 280;
  private static final String COORDINATOR = "coordinator-";
  private static final String TABLET = "tablet-";

  private final Launcher launcher;
  private final int portBase;
  private final ClusterSize size;
  private final Consumer<String> notices;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param notices receives a line when the home cannot be deleted; the results still count
   */
  BenchCluster(Launcher launcher, int portBase, ClusterSize size, Consumer<String> notices) {
    this.launcher = launcher;
    this.portBase = portBase;
    this.size = size;
    this.notices = notices;
  }

  /** The ports of a cluster with this port base. */
  static IntStream ports(int portBase, ClusterSize size) {
    IntStream coordinators =
        IntStream.of(COORDINATOR_PORT, RAFT_PORT, COORDINATOR_HTTP_PORT)
            .flatMap(first -> IntStream.range(first, first + size.coordinators()));
    IntStream tablets =
        IntStream.of(TABLET_PORT, TABLET_HTTP_PORT)
            .flatMap(first -> IntStream.range(first, first + size.tablets()));
    return IntStream.concat(coordinators, tablets).map(offset -> portBase + offset);
  }

  /** Starts it and returns when it is ready. It is removed also when a person presses Ctrl-C. */
  void up() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "bench-cluster-removal"));
    if (size.equals(ClusterSize.SMALLEST)) {
      launcher.upWithoutLake(portBase);
    } else {
      launcher.upWithoutLake(portBase, size.coordinators(), size.tablets());
    }
  }

  /** A new connection; the caller closes it. */
  public Connection connect() {
    return Connection.open(ClientConfig.of(address()));
  }

  /** {@code host:port} of the coordinators, with commas. */
  public String address() {
    return IntStream.range(0, size.coordinators())
        .mapToObj(index -> "127.0.0.1:" + (portBase + COORDINATOR_PORT + index))
        .collect(Collectors.joining(","));
  }

  /** Process ids of the services. */
  public List<Long> pids() {
    return Stream.concat(names(COORDINATOR, size.coordinators()), names(TABLET, size.tablets()))
        .map(launcher::pid)
        .toList();
  }

  private static Stream<String> names(String kind, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> kind + number);
  }

  /** Process id of the first tablet server. */
  public long tabletPid() {
    return tabletPid(1);
  }

  /** Process id of the tablet server with this id, from 1. */
  public long tabletPid(int serverId) {
    return launcher.pid(TABLET + serverId);
  }

  /** Ends the first tablet server with kill -9. */
  public void killTablet() {
    launcher.kill(TABLET + 1);
  }

  /** Starts the first tablet server again and returns when it is ready. */
  public void startTablet() {
    startTablet(1);
  }

  /** Starts a tablet server that was killed, and returns when it is ready. */
  public void startTablet(int serverId) {
    launcher.restart(TABLET + serverId);
  }

  /** CPU time of the first tablet server. */
  ProcessCpu tabletCpu() {
    return ProcessCpu.of(tabletPid());
  }

  /** Stops it and deletes its home. Twice is harmless. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    launcher.down();
    try {
      deleteTree(launcher.home());
    } catch (IOException e) {
      notices.accept("Cannot delete " + launcher.home() + " of a finished benchmark: " + e);
    }
  }

  /** Closes after a failure, which stays the one that is reported. */
  void closeAfter(RuntimeException failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private static void deleteTree(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

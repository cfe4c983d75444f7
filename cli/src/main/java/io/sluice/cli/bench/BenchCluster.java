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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A cluster of one coordinator and one tablet that a benchmark owns; closing removes all of it. */
public final class BenchCluster implements AutoCloseable {
  private static final int COORDINATOR_PORT = 123;
  private static final int COORDINATOR_HTTP_PORT = 180;
  private static final int TABLET_PORT = 223;
  private static final int TABLET_HTTP_PORT = 280;
  private static final String COORDINATOR = "coordinator-1";
  private static final String TABLET = "tablet-1";

  private final Launcher launcher;
  private final int portBase;
  private final Consumer<String> notices;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param notices receives a line when the home cannot be deleted; the results still count
   */
  BenchCluster(Launcher launcher, int portBase, Consumer<String> notices) {
    this.launcher = launcher;
    this.portBase = portBase;
    this.notices = notices;
  }

  /** The ports of a cluster with this port base. */
  static IntStream ports(int portBase) {
    return IntStream.of(COORDINATOR_PORT, COORDINATOR_HTTP_PORT, TABLET_PORT, TABLET_HTTP_PORT)
        .map(offset -> portBase + offset);
  }

  /** Starts it and returns when it is ready. It is removed also when a person presses Ctrl-C. */
  void up() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "bench-cluster-removal"));
    launcher.upWithoutLake(portBase);
  }

  /** A new connection; the caller closes it. */
  Connection connect() {
    return Connection.open(ClientConfig.of(address()));
  }

  /** {@code host:port} of the coordinator. */
  public String address() {
    return "127.0.0.1:" + (portBase + COORDINATOR_PORT);
  }

  /** Process ids of the services. */
  public List<Long> pids() {
    return List.of(launcher.pid(COORDINATOR), tabletPid());
  }

  /** Process id of the tablet server. */
  public long tabletPid() {
    return launcher.pid(TABLET);
  }

  /** Ends the tablet server with kill -9. */
  public void killTablet() {
    launcher.kill(TABLET);
  }

  /** Starts the tablet server again and returns when it is ready. */
  public void startTablet() {
    launcher.restart(TABLET);
  }

  /** CPU time of the tablet server. */
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

package io.sluice.systemtests.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit extension for tests with process clusters. A parameter of type {@link ProcessCluster} gets
 * the cluster with one tablet that all test classes of a JVM share: a test that kills a service
 * restarts it, uses tables of its own, and drops large ones. When a test fails, the last log lines
 * of all services it may have used are printed, those of clusters it started itself included.
 */
public final class ProcessClusters
    implements ParameterResolver, BeforeEachCallback, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(ProcessClusters.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ProcessCluster.class;
  }

  @Override
  public ProcessCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Shared shared =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(Shared.class, key -> Shared.start(), Shared.class);
    // A test that failed may have left a service dead; the next one is not to fail for that.
    List<String> services = shared.cluster.services();
    if (!services.stream().allMatch(shared.cluster::alive)) {
      shared.cluster.up().orFail("Starting what the test before left dead");
    }
    return shared.cluster;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    LiveClusters.forgetClosed();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      System.err.println("Service logs after the failure of " + context.getDisplayName());
      LiveClusters.logs().forEach(System.err::println);
    }
  }

  /** Closed by JUnit after the last test class. */
  private record Shared(ProcessCluster cluster, Path home) implements AutoCloseable {
    /** Logs roll and stores are flushed now and then, so that a kill finds some in their files. */
    private static final String[] TABLET_OPTIONS = {
      "-Dsluice.tablet.kv.flush-interval=2s", "-Dsluice.tablet.storage.segment-bytes=1MB"
    };

    static Shared start() {
      try {
        Path home = Files.createTempDirectory("sluice-shared-cluster");
        return new Shared(ProcessCluster.start(home, 1, TABLET_OPTIONS), home);
      } catch (IOException e) {
        throw new AssertionError("Cannot make a directory for the shared cluster", e);
      }
    }

    @Override
    public void close() throws IOException {
      cluster.close();
      try (Stream<Path> files = Files.walk(home)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}

package io.sluice.systemtests.local;

import io.sluice.systemtests.process.PortBases;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Services that run in this JVM, closed in the reverse order of their start. */
public final class LocalServices implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** Starts a service with these program arguments and returns when it is up. */
  public synchronized ConfigurableApplicationContext start(
      Class<?> application, String... arguments) {
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(application).registerShutdownHook(false).run(arguments);
    open.push(context);
    return context;
  }

  /** Closes this before everything that is here now. */
  public synchronized <T extends AutoCloseable> T add(T closeable) {
    open.push(closeable);
    return closeable;
  }

  /** Stops a service before its turn. */
  public synchronized void stop(ConfigurableApplicationContext context) {
    if (open.remove(context)) {
      context.close();
    }
  }

  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("Cannot stop the services of this JVM", e);
      }
    }
  }

  /** Ports that no other service of a test has or will get. */
  public static List<Integer> freePorts(int count) {
    return PortBases.freePorts(count);
  }
}

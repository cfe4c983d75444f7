package io.sluice.client.internal;

import io.sluice.client.ClientConfig;
import io.sluice.common.TimeSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * What everything that belongs to one connection shares. Owns the channels, the memory, the timer
 * thread and the writers and scanners that are still open.
 */
public final class ClientCore implements AutoCloseable {
  private final ClientConfig config;
  private final TimeSource time;
  private final BufferAllocator allocator = new RootAllocator();
  private final Channels channels = new Channels();
  private final Coordinators coordinators;
  private final Tables tables;
  private final Leaders leaders;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<AutoCloseable> open = new LinkedHashSet<>();
  private boolean closed;

  public ClientCore(ClientConfig config, TimeSource time) {
    this.config = config;
    this.time = time;
    this.coordinators =
        new Coordinators(channels, config.coordinators(), config.requestTimeout(), time);
    this.tables = new Tables(coordinators);
    this.leaders = new Leaders(channels, tables, config.requestTimeout(), time);
    this.timer = new ScheduledThreadPoolExecutor(1, daemons("sluice-client-timer"));
    this.timer.setRemoveOnCancelPolicy(true);
  }

  static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  public ClientConfig config() {
    return config;
  }

  /** Requests to the metadata service. */
  public Coordinators coordinators() {
    return coordinators;
  }

  /** What is known of tables. */
  public Tables tables() {
    return tables;
  }

  /** Questions to bucket leaders. */
  public Leaders leaders() {
    return leaders;
  }

  Channels channels() {
    return channels;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  TimeSource time() {
    return time;
  }

  ScheduledThreadPoolExecutor timer() {
    return timer;
  }

  /** Closes it with the connection, unless it is {@link #forget forgotten} before. */
  synchronized <C extends AutoCloseable> C remember(C resource) {
    open.add(resource);
    return resource;
  }

  synchronized void forget(AutoCloseable resource) {
    open.remove(resource);
  }

  /**
   * Closes writers (which flush) and scanners, then the rest. Throws the first failure after all is
   * closed. Batches that the application has not closed keep their memory.
   */
  @Override
  public void close() {
    List<AutoCloseable> left;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      left = new ArrayList<>(open);
      open.clear();
    }
    RuntimeException failure = null;
    for (AutoCloseable each : left) {
      try {
        each.close();
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      } catch (Exception e) {
        failure = failure == null ? new IllegalStateException(e) : failure;
      }
    }
    timer.shutdownNow();
    channels.close();
    if (allocator.getAllocatedMemory() == 0) {
      allocator.close();
    }
    if (failure != null) {
      throw failure;
    }
  }
}

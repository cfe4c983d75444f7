package io.sluice.servicekit;

import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Starts and stops a plain object in the order of {@link LifecyclePhase}. Declare it as a bean next
 * to the object; the object's own {@code close} is either hidden from Spring ({@code destroyMethod
 * = ""}) or harmless twice.
 *
 * <p>Spring's gRPC server has the last of all phases, so what belongs after it cannot be a phase:
 * {@link LifecyclePhase#SERVING} follows the context's own events, which come after the start and
 * before the stop of every phase.
 */
public final class ServiceLifecycle
    implements SmartLifecycle, ApplicationListener<ApplicationContextEvent> {
  private final String name;
  private final LifecyclePhase phase;
  private final Action start;
  private final Action stop;
  private volatile boolean running;

  /** A start or stop that may fail. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  public ServiceLifecycle(String name, LifecyclePhase phase, Action start, Action stop) {
    this.name = name;
    this.phase = phase;
    this.start = start;
    this.stop = stop;
  }

  @Override
  public void start() {
    if (!running) {
      run("start", start);
      running = true;
    }
  }

  @Override
  public void stop() {
    if (running) {
      running = false;
      run("stop", stop);
    }
  }

  @Override
  public void onApplicationEvent(ApplicationContextEvent event) {
    if (phase != LifecyclePhase.SERVING || event.getApplicationContext().getParent() != null) {
      return;
    }
    if (event instanceof ContextRefreshedEvent) {
      start();
    } else if (event instanceof ContextClosedEvent) {
      stop();
    }
  }

  private void run(String verb, Action action) {
    try {
      action.run();
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new IllegalStateException("Cannot " + verb + " " + name, failure);
    }
  }

  @Override
  public boolean isAutoStartup() {
    return phase != LifecyclePhase.SERVING;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return phase.phase();
  }
}

package io.sluice.common;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one {@link Agent} on a thread of its own, named after the agent. When a pass did no work the
 * thread parks for the idle time or until {@link #wake()}. A pass that throws is logged and the
 * agent goes on after the idle time: an agent whose failure must stop the service says so itself.
 *
 * <p>{@link #close()} lets the current pass end, waits for it, and then closes the agent on the
 * closing thread.
 */
public final class AgentRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentRunner.class);
  private static final long CLOSE_WAIT_SECONDS = 30;

  private final Agent agent;
  private final long idleNanos;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean running = true;
  private boolean closed;

  private AgentRunner(Agent agent, long idleMs) {
    this.agent = agent;
    this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMs);
    this.thread = new Thread(this::run, agent.name());
    this.thread.setDaemon(true);
  }

  /**
   * Starts the agent.
   *
   * @param agent what to run; this runner closes it
   * @param idleMs how long to park after a pass without work, at least 1
   */
  public static AgentRunner start(Agent agent, long idleMs) {
    if (idleMs < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Idle time of agent " + agent.name() + " is " + idleMs + " ms; it must be at least 1");
    }
    AgentRunner runner = new AgentRunner(agent, idleMs);
    runner.thread.start();
    return runner;
  }

  /** Ends the idle wait early. May be called by any thread. */
  public void wake() {
    LockSupport.unpark(thread);
  }

  private void run() {
    try {
      while (running) {
        int done = 0;
        try {
          done = agent.doWork();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        } catch (Exception failure) {
          LOG.error("Agent {} failed in one pass and goes on", agent.name(), failure);
        }
        if (done == 0 && running) {
          LockSupport.parkNanos(this, idleNanos);
        }
      }
    } finally {
      ended.countDown();
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    running = false;
    wake();
    try {
      if (!ended.await(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "Agent {} did not end its pass within {} s; interrupting it",
            agent.name(),
            CLOSE_WAIT_SECONDS);
        thread.interrupt();
        ended.await(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException interrupted) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
    agent.close();
  }
}

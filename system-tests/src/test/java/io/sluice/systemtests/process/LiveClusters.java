package io.sluice.systemtests.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The clusters of this test run that are not closed, and the last log lines of those closed during
 * the current test. Closes what is left when the test JVM ends.
 */
final class LiveClusters {
  private static final List<ProcessCluster> LIVE = new ArrayList<>();
  private static final List<String> CLOSED_LOGS = new ArrayList<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(LiveClusters::closeAll, "close-clusters"));
  }

  private LiveClusters() {}

  static synchronized void add(ProcessCluster cluster) {
    LIVE.add(cluster);
  }

  /** Whether it was there until now. */
  static synchronized boolean remove(ProcessCluster cluster) {
    boolean removed = LIVE.remove(cluster);
    if (removed) {
      CLOSED_LOGS.add(cluster.logs());
    }
    return removed;
  }

  /** Called before each test: logs of earlier tests' clusters are of no interest any more. */
  static synchronized void forgetClosed() {
    CLOSED_LOGS.clear();
  }

  /** Log lines of every cluster that the current test may have used. */
  static synchronized List<String> logs() {
    List<String> logs = new ArrayList<>(CLOSED_LOGS);
    LIVE.forEach(cluster -> logs.add(cluster.logs()));
    return logs;
  }

  private static void closeAll() {
    List<ProcessCluster> left;
    synchronized (LiveClusters.class) {
      left = List.copyOf(LIVE);
    }
    left.forEach(ProcessCluster::close);
  }
}

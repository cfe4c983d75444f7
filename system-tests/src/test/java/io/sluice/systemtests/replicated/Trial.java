package io.sluice.systemtests.replicated;

import io.sluice.client.BucketDescription;
import io.sluice.common.TablePath;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A workload on tables of its own, faults one after another, and the judgement of what is left. The
 * whole history is in the message when anything is wrong.
 */
final class Trial implements AutoCloseable {
  private static final Duration HEALED = Duration.ofSeconds(90);
  private static final long WARM_OPERATIONS = 500;

  private final ReplicatedCluster cluster;
  private final String database;
  private final Workload workload;
  private final Scene scene;

  private Trial(ReplicatedCluster cluster, String database, Workload workload, Scene scene) {
    this.cluster = cluster;
    this.database = database;
    this.workload = workload;
    this.scene = scene;
  }

  /** Starts the workload and returns when it is well under way on a healthy cluster. */
  static Trial start(
      ReplicatedCluster cluster, String database, Workload.Load load, SplittableRandom random) {
    Workload workload =
        Workload.start(cluster.processes().coordinators(), database, load, random.split());
    Trial trial =
        new Trial(cluster, database, workload, new Scene(cluster, workload, random.split()));
    try {
      trial.awaitHealthy();
    } catch (AssertionError e) {
      AssertionError reported = trial.report(e.getMessage(), e);
      trial.close();
      throw reported;
    }
    return trial;
  }

  Scene scene() {
    return scene;
  }

  History history() {
    return workload.history();
  }

  /** Makes a fault and returns when the cluster has got over it. */
  void make(Fault fault) {
    history().timeline().note("--- " + fault.title());
    history().timeline().fault(fault.title());
    during(
        () -> {
          fault.make(scene);
          awaitHealthy();
        });
  }

  /** Does something to the cluster; a failure comes with the history. */
  void during(Runnable what) {
    try {
      what.run();
    } catch (AssertionError | RuntimeException e) {
      throw report(e.toString(), e);
    }
  }

  /** Returns when all replicas are in sync and the workload goes on. */
  void awaitHealthy() {
    cluster.awaitInSync(workload.paths(), HEALED);
    long before = history().operations();
    Await.until(
        "the workload goes on", HEALED, () -> history().operations() >= before + WARM_OPERATIONS);
    scene.note("healthy," + String.join(";", workload.paths().stream().map(this::state).toList()));
  }

  private String state(String path) {
    return path.substring(database.length() + 1) + cluster.describe(path);
  }

  /** Elections of all buckets. */
  int elections() {
    int elections = 0;
    for (String path : workload.paths()) {
      for (BucketDescription bucket :
          cluster.connection().admin().describe(TablePath.parse(path)).buckets()) {
        elections += bucket.leaderEpoch();
      }
    }
    return elections;
  }

  /** Ends the workload, reads everything, and fails when anything is wrong. */
  void judge() {
    find();
    if (history().violations().count() > 0) {
      throw report("the invariants do not hold", null);
    }
  }

  /** Ends the workload, reads everything, and returns what is wrong. */
  List<String> find() {
    during(
        () -> Checker.check(history(), workload.finish(cluster.connection(), cluster::replicas)));
    return history().violations().found();
  }

  /** Removes the tables. */
  void drop() {
    cluster.connection().admin().dropDatabaseWithTables(database, true);
  }

  AssertionError report(String what, Throwable cause) {
    Violations violations = history().violations();
    return new AssertionError(
        String.format(
            Locale.ROOT,
            "%s: %s%n%d violations%n  %s%n%s%nWhat happened:%n%s",
            database,
            what,
            violations.count(),
            String.join("\n  ", violations.found()),
            summary(),
            history().timeline()),
        cause);
  }

  private String summary() {
    History.Outage longest = history().longestOutage();
    StringBuilder text = new StringBuilder();
    for (SourceHistory source : history().sources()) {
      text.append(
          "%s: %d of %d rows acknowledged; "
              .formatted(source.writer(), source.acknowledged(), source.end()));
    }
    return text.append(
            String.format(
                Locale.ROOT,
                "%d operations, failures %s, longest outage %.1f s of %s at %.1f s",
                history().operations(),
                history().failures(),
                longest.seconds(),
                longest.client(),
                longest.at()))
        .toString();
  }

  /** Ends the workload. Twice is harmless. */
  @Override
  public void close() {
    workload.close();
  }
}

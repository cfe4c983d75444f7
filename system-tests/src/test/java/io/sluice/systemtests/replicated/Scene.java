package io.sluice.systemtests.replicated;

import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.replicated.History.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Where a fault is made: a cluster under a workload, and the dice that say how. */
final class Scene {
  private final ReplicatedCluster cluster;
  private final Workload workload;
  private final SplittableRandom random;

  Scene(ReplicatedCluster cluster, Workload workload, SplittableRandom random) {
    this.cluster = cluster;
    this.workload = workload;
    this.random = random;
  }

  ReplicatedCluster cluster() {
    return cluster;
  }

  ProcessCluster processes() {
    return cluster.processes();
  }

  Network network() {
    return cluster.network();
  }

  SplittableRandom random() {
    return random;
  }

  Workload workload() {
    return workload;
  }

  void note(String what) {
    workload.history().timeline().note(what);
  }

  /** A bucket of any of the workload's tables. */
  Target anyBucket() {
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    String path = workload.path(kind);
    int buckets = cluster.connection().table(path).description().bucketCount();
    return new Target(path, random.nextInt(buckets));
  }

  /** A bucket that a fault is aimed at. */
  record Target(String path, int bucket) {
    @Override
    public String toString() {
      return path + " bucket " + bucket;
    }
  }

  int leader(Target target) {
    return cluster.leader(target.path(), target.bucket());
  }

  int follower(Target target) {
    return anyBut(leader(target));
  }

  /** A tablet that is not this one. */
  int anyBut(int tablet) {
    return others(tablet).get(random.nextInt(ReplicatedCluster.TABLETS - 1));
  }

  /** The tablets that are not this one. */
  static List<Integer> others(int tablet) {
    List<Integer> others = new ArrayList<>();
    for (int other = 1; other <= ReplicatedCluster.TABLETS; other++) {
      if (other != tablet) {
        others.add(other);
      }
    }
    return others;
  }

  /** Lets things be as they are for a while between these seconds. */
  void hold(double fewestSeconds, double mostSeconds) {
    double seconds = fewestSeconds + random.nextDouble() * (mostSeconds - fewestSeconds);
    Client.pause(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  void kill(String service) {
    note("kill -9 " + service);
    processes().kill(service);
  }

  /**
   * A tablet that was cut off dies: what it has sent on these links, and nobody has got, is lost.
   */
  void killCutOff(int tablet, List<Link> links) {
    kill(ReplicatedCluster.tablet(tablet));
    links.forEach(Link::reset);
    heal();
  }

  void restart(String service) {
    processes().startAgain(service);
    note(service + " runs again");
  }

  void pause(String service) {
    note("SIGSTOP " + service);
    processes().pause(service);
  }

  void resume(String service) {
    processes().resume(service);
    note("SIGCONT " + service);
  }

  /** Returns when every replica of a table has on disk what is committed now. */
  void awaitCaughtUp(String path) {
    var unused = cluster.replicas(cluster.connection().table(path).description());
  }

  void cut(List<Link> links) {
    note("cut " + links);
    links.forEach(Link::cut);
  }

  void heal() {
    network().heal();
    note("links are healed");
  }
}

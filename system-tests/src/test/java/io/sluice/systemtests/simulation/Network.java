package io.sluice.systemtests.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Who reaches whom, and how fast. Server 0 is the coordinator. What is on its way when a link is
 * cut is lost together with its stream, or arrives when the link is whole again.
 */
final class Network {
  private final Scheduler scheduler;
  private final int[][] cuts;
  private final long[][] slowUntil;
  private final boolean farCoordinator;
  private final List<List<List<Runnable>>> held = new ArrayList<>();

  Network(Scheduler scheduler, int servers, boolean farCoordinator) {
    this.scheduler = scheduler;
    this.farCoordinator = farCoordinator;
    this.cuts = new int[servers + 1][servers + 1];
    this.slowUntil = new long[servers + 1][servers + 1];
    for (int i = 0; i <= servers; i++) {
      List<List<Runnable>> row = new ArrayList<>();
      for (int j = 0; j <= servers; j++) {
        row.add(new ArrayList<>());
      }
      held.add(row);
    }
  }

  boolean reaches(int from, int to) {
    return cuts[from][to] == 0;
  }

  void cut(int from, int to, long nanos) {
    cuts[from][to]++;
    scheduler.after(
        nanos,
        () -> {
          cuts[from][to]--;
          if (cuts[from][to] == 0) {
            List<Runnable> late = held.get(from).get(to);
            List<Runnable> arrive = new ArrayList<>(late);
            late.clear();
            arrive.forEach(Runnable::run);
          }
        });
  }

  void slow(int from, int to, long nanos) {
    slowUntil[from][to] = Math.max(slowUntil[from][to], scheduler.now() + nanos);
  }

  private long delay(int from, int to) {
    if (farCoordinator && (from == 0 || to == 0)) {
      return scheduler.between(20, 1500);
    }
    return scheduler.now() < slowUntil[from][to]
        ? scheduler.between(200, 3000)
        : scheduler.between(0, scheduler.chance(0.05) ? 60 : 6);
  }

  /** One message that stands for itself: lost, delayed, or there in any order. */
  void send(int from, int to, Runnable delivery) {
    if (reaches(from, to)) {
      scheduler.after(delay(from, to), delivery);
    }
  }

  Stream stream(int from, int to) {
    return new Stream(from, to);
  }

  /** One direction of a connection: in order, nothing missing in between. */
  final class Stream {
    private final int from;
    private final int to;
    private long lastAt;
    private boolean broken;

    private Stream(int from, int to) {
      this.from = from;
      this.to = to;
    }

    void send(Runnable delivery) {
      if (broken) {
        return;
      }
      if (reaches(from, to)) {
        lastAt = Math.max(lastAt, scheduler.now() + delay(from, to));
        scheduler.at(lastAt, delivery);
      } else if (scheduler.chance(0.5)) {
        held.get(from).get(to).add(() -> send(delivery));
      } else {
        broken = true;
      }
    }
  }
}

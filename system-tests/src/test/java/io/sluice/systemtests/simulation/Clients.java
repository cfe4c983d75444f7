package io.sluice.systemtests.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writers, each with its own sequences and at most two puts on their way, and readers who look keys
 * up wherever somebody claims to lead.
 */
final class Clients {
  private static final long TIMEOUT = Scheduler.ms(2_000);

  private final Simulation cluster;
  private final List<Writer> writers = new ArrayList<>();
  private boolean stopped;

  /** One put, sent until it is acknowledged. */
  private static final class Put {
    private final long first;
    private final int count;
    private final int key;
    private int attempt;
    private boolean acknowledged;

    Put(long first, int count, int key) {
      this.first = first;
      this.count = count;
      this.key = key;
    }
  }

  private static final class Writer {
    private final int id;
    private final List<Put> open = new ArrayList<>();
    private long next;
    private long acknowledgedThrough = -1;

    Writer(int id) {
      this.id = id;
    }
  }

  Clients(Simulation cluster) {
    this.cluster = cluster;
    for (int i = 0; i < Simulation.WRITERS; i++) {
      writers.add(new Writer(i));
    }
  }

  void begin() {
    writers.forEach(this::write);
    read();
  }

  /** No more puts but those that are on their way. */
  void stopWriting() {
    stopped = true;
  }

  void checkAllWritten() {
    for (Writer writer : writers) {
      if (!writer.open.isEmpty()) {
        throw new Violation(
            "liveness",
            "writer " + writer.id + " waits for its sequence " + writer.open.get(0).first);
      }
    }
  }

  private void write(Writer writer) {
    if (stopped) {
      return;
    }
    if (writer.open.size() < 2) {
      Put put =
          new Put(
              writer.next,
              1 + cluster.scheduler().below(3),
              cluster.scheduler().below(Simulation.KEYS));
      writer.next += put.count;
      writer.open.add(put);
      send(writer, put);
    }
    cluster
        .scheduler()
        .after(cluster.pace() * cluster.scheduler().between(50, 700), () -> write(writer));
  }

  private void send(Writer writer, Put put) {
    if (put.acknowledged) {
      return;
    }
    int attempt = ++put.attempt;
    SimTablet tablet = cluster.tablet(cluster.believedLeader());
    long through = writer.acknowledgedThrough;
    int life = tablet.life();
    cluster
        .scheduler()
        .after(
            cluster.scheduler().between(0, 5),
            () -> tablet.atProcess(life, () -> take(tablet, writer, put, through, attempt)));
    cluster
        .scheduler()
        .after(
            TIMEOUT,
            () -> {
              if (put.attempt == attempt) {
                send(writer, put);
              }
            });
  }

  private void retry(Writer writer, Put put, int attempt) {
    cluster
        .scheduler()
        .after(
            cluster.scheduler().between(50, 300),
            () -> {
              if (put.attempt == attempt) {
                send(writer, put);
              }
            });
  }

  /** The tablet decides about a put as the real one does. */
  private void take(SimTablet tablet, Writer writer, Put put, long through, int attempt) {
    Leading leading = tablet.leading();
    if (leading == null || !leading.serving() || !leading.rules().hasMinInsync()) {
      retry(writer, put, attempt);
      return;
    }
    SimLog log = tablet.log();
    long last = cluster.rules().knowsWriters() ? log.lastSequence(writer.id) : put.first - 1;
    long lastOfPut = put.first + put.count - 1;
    Batch batch = null;
    if (lastOfPut > last) {
      long first = Math.max(put.first, last + 1);
      if (first > Math.max(last, through) + 1) {
        retry(writer, put, attempt);
        return;
      }
      batch =
          new Batch(
              log.end(),
              (int) (lastOfPut - first + 1),
              leading.epoch(),
              writer.id,
              first,
              put.key,
              cluster.scheduler().now());
      log.append(batch);
    }
    Batch stored = batch;
    long end = log.end();
    int min = tablet.minInsync();
    if (stored != null) {
      leading.appended();
    }
    leading.whenCommitted(
        end,
        () -> {
          cluster
              .checker()
              .acknowledges(tablet, leading.epoch(), writer.id, lastOfPut, stored, min);
          cluster
              .scheduler()
              .after(
                  cluster.scheduler().between(0, 5),
                  () -> {
                    if (!cluster.losesAnswer()) {
                      acknowledged(writer, put);
                    }
                  });
        },
        () -> retry(writer, put, attempt));
  }

  private void acknowledged(Writer writer, Put put) {
    put.acknowledged = true;
    while (!writer.open.isEmpty() && writer.open.get(0).acknowledged) {
      Put done = writer.open.remove(0);
      writer.acknowledgedThrough = done.first + done.count - 1;
    }
  }

  private void read() {
    SimTablet tablet = cluster.anyServing();
    if (tablet != null) {
      int key = cluster.scheduler().below(Simulation.KEYS);
      cluster
          .scheduler()
          .after(cluster.scheduler().between(0, 3), tablet.guarded(() -> lookUp(tablet, key)));
    }
    cluster
        .scheduler()
        .after(
            cluster.pace() * cluster.scheduler().between(20, cluster.profile().readEveryMs()),
            this::read);
  }

  /** Reads, and looks at the lease a moment later: the process may have been paused between. */
  private void lookUp(SimTablet tablet, int key) {
    Leading leading = tablet.leading();
    if (leading == null || !leading.serving()) {
      return;
    }
    @Nullable Batch found = tablet.log().newest(key, tablet.committed());
    long acknowledged = cluster.checker().acknowledgedOffset(key);
    Runnable answer =
        tablet.guarded(
            () -> {
              if (tablet.leading() == leading
                  && leading.rules().hasLease(cluster.scheduler().now())) {
                cluster
                    .checker()
                    .lookedUp(
                        tablet,
                        leading.epoch(),
                        key,
                        found == null ? -1 : found.base(),
                        acknowledged);
              }
            });
    if (cluster.scheduler().chance(0.1)) {
      cluster.scheduler().after(cluster.scheduler().between(0, 50), answer);
    } else {
      answer.run();
    }
  }
}

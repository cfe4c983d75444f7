package io.sluice.systemtests.simulation;

import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.ReplicationTimes;
import io.sluice.tablet.replication.Truncation;
import org.jspecify.annotations.Nullable;

/** A tablet that follows a leader in one epoch. */
final class Following {
  private static final long SILENCE = Scheduler.ms(3_000);
  private static final long NEAR = 8;

  private final Simulation cluster;
  private final SimTablet tablet;
  private final int leader;
  private final int epoch;
  private boolean inSync;
  private @Nullable Connection connection;

  /** One stream of fetches. */
  private final class Connection {
    private final Network.Stream out;
    private final Network.Stream back;
    private final boolean promises;
    private final int leaderLife = cluster.tablet(leader).life();
    private long heard = cluster.scheduler().now();
    private Leading.@Nullable Link link;
    private @Nullable Leading holder;

    Connection(boolean promises) {
      this.promises = promises;
      this.out = cluster.network().stream(tablet.id(), leader);
      this.back = cluster.network().stream(leader, tablet.id());
    }

    /** Says where the log ends. */
    void fetch() {
      SimLog log = tablet.log();
      FetchPosition position =
          new FetchPosition(epoch, log.end(), log.epochs().epochBefore(log.end()));
      if (promises) {
        tablet.promise(cluster.scheduler().now() + ReplicationTimes.LEASE_NANOS);
      }
      SimTablet there = cluster.tablet(leader);
      String incarnation = tablet.incarnation();
      out.send(() -> there.atProcess(leaderLife, () -> arrive(there, incarnation, position)));
    }

    private void arrive(SimTablet there, String incarnation, FetchPosition position) {
      Leading leading = there.leading();
      Leading.Link known = link;
      if (known == null) {
        known =
            new Leading.Link(
                tablet.id(), incarnation, promises, this::sendBack, cluster.scheduler());
        link = known;
      }
      known.fetched();
      if (leading == null) {
        known.answer(Answer.refusal(known.nextAnswer(), there.epoch()));
        return;
      }
      if (holder != null && holder != leading) {
        holder.left(known);
      }
      holder = leading;
      leading.fetch(known, position);
    }

    private void sendBack(Answer answer) {
      back.send(tablet.guarded(() -> received(this, answer)));
    }

    /** The leader hears, or not, that nobody fetches on this stream any more. */
    void close() {
      SimTablet there = cluster.tablet(leader);
      Runnable leave =
          () -> {
            if (holder != null && link != null && there.leading() == holder) {
              holder.left(link);
            }
          };
      // Nothing may depend on that it comes soon.
      long late =
          cluster.scheduler().chance(cluster.profile().lateCloses())
              ? cluster.scheduler().between(0, 5_000)
              : 0;
      cluster
          .scheduler()
          .after(
              late,
              () ->
                  cluster
                      .network()
                      .send(tablet.id(), leader, () -> there.atProcess(leaderLife, leave)));
    }
  }

  Following(Simulation cluster, SimTablet tablet, int leader, int epoch, boolean inSync) {
    this.cluster = cluster;
    this.tablet = tablet;
    this.leader = leader;
    this.epoch = epoch;
    this.inSync = inSync;
  }

  int epoch() {
    return epoch;
  }

  void begin() {
    connect(inSync);
  }

  /** Says the role of the same epoch whether this replica is in sync. */
  void inSync(boolean now) {
    if (now != inSync) {
      inSync = now;
      connect(now);
    }
  }

  private void connect(boolean promises) {
    if (connection != null) {
      connection.close();
    }
    connection = new Connection(promises);
    connection.fetch();
  }

  /** Looks after a stream on which nothing comes. */
  void tick() {
    if (connection != null && cluster.scheduler().now() - connection.heard > SILENCE) {
      connect(inSync);
    }
  }

  void over() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /** The process is gone: the leader's side of the stream notices, unless it is cut off. */
  void died() {
    over();
  }

  private void received(Connection from, Answer answer) {
    if (from != connection || tablet.following() != this) {
      return;
    }
    from.heard = cluster.scheduler().now();
    if (answer.refused() || answer.leaderEpoch() != epoch) {
      cluster
          .scheduler()
          .after(
              Scheduler.ms(200),
              tablet.guarded(
                  () -> {
                    if (from == connection && tablet.following() == this) {
                      from.fetch();
                    }
                  }));
      return;
    }
    SimLog log = tablet.log();
    EpochHistory.End diverges = answer.diverges();
    Answer.Beginning beginning = answer.beginning();
    if (diverges != null) {
      Truncation.Cut cut = cluster.rules().cut(log.epochs(), log.start(), log.end(), diverges);
      if (cut instanceof Truncation.To to) {
        tablet.cutTo(to.logEnd());
      } else {
        tablet.startAnew(0, EpochHistory.EMPTY, null);
      }
    } else if (beginning != null) {
      tablet.startAnew(beginning.offset(), beginning.epochs(), beginning.writers());
    } else {
      for (Batch batch : answer.batches()) {
        take(log, batch);
      }
      tablet.followLogStart(answer.logStart());
      long known = Math.min(answer.committed(), log.end());
      if (known > tablet.committed()) {
        tablet.committedTo(known, epoch);
      }
      if (!from.promises && answer.logEnd() - log.end() <= NEAR) {
        connect(true);
        return;
      }
    }
    from.fetch();
  }

  private void take(SimLog log, Batch batch) {
    if (batch.base() < log.end()) {
      return;
    }
    int last = log.epochs().epochBefore(log.end());
    if (batch.epoch() < last || (batch.base() > log.end() && batch.epoch() == last)) {
      throw new Violation(
          "same-log",
          tablet.id()
              + " cannot store "
              + batch
              + " behind epoch "
              + last
              + " at its log end "
              + log.end());
    }
    if (batch.base() > log.end()) {
      log.jumpTo(batch.base(), batch.epoch());
    }
    log.append(batch);
  }
}

package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.Bucket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds the run against the invariants after every step. It keeps the one true log: what some
 * leader has said is committed. A loss that was accepted, because the last copy lost power or an
 * operator elected another one, makes that copy the truth; leaders of earlier epochs say nothing
 * from then on.
 */
final class Checker {
  private final Simulation cluster;
  private final List<Batch> truth = new ArrayList<>();
  private final Map<Long, Long> holes = new TreeMap<>();
  private final Map<Integer, Integer> acknowledgers = new TreeMap<>();
  private final long[] lastSequences = new long[Simulation.WRITERS];
  private final long[] acknowledged = new long[Simulation.WRITERS];
  private final long[] ackedOffsets = new long[Simulation.KEYS];
  private long truthEnd;
  private int voidBelow;
  private int newestEpoch;
  private int losses;
  private int acks;
  private int lookups;

  Checker(Simulation cluster) {
    this.cluster = cluster;
    Arrays.fill(lastSequences, -1);
    Arrays.fill(acknowledged, -1);
    Arrays.fill(ackedOffsets, -1);
  }

  int acks() {
    return acks;
  }

  int lookups() {
    return lookups;
  }

  int losses() {
    return losses;
  }

  long truthEnd() {
    return truthEnd;
  }

  /** Whether what this tablet says counts. */
  boolean believes(SimTablet tablet) {
    return tablet.epoch() >= voidBelow;
  }

  private static Violation violation(String invariant, String message, Object... arguments) {
    return new Violation(invariant, String.format(message, arguments));
  }

  /**
   * A tablet begins an epoch with what it knows to be committed: no more than was committed, but
   * for what a leader committed that nobody follows any more after an accepted loss.
   */
  void begins(SimTablet tablet, int epoch) {
    if (epoch < voidBelow) {
      return;
    }
    if (tablet.committed() > truthEnd && losses == 0) {
      throw violation(
          "same-log",
          "%d begins epoch %d with committed %d, nobody committed beyond %d",
          tablet.id(),
          epoch,
          tablet.committed(),
          truthEnd);
    }
    committed(tablet, Math.min(truthEnd, tablet.committed()), tablet.committed(), epoch, true);
  }

  /** A tablet learns, or decides, that everything up to there is committed. */
  void committed(SimTablet tablet, long from, long to, int epoch, boolean leads) {
    if (epoch < voidBelow) {
      return;
    }
    tablet.knowsLosses(losses);
    SimLog log = tablet.log();
    for (int i = log.indexOf(leads ? Math.min(from, truthEnd) : from);
        i < log.batches().size();
        i++) {
      Batch batch = log.batches().get(i);
      if (batch.end() > to) {
        break;
      }
      if (batch.base() < truthEnd) {
        Batch known = truthAt(batch.base());
        if (known != batch) {
          throw violation(
              "same-log",
              "%d has %s below committed %d in epoch %d where %s was committed",
              tablet.id(),
              batch,
              to,
              epoch,
              known);
        }
      } else if (leads) {
        extend(tablet, batch, epoch);
      } else {
        throw violation(
            "same-log", "%d takes %s for committed, which nobody committed", tablet.id(), batch);
      }
    }
    if (leads) {
      checkInSync();
    }
  }

  private void extend(SimTablet tablet, Batch batch, int epoch) {
    if (batch.base() != truthEnd && !Long.valueOf(batch.base()).equals(holes.get(truthEnd))) {
      throw violation("dense", "%d commits %s, the log ended at %d", tablet.id(), batch, truthEnd);
    }
    long rows = batch.writer() == Batch.NO_WRITER ? batch.end() : batch.base();
    if (rows < cluster.coordinator().lakeEnd() && batch.epoch() >= voidBelow) {
      throw violation(
          "dense",
          "%d uses offsets of %s again, the lake has everything below %d",
          tablet.id(),
          batch,
          cluster.coordinator().lakeEnd());
    }
    if (batch.writer() != Batch.NO_WRITER) {
      long last = lastSequences[batch.writer()];
      if (batch.firstSequence() <= last) {
        throw violation("no-dup", "%s is committed, the writer's last was %d", batch, last);
      }
      if (batch.firstSequence() != last + 1 && losses == 0) {
        throw violation("no-dup", "%s leaves out what comes after %d", batch, last);
      }
      lastSequences[batch.writer()] = batch.lastSequence();
    }
    truth.add(batch);
    truthEnd = batch.end();
    newestEpoch = Math.max(newestEpoch, epoch);
  }

  private @Nullable Batch truthAt(long base) {
    int low = 0;
    int high = truth.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = truth.get(middle).base();
      if (at == base) {
        return truth.get(middle);
      }
      if (at < base) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  /** Every replica that the coordinator says is in sync has everything committed. */
  void checkInSync() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket == null || truth.isEmpty()) {
      return;
    }
    Batch last = truth.get(truth.size() - 1);
    if (bucket.hasLeader() && !bucket.isr().contains(bucket.leader())) {
      throw violation("leader-in-sync", "%s", bucket);
    }
    for (int member : bucket.isr()) {
      SimTablet tablet = cluster.tablet(member);
      if (tablet.mayLackUnnoticed()) {
        continue;
      }
      if (!tablet.hasLog()
          || (tablet.log().end() < last.end())
          || (tablet.log().start() < last.end() && !tablet.log().has(last))) {
        throw violation(
            "durable-ack",
            "%d is in sync (%s, leader %d epoch %d) without %s",
            member,
            bucket.isr(),
            bucket.leader(),
            bucket.leaderEpoch(),
            last);
      }
    }
  }

  /**
   * A tablet begins to serve: it shows all that was ever shown. One that has not heard of a newer
   * leader yet may be behind, but commits nothing any more.
   */
  void leads(SimTablet tablet, int epoch) {
    if (epoch < voidBelow || epoch < newestEpoch) {
      return;
    }
    checkHasTruth(tablet);
    if (tablet.committed() < truthEnd) {
      throw violation(
          "committed-monotonic",
          "%d leads in epoch %d and shows %d, readers have seen %d",
          tablet.id(),
          epoch,
          tablet.committed(),
          truthEnd);
    }
  }

  private void checkHasTruth(SimTablet tablet) {
    SimLog log = tablet.log();
    for (Batch batch : truth) {
      if (batch.base() >= log.start() && !log.has(batch)) {
        throw violation(
            "durable-ack",
            "%d does not have %s, which was committed; it has %s there",
            tablet.id(),
            batch,
            log.at(batch.base()));
      }
    }
  }

  /** A tablet has cut its log. */
  void cut(SimTablet tablet, long committedBefore) {
    long kept = tablet.log().end();
    if (kept < Math.min(committedBefore, truthEnd)
        && tablet.epoch() >= voidBelow
        && tablet.knownLosses() == losses) {
      throw violation(
          "same-log",
          "%d cuts to %d, and knew that everything below %d is committed",
          tablet.id(),
          kept,
          committedBefore);
    }
    checkInSync();
  }

  /** A new leader leaves a hole. */
  void jumps(SimTablet tablet, long from, long to) {
    cluster.note("%d leaves a hole [%d,%d)", tablet.id(), from, to);
    holes.put(from, to);
  }

  /** A put is acknowledged. */
  void acknowledges(
      SimTablet tablet, int epoch, int writer, long lastSequence, @Nullable Batch batch, int min) {
    if (epoch < voidBelow) {
      return;
    }
    acks++;
    Integer other = acknowledgers.putIfAbsent(epoch, tablet.id());
    if (other != null && other != tablet.id()) {
      throw violation("one-leader", "%d and %d acknowledge in epoch %d", other, tablet.id(), epoch);
    }
    if (lastSequences[writer] < lastSequence) {
      throw violation(
          "durable-ack",
          "%d acknowledges sequence %d of writer %d, committed is %d",
          tablet.id(),
          lastSequence,
          writer,
          lastSequences[writer]);
    }
    acknowledged[writer] = Math.max(acknowledged[writer], lastSequence);
    if (batch == null) {
      return;
    }
    ackedOffsets[batch.key()] = Math.max(ackedOffsets[batch.key()], batch.base());
    int copies = 0;
    for (int server = 1; server <= cluster.servers(); server++) {
      SimTablet each = cluster.tablet(server);
      // One that lost power since may have had it.
      if (each.lostPowerAt() >= batch.at()
          || (each.hasLog() && (each.log().has(batch) || each.log().start() > batch.base()))) {
        copies++;
      }
    }
    Bucket bucket = cluster.coordinator().bucket();
    // Replicas that were moved away meanwhile need not be there any more.
    if (copies < min && bucket != null && copies < bucket.minInsync()) {
      throw violation(
          "min-insync",
          "%d acknowledges %s, of which there are %d copies and shall be %d",
          tablet.id(),
          batch,
          copies,
          min);
    }
  }

  /** Where the newest acknowledged value of a key is, -1 when there is none. */
  long acknowledgedOffset(int key) {
    return ackedOffsets[key];
  }

  /** A lookup is answered that found the key's value at an offset, -1 for none. */
  void lookedUp(SimTablet tablet, int epoch, int key, long offset, long acknowledgedBefore) {
    if (epoch < voidBelow) {
      return;
    }
    lookups++;
    if (offset < acknowledgedBefore && tablet.log().start() <= acknowledgedBefore) {
      throw violation(
          "read-your-write",
          "%d answers key %d in epoch %d with what is at %d, acknowledged was what is at %d",
          tablet.id(),
          key,
          epoch,
          offset,
          acknowledgedBefore);
    }
  }

  /** What that copy has is the truth from now on, and only newer epochs count. */
  void lossAccepted(int server, int epoch) {
    losses++;
    voidBelow = epoch;
    SimTablet copy = cluster.tablet(server);
    int kept = 0;
    if (copy.hasLog()) {
      while (kept < truth.size()
          && (truth.get(kept).end() <= copy.log().start() || copy.log().has(truth.get(kept)))) {
        kept++;
      }
    }
    cluster.note("loss accepted, %d is the truth up to batch %d of %d", server, kept, truth.size());
    truth.subList(kept, truth.size()).clear();
    truthEnd = truth.isEmpty() ? 0 : truth.get(truth.size() - 1).end();
    if (copy.hasLog()) {
      truthEnd = Math.max(truthEnd, Math.min(copy.log().start(), copy.log().end()));
    }
    Arrays.fill(lastSequences, -1);
    Arrays.fill(ackedOffsets, -1);
    for (Batch batch : truth) {
      if (batch.writer() != Batch.NO_WRITER) {
        lastSequences[batch.writer()] = batch.lastSequence();
        ackedOffsets[batch.key()] = batch.base();
      }
    }
  }

  /** After the faults and some time everything is as it should be. */
  void checkAtRest() {
    Bucket bucket = cluster.coordinator().bucket();
    if (bucket == null || !bucket.hasLeader()) {
      throw violation("liveness", "nobody leads: %s", bucket);
    }
    if (bucket.isr().size() != bucket.replicas().size() || bucket.moving()) {
      throw violation("liveness", "not all are in sync: %s", bucket);
    }
    SimTablet leader = cluster.tablet(bucket.leader());
    Leading leading = leader.leading();
    if (leading == null || !leading.serving() || leading.epoch() != bucket.leaderEpoch()) {
      throw violation(
          "liveness", "%d does not lead in epoch %d", leader.id(), bucket.leaderEpoch());
    }
    if (!leading.rules().hasLease(cluster.scheduler().now())) {
      throw violation("liveness", "%d has no lease", leader.id());
    }
    checkHasTruth(leader);
    for (int replica : bucket.replicas()) {
      SimTablet tablet = cluster.tablet(replica);
      SimLog log = tablet.log();
      if (log.end() != leader.log().end() || tablet.committed() != leader.log().end()) {
        throw violation(
            "liveness",
            "%d ends at %d, committed %d, the leader %d ends at %d",
            replica,
            log.end(),
            tablet.committed(),
            leader.id(),
            leader.log().end());
      }
      checkHasTruth(tablet);
      for (int i = log.batches().size() - 1; i >= 0; i--) {
        Batch batch = log.batches().get(i);
        if (batch.base() >= leader.log().start() && !leader.log().has(batch)) {
          throw violation("same-log", "%d has %s, the leader not", replica, batch);
        }
      }
    }
    cluster.clients().checkAllWritten();
  }
}

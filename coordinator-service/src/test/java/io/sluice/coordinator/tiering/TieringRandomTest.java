package io.sluice.coordinator.tiering;

import static io.sluice.coordinator.tiering.QueueHarness.failed;
import static io.sluice.coordinator.tiering.QueueHarness.finished;
import static io.sluice.coordinator.tiering.QueueHarness.has;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.tiering.QueueHarness.Stream;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.protocol.tiering.v1.Fence;
import io.sluice.protocol.tiering.v1.WorkerReport;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Workers that commit, fail, stop, restart, fall silent and come back, operators that hold, drop
 * and create, a Raft that loses commands and leaders that change, against what must hold whatever
 * happens: epochs only grow, an epoch is given out once, never on hold, and offsets are a chain;
 * and when all is well again, every table gets its turn.
 */
class TieringRandomTest {
  private static final int STEPS = 800;

  @Test
  void whateverHappensTheFenceTheChainAndTheHoldsStandAndNoTableStarves() {
    Seeds.run(60, (seed, random) -> new Run(random).run());
  }

  /** One run. */
  private static final class Run {
    private final SplittableRandom random;
    private final QueueHarness harness =
        new QueueHarness(
            new TieringSettings(
                Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofSeconds(15), 3));
    private final List<Sim> workers = List.of(new Sim("w1"), new Sim("w2"), new Sim("w3"));
    private final Set<String> given = new HashSet<>();
    private final Map<Long, LakeTable> last = new HashMap<>();
    private final Map<Long, Long> rows = new HashMap<>();
    private int tablesMade;

    Run(SplittableRandom random) {
      this.random = random;
    }

    void run() {
      for (int i = 0; i < 4; i++) {
        create();
      }
      for (int step = 0; step < STEPS; step++) {
        harness.raftIsDown = random.nextInt(20) == 0;
        step();
        check();
      }
      harness.raftIsDown = false;
      everyTableGetsItsTurn();
    }

    private void create() {
      harness.create("t" + tablesMade++, 1_000 * (1 + random.nextInt(60)));
    }

    private void step() {
      Sim worker = workers.get(random.nextInt(workers.size()));
      switch (random.nextInt(24)) {
        case 0, 1, 2, 3, 4, 5 -> harness.pass(random.nextInt(40_000));
        case 6, 7, 8, 9, 10 -> worker.report();
        case 11, 12, 13, 14 -> worker.commit();
        case 15 -> worker.findNothing();
        case 16 -> worker.fail(FailureScope.forNumber(random.nextInt(3)));
        case 17 -> worker.restart();
        case 18 -> worker.breakStream();
        case 19 -> worker.forgetOne();
        case 20 -> newLeader();
        case 21 -> hold();
        case 22 -> {
          if (random.nextInt(4) == 0) {
            dropOne();
            create();
          }
        }
        default -> worker.commitAsZombie();
      }
    }

    private void newLeader() {
      harness.queue.forget();
      harness.queue.restore(harness.state, harness.nowMs);
      workers.forEach(worker -> worker.stream = new Stream());
    }

    private void hold() {
      LakeTable lake = anyLake();
      if (lake != null) {
        harness.hold(
            lake.tableId(), LakeHold.values()[random.nextInt(LakeHold.values().length)], "why");
        harness.tick();
      }
    }

    private void dropOne() {
      LakeTable lake = anyLake();
      if (lake != null) {
        harness.drop(harness.state.table(lake.tableId()).path().table());
      }
    }

    private LakeTable anyLake() {
      List<LakeTable> all = lakes();
      return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private List<LakeTable> lakes() {
      List<LakeTable> all = new ArrayList<>();
      for (PersistentMap.Entry<Long, LakeTable> entry : harness.state.lakes()) {
        all.add(entry.value());
      }
      return all;
    }

    private void check() {
      for (Sim worker : workers) {
        worker.takeOrders();
      }
      for (LakeTable lake : lakes()) {
        LakeTable before = last.put(lake.tableId(), lake);
        if (before != null) {
          assertThat(lake.epoch()).isGreaterThanOrEqualTo(before.epoch());
        }
        assertThat(lake.offset(0, 0)).isEqualTo(rows.getOrDefault(lake.tableId(), 0L));
      }
      QueueStatus.Counts counts = harness.queue.status(harness.nowMs).counts();
      assertThat(
              counts.waiting()
                  + counts.ready()
                  + counts.tiering()
                  + counts.done()
                  + counts.failed())
          .isEqualTo(harness.state.lakes().size());
    }

    /** An hour with healthy workers. */
    private void everyTableGetsItsTurn() {
      for (LakeTable lake : lakes()) {
        harness.hold(lake.tableId(), LakeHold.NONE, "");
      }
      Map<Long, Long> epochs = new HashMap<>();
      lakes().forEach(lake -> epochs.put(lake.tableId(), lake.epoch()));
      for (int i = 0; i < 240; i++) {
        harness.pass(15_000);
        for (Sim worker : workers) {
          worker.report();
          worker.commit();
        }
        check();
      }
      for (LakeTable lake : lakes()) {
        assertThat(lake.epoch())
            .as("table %s gets rounds", lake.tableId())
            .isGreaterThan(epochs.get(lake.tableId()));
        assertThat(harness.status(lake.tableId()).tierLagMs()).isLessThan(300_000);
      }
    }

    /** A worker that may be anything but a liar. */
    private final class Sim {
      private final String id;
      private final Map<Long, Assignment> held = new HashMap<>();
      private final List<Assignment> lost = new ArrayList<>();
      private Stream stream = new Stream();
      private int incarnation;
      private int taken;
      private Stream counted;

      Sim(String id) {
        this.id = id;
      }

      private WorkerReport.Builder body() {
        WorkerReport.Builder body = QueueHarness.worker(id, "i" + incarnation, 2);
        held.values().forEach(assigned -> body.addTables(has(assigned)));
        return body;
      }

      void report() {
        send(body());
      }

      private void send(WorkerReport.Builder body) {
        if (stream.failure != null || stream.completed) {
          stream = new Stream();
        }
        harness.report(stream, body);
        takeOrders();
      }

      void takeOrders() {
        if (counted != stream) {
          counted = stream;
          taken = 0;
        }
        for (; taken < stream.assigned.size(); taken++) {
          Assignment assigned = stream.assigned.get(taken);
          assertThat(given.add(assigned.getTableId() + "-" + assigned.getEpoch()))
              .as("epoch %s of table %s is given once", assigned.getEpoch(), assigned.getTableId())
              .isTrue();
          LakeTable lake = harness.lake(assigned.getTableId());
          if (lake != null) {
            assertThat(lake.hold()).isNotIn(LakeHold.PAUSED, LakeHold.REGRESSED);
          }
          held.put(assigned.getTableId(), assigned);
        }
        for (Fence fence : stream.fenced) {
          Assignment mine = held.get(fence.getTableId());
          if (mine != null && mine.getEpoch() <= fence.getEpoch()) {
            lost.add(held.remove(fence.getTableId()));
          }
        }
        stream.fenced.clear();
      }

      private Assignment pick() {
        List<Assignment> all = new ArrayList<>(held.values());
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
      }

      void commit() {
        Assignment mine = pick();
        if (mine == null) {
          return;
        }
        held.remove(mine.getTableId());
        commit(mine);
        send(body().addFinished(finished(mine, 1, random.nextInt(5) == 0)));
      }

      private void commit(Assignment mine) {
        if (harness.lake(mine.getTableId()) != null) {
          harness.commit(mine);
          rows.merge(mine.getTableId(), 10L, Long::sum);
        }
      }

      /** A round that was taken away had already reached the lake. */
      void commitAsZombie() {
        if (!lost.isEmpty()) {
          commit(lost.remove(lost.size() - 1));
        }
      }

      void findNothing() {
        Assignment mine = pick();
        if (mine != null) {
          held.remove(mine.getTableId());
          send(body().addFinished(finished(mine, -1, false)));
        }
      }

      void fail(FailureScope scope) {
        Assignment mine = pick();
        if (mine != null) {
          held.remove(mine.getTableId());
          send(
              body()
                  .addFailed(
                      failed(mine, scope, "boom").toBuilder()
                          .setSuperseded(random.nextInt(4) == 0)));
        }
      }

      void restart() {
        incarnation++;
        lost.addAll(held.values());
        held.clear();
        stream = new Stream();
        report();
      }

      void breakStream() {
        harness.queue.disconnected(stream, random.nextBoolean(), harness.nowMs);
        harness.tick();
        stream = new Stream();
      }

      void forgetOne() {
        Assignment mine = pick();
        if (mine != null) {
          lost.add(held.remove(mine.getTableId()));
        }
      }
    }
  }
}

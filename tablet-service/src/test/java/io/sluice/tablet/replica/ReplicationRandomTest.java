package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.TestBatches;
import io.sluice.tablet.log.TestBatches.TestBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers put, servers are cut off and come back, leaders change, processes restart, all as a seed
 * says. In the end every batch that was acknowledged is there once, in the order of its writer, and
 * the replicas are the same.
 */
final class ReplicationRandomTest {
  private static final int STEPS = 250;

  @TempDir private Path temp;

  private ReplicaGroup group;
  private SplittableRandom random;
  private int leader = 1;
  private final Map<Long, Writer> writers = new HashMap<>();

  /** A client that sends one batch at a time, again and again until it is answered. */
  private static final class Writer {
    private final List<Long> acknowledged = new ArrayList<>();
    private long sequence;
    private int rows;
    private Answer answer;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void nothingAcknowledgedIsLostOrDoubled(long seed) throws Exception {
    random = new SplittableRandom(seed);
    try (ReplicaGroup opened = new ReplicaGroup(temp, 3)) {
      group = opened;
      group.awaitLeader(1);
      for (int i = 0; i < STEPS; i++) {
        step();
      }
      group.ids().forEach(group.pump::heal);
      group.tellAll();
      group.awaitLeader(leader);
      for (int i = 0; i < 3; i++) {
        group.clock.advanceMs(2_000);
        group.pump.round();
      }
      group.pumpUntil(
          "seed " + seed + ": all are in sync",
          () -> {
            group.clock.advanceMs(200);
            return group.isr().size() == 3;
          });
      for (long id : writers.keySet()) {
        finish(id);
      }
      group.awaitEqual();
      check("seed " + seed);
    }
  }

  private void check(String what) {
    for (int id : group.ids()) {
      assertThat(group.batches(id)).as(what + ", server " + id).isEqualTo(group.batches(leader));
    }
    for (Map.Entry<Long, Writer> entry : writers.entrySet()) {
      List<Long> stored =
          TestTablet.sequences(group.replica(leader), entry.getKey()).stream()
              .map(each -> each[0])
              .toList();
      assertThat(stored).as(what + ", writer " + entry.getKey()).isSorted().doesNotHaveDuplicates();
      assertThat(stored).as(what).containsAll(entry.getValue().acknowledged);
    }
  }

  private void step() throws Exception {
    int choice = random.nextInt(100);
    if (choice < 45) {
      write(random.nextLong(3));
    } else if (choice < 75) {
      group.pump.round();
    } else if (choice < 80) {
      group.clock.advanceMs(random.nextLong(3_000));
      group.server(leader).set().tick();
    } else if (choice < 86) {
      int id = 1 + random.nextInt(3);
      group.pump.cut(id);
    } else if (choice < 94) {
      int id = 1 + random.nextInt(3);
      group.pump.heal(id);
      group.tell(id);
    } else if (choice < 98) {
      electAnother();
    } else {
      int id = 1 + random.nextInt(3);
      boolean cut = group.pump.isCut(id);
      group.pump.heal(id);
      group.restart(id);
      if (cut) {
        group.pump.cut(id);
      }
    }
  }

  private void electAnother() {
    List<Integer> isr = group.isr();
    int next = isr.get(random.nextInt(isr.size()));
    group.pump.heal(next);
    leader = next;
    group.elect(next);
  }

  private void write(long id) throws Exception {
    Writer writer = writers.computeIfAbsent(id, any -> new Writer());
    if (writer.answer != null && writer.answer.done()) {
      take(writer);
    }
    // A client that has no answer asks again now and then, wherever it believes the leader is.
    if (writer.answer == null || random.nextInt(4) == 0) {
      if (writer.rows == 0) {
        writer.rows = 1 + random.nextInt(5);
      }
      writer.answer = send(id, writer);
    }
  }

  private Answer send(long id, Writer writer) {
    TestBatch batch = TestBatches.of(writer.rows, id, 0, writer.sequence, 50);
    int server = random.nextInt(5) == 0 ? 1 + random.nextInt(3) : leader;
    return TestTablet.put(group.replica(server), batch, writer.sequence - 1);
  }

  private static boolean take(Writer writer) throws Exception {
    Answer answer = writer.answer;
    writer.answer = null;
    try {
      answer.get();
    } catch (ExecutionException refused) {
      return false;
    }
    writer.acknowledged.add(writer.sequence);
    writer.sequence += writer.rows;
    writer.rows = 0;
    return true;
  }

  /** Sends what is open until it is stored. */
  private void finish(long id) throws Exception {
    Writer writer = writers.get(id);
    while (writer.rows > 0) {
      writer.answer =
          TestTablet.put(
              group.replica(leader),
              TestBatches.of(writer.rows, id, 0, writer.sequence, 50),
              writer.sequence - 1);
      group.pumpUntil("the last put of writer " + id, writer.answer::done);
      take(writer);
    }
  }
}

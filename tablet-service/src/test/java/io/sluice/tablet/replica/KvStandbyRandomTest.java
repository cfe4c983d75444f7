package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.testkit.MovedClock;
import io.sluice.testkit.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * <em>state-is-fold</em> on every replica and <em>same-log</em> for the rows: puts of every kind
 * into one of three replicas, fetches, failovers, cuts, kills and restarts, for several rules of
 * tables. Whoever leads has all that was acknowledged, and no id is given twice.
 */
final class KvStandbyRandomTest {
  private static final int STEPS = 400;
  private static final List<Map<String, String>> TABLES =
      List.of(
          Map.of(),
          Map.of("table.changelog.image", "wal"),
          Map.of("table.kv.ttl", "1 s"),
          Map.of("auto-increment.fields", "c"),
          Map.of(
              "table.merge-engine", "aggregation",
              "fields.a.agg", "listagg",
              "fields.c.agg", "sum"),
          Map.of(
              "table.merge-engine", "versioned",
              "table.merge-engine.versioned.ver-column", "c"));

  @TempDir private Path temp;
  private long cuts;
  private long failovers;

  @Test
  void everyReplicaHasTheRowsOfItsChangelog() {
    Seeds.run(
        2 * TABLES.size(),
        (seed, random) -> {
          Map<String, String> options = TABLES.get((int) ((seed - 1) % TABLES.size()));
          try (Run run = new Run(temp.resolve("seed" + seed), options, random)) {
            run.run();
          } catch (Throwable failure) {
            throw new AssertionError(options + ": " + failure.getMessage(), failure);
          }
        });
    if (System.getProperty("sluice.seed") == null) {
      assertThat(failovers).isGreaterThan(50);
      assertThat(cuts).isGreaterThan(20);
    }
  }

  private final class Run implements AutoCloseable {
    private final MovedClock clock = new MovedClock(1_700_000_000_000L);
    private final FakeIdGrants ids = new FakeIdGrants();
    private final SplittableRandom random;
    private final List<StandbyNode> nodes = new ArrayList<>();
    private StandbyNode leader;
    // Of puts that were answered: at or behind the leader's log end then, and visible.
    private long acknowledged;
    private Map<String, String> acknowledgedRows = Map.of();

    Run(Path root, Map<String, String> options, SplittableRandom random) {
      this.random = random;
      HostedTable table = StandbyPuts.table(options);
      for (int id = 1; id <= 3; id++) {
        nodes.add(new StandbyNode(id, root.resolve("" + id), table, clock, ids));
      }
      leader = nodes.get(0);
      elect(leader, 1);
    }

    private void elect(StandbyNode chosen, int epoch) {
      leader = chosen;
      leader.lead(epoch);
      for (StandbyNode node : nodes) {
        if (node != leader) {
          node.follow(leader);
          node.standBy();
        }
      }
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        clock.advanceMs(random.nextInt(60));
        int dice = random.nextInt(1_000);
        if (dice < 400) {
          StandbyPuts.random(leader, random);
        } else if (dice < 430) {
          makeRows();
        } else if (dice < 450) {
          removeExpired();
        } else if (dice < 800) {
          follower().fetch(leader);
          commit();
        } else if (dice < 900) {
          checkOne();
        } else if (dice < 930) {
          acknowledge();
        } else if (dice < 960) {
          failOver();
        } else if (dice < 985) {
          again(follower());
        } else {
          StandbyNode node = nodes.get(random.nextInt(3));
          node.awaitReady();
          node.kv.store().flush();
        }
      }
      acknowledge();
      for (StandbyNode node : nodes) {
        node.awaitReady();
        node.fetch(leader);
        node.assertStateIsFold();
        assertThat(node.kv.applied()).isEqualTo(leader.log.endOffset());
        assertThat(node.rows()).isEqualTo(leader.rows());
      }
    }

    private StandbyNode follower() {
      StandbyNode node = nodes.get(random.nextInt(3));
      return node == leader ? follower() : node;
    }

    private void makeRows() {
      if (!leader.kv.hasIdsFor(3)) {
        leader.runQueued();
        assertThat(leader.kv.hasIdsFor(3)).isTrue();
      }
      leader.kv.insertMissing(someKeys(3), leader.epoch);
    }

    private void removeExpired() {
      leader.kv.removeExpired(someKeys(20), leader.epoch);
    }

    private List<byte[]> someKeys(int count) {
      KeyEncoder encoder = StandbyNode.keys(leader.table);
      List<byte[]> keys = new ArrayList<>();
      int first = random.nextInt(StandbyPuts.KEYS);
      for (int i = 0; i < count; i++) {
        keys.add(encoder.encode(Row.of((first + i) % (StandbyPuts.KEYS + 10), null, null)));
      }
      return keys;
    }

    /** Committed is what all have, in this epoch: those who have not agreed yet hold it back. */
    private void commit() {
      long end = leader.log.endOffset();
      for (StandbyNode node : nodes) {
        if (node.epoch != leader.epoch || !agrees(node)) {
          return;
        }
        end = Math.min(end, node.log.endOffset());
      }
      leader.committed = Math.max(leader.committed, end);
      leader.kv.apply(leader.committed);
    }

    private boolean agrees(StandbyNode node) {
      return node == leader
          || node.log.endOffset() <= leader.log.endOffset()
              && node.log.epochs().epochBefore(node.log.endOffset())
                  == leader.log.epochs().epochBefore(node.log.endOffset());
    }

    /** All have everything, and the leader shows it. */
    private void acknowledge() {
      while (leader.committed < leader.log.endOffset()) {
        for (StandbyNode node : nodes) {
          if (node != leader) {
            node.fetch(leader);
          }
        }
        commit();
      }
      assertThat(leader.kv.applied()).isEqualTo(leader.committed);
      acknowledged = leader.committed;
      acknowledgedRows = leader.rows();
    }

    private void failOver() {
      failovers++;
      StandbyNode next = follower();
      next.awaitReady();
      assertThat(next.kv.ready()).isTrue();
      assertThat(next.log.endOffset()).isGreaterThanOrEqualTo(acknowledged);
      for (StandbyNode node : nodes) {
        if (node != next && node.log.endOffset() > next.log.endOffset()) {
          cuts++;
        }
      }
      elect(next, leader.epoch + 1);
      if (random.nextInt(3) == 0) {
        // The new leader writes before anyone has fetched.
        StandbyPuts.random(leader, random);
      }
      next.assertStateIsFold();
      assertThat(next.fold(acknowledged)).isEqualTo(acknowledgedRows);
    }

    private void again(StandbyNode node) {
      if (random.nextBoolean()) {
        node.restart();
      } else {
        node.crash();
      }
      node.follow(leader);
      node.standBy();
    }

    private void checkOne() {
      StandbyNode node = nodes.get(random.nextInt(3));
      if (node != leader) {
        node.awaitReady();
      }
      node.assertStateIsFold();
    }

    @Override
    public void close() {
      nodes.forEach(StandbyNode::close);
    }
  }
}

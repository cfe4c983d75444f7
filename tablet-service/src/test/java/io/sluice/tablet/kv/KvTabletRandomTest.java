package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.tablet.kv.KvModel.Change;
import io.sluice.testkit.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * <em>state-is-fold</em> and <em>read-your-write</em> under random puts, commits, cuts, flushes,
 * crashes and restarts, for every set of rules that a table can have: the bucket against {@link
 * KvModel}. More than a million rows in all.
 */
final class KvTabletRandomTest {
  private static final int OPERATIONS = 1_050_000;
  private static final List<ModelTable> TABLES = ModelTable.all();

  @TempDir private Path temp;
  private long operations;
  private long refused;
  private long crashes;

  /** A shape, and how the model sees it: the table's columns of its rows, the columns it writes. */
  private record Target(PutShape shape, int[] columns, boolean[] writes, boolean whole) {}

  @Test
  void bucketIsTheFoldOfItsChangelogWhateverHappens() {
    Seeds.run(
        TABLES.size(),
        (seed, random) -> {
          ModelTable table = TABLES.get((int) ((seed - 1) % TABLES.size()));
          try (ModelBucket bucket = new ModelBucket(table, temp.resolve("seed" + seed))) {
            new Run(bucket, random).run();
          } catch (Throwable failure) {
            throw new AssertionError(table + ": " + failure.getMessage(), failure);
          }
        });
    if (System.getProperty("sluice.seed") == null) {
      assertThat(operations).isGreaterThan(1_000_000);
      assertThat(crashes).isGreaterThan(2L * TABLES.size());
      assertThat(refused).isGreaterThan(500);
    }
  }

  private final class Run {
    private final ModelBucket bucket;
    private final ModelTable table;
    private final SplittableRandom random;
    private final KvModel model;
    private final List<Target> targets = new ArrayList<>();
    private long committed;
    private int rows;

    Run(ModelBucket bucket, SplittableRandom random) {
      this.bucket = bucket;
      this.table = bucket.table;
      this.random = random;
      this.model = new KvModel(table);
      addTargets();
    }

    private void addTargets() {
      if (table.ids()) {
        List<Integer> others = List.of(1, 3, 4, 5, 6);
        targets.add(target(PutShape.withoutIds(bucket.schema, others), others, true));
      } else {
        List<Integer> all = List.of(1, 2, 3, 4, 5, 6);
        targets.add(target(PutShape.full(bucket.schema), all, true));
      }
      if (table.takesPartialUpdates()) {
        List<Integer> some = List.of(1, 3, 5);
        List<Integer> mixed = List.of(6, 4, 1);
        targets.add(target(PutShape.partial(bucket.schema, some), some, false));
        targets.add(target(PutShape.partial(bucket.schema, mixed), mixed, false));
      }
    }

    private static Target target(PutShape shape, List<Integer> ids, boolean whole) {
      int[] columns = ids.stream().mapToInt(id -> id - 1).toArray();
      boolean[] writes = new boolean[ModelTable.COLUMNS];
      ids.forEach(id -> writes[id - 1] = true);
      return new Target(shape, columns, writes, whole);
    }

    void run() throws Exception {
      while (rows < OPERATIONS / TABLES.size()) {
        bucket.nowMs += random.nextInt(100);
        int dice = random.nextInt(1_000);
        if (dice < 750) {
          put();
        } else if (dice < 780) {
          insertMissing();
        } else if (dice < 790) {
          removeExpired();
        } else if (dice < 890) {
          commit(committed + random.nextLong(bucket.logEnd() - committed + 1));
        } else if (dice < 960) {
          readYourWrite();
        } else if (dice < 975) {
          checkScan();
        } else if (dice < 983) {
          bucket.tablet().store().flush();
        } else {
          trouble(dice);
        }
      }
      crash();
      commit(bucket.logEnd());
      checkScan();
      operations += rows;
    }

    private void trouble(int dice) {
      if (dice < 990) {
        int kept = keptBatches();
        bucket.cutLog(kept);
        model.truncate(bucket.logEnd());
        assertThat(bucket.tablet().truncate(bucket.logEnd())).isTrue();
      } else if (dice < 994) {
        crash();
      } else if (dice < 996) {
        powerLoss();
      } else {
        bucket.restart();
        assertThat(bucket.tablet().appliedOffset()).isEqualTo(committed);
        checkRecovered();
      }
    }

    private void put() throws Exception {
      Target target = targets.get(random.nextInt(targets.size()));
      List<Change> changes = new ArrayList<>();
      int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 140 : 24);
      int deletes = deleteOdds(count);
      for (int i = 0; i < count; i++) {
        Object[] row = new Object[ModelTable.COLUMNS];
        for (int column : target.columns()) {
          row[column] = table.value(column, random);
        }
        changes.add(new Change(random.nextInt(deletes) == 0, row));
      }
      rows += count;
      check(
          () -> model.put(target.writes(), target.whole(), target.shape().partial(), changes),
          () -> bucket.evaluate(target.shape(), changes, target.columns()));
    }

    /** Deletes that refuse the whole put must be few. */
    private int deleteOdds(int rowsOfPut) {
      return switch (table.deletes()) {
        case ALLOW -> 4;
        case IGNORE -> 12;
        case DISABLE -> 12 * rowsOfPut;
      };
    }

    private interface ModelCall {
      void run() throws KvModel.Refused;
    }

    /** Both must refuse the call with the same code, or give the same records. */
    private void check(ModelCall expected, Callable<ChangelogPlan> call) throws Exception {
      long firstId = bucket.nextId;
      model.begin(bucket.nowMs, firstId);
      KvModel.Refused refusal = null;
      try {
        expected.run();
      } catch (KvModel.Refused e) {
        refusal = e;
      }
      if (refusal != null) {
        refused++;
        KvModel.Refused wanted = refusal;
        assertThatThrownBy(call::call)
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(wanted.code()))
            .hasMessageStartingWith("Row ");
        return;
      }
      if (random.nextInt(20) == 0) {
        // The append fails: nothing must have happened.
        call.call().close();
        return;
      }
      List<String> records = bucket.append(call.call());
      assertThat(records).isEqualTo(model.commit());
      assertThat(bucket.nextId).isEqualTo(model.nextId());
      assertThat(bucket.logEnd()).isEqualTo(model.end());
      assertThat(bucket.tablet().knownEnd()).isEqualTo(model.end());
    }

    private List<Integer> someKeys() {
      List<Integer> keys = new ArrayList<>();
      int count = 1 + random.nextInt(8);
      for (int i = 0; i < count; i++) {
        keys.add((Integer) table.value(0, random));
      }
      return keys;
    }

    private void insertMissing() throws Exception {
      List<Integer> keys = someKeys();
      rows += keys.size();
      check(
          () -> model.insertMissing(keys), () -> bucket.tablet().insertMissing(bucket.keys(keys)));
    }

    private void removeExpired() throws Exception {
      List<Integer> keys = someKeys();
      rows += keys.size();
      check(
          () -> model.removeExpired(keys), () -> bucket.tablet().removeExpired(bucket.keys(keys)));
    }

    private void commit(long offset) {
      committed = offset;
      assertThat(bucket.tablet().advance(committed)).isEqualTo(committed);
    }

    /** A put is answered when all it saw is committed and applied; then a lookup sees it. */
    private void readYourWrite() throws Exception {
      put();
      commit(bucket.logEnd());
      for (int i = 0; i < 5; i++) {
        int key = (Integer) table.value(0, random);
        assertThat(bucket.lookup(key)).isEqualTo(model.visible(key, bucket.nowMs));
      }
    }

    private void checkScan() throws Exception {
      List<String> found = new ArrayList<>();
      long openedMs = bucket.nowMs;
      try (RowScan scan = bucket.view().scan()) {
        long offset = scan.position().appliedOffset();
        long count = scan.position().rowCount();
        assertThat(offset).isEqualTo(bucket.tablet().appliedOffset());
        put();
        commit(bucket.logEnd());
        while (scan.next()) {
          found.add(bucket.show(scan.value()));
        }
        assertThat(found).isEqualTo(model.visible(offset, openedMs));
        assertThat(count).isEqualTo(model.count(offset));
      }
    }

    private int keptBatches() {
      int kept = bucket.batches();
      while (kept > 0 && bucket.endOf(kept - 1) >= committed && random.nextBoolean()) {
        kept--;
      }
      return kept;
    }

    /** Waiting changes and memtable are gone, perhaps the end of the log too. */
    private void crash() {
      crashes++;
      long flushed = bucket.tablet().store().flushedAppliedOffset();
      bucket.crash();
      assertThat(bucket.tablet().appliedOffset()).isEqualTo(flushed);
      checkRecovered();
    }

    /** The log loses committed batches that were not forced, perhaps below what RocksDB forced. */
    private void powerLoss() {
      if (random.nextBoolean()) {
        bucket.tablet().store().flush();
      }
      long flushed = bucket.tablet().store().flushedAppliedOffset();
      bucket.cutLog(bucket.batches() - random.nextInt(Math.min(bucket.batches(), 10) + 1));
      long end = bucket.logEnd();
      bucket.crash();
      model.truncate(end);
      committed = Math.min(committed, end);
      assertThat(bucket.tablet().appliedOffset()).isEqualTo(flushed > end ? 0 : flushed);
      checkRecovered();
    }

    private void checkRecovered() {
      assertThat(bucket.rows()).isEqualTo(model.fold(bucket.tablet().appliedOffset()));
      bucket.cutLog(keptBatches());
      model.truncate(bucket.logEnd());
      bucket.replay();
      assertThat(bucket.tablet().knownEnd()).isEqualTo(bucket.logEnd());
      commit(committed);
      assertThat(bucket.rows()).isEqualTo(model.fold(committed));
      assertThat(bucket.tablet().store().count()).isEqualTo(model.count(committed));
    }
  }
}

package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.tablet.kv.KvFixture.Change;
import io.sluice.testkit.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * <em>state-is-fold</em> and <em>read-your-write</em> under random puts, commits, cuts, flushes,
 * crashes and restarts: the bucket against {@link KvModel}.
 */
final class KvTabletRandomTest {
  private static final int SEEDS = 8;
  private static final int ROWS_PER_SEED = 13_000;
  private static final int KEYS = 60;
  private static final RowCodec CODEC = RowCodec.of(KvFixture.SCHEMA);
  private static final List<Target> TARGETS =
      List.of(
          new Target(PutShape.full(KvFixture.SCHEMA), new int[] {0, 1, 2, 3}, 0b1111),
          new Target(PutShape.partial(KvFixture.SCHEMA, List.of(1, 2)), new int[] {0, 1}, 0b0011),
          new Target(PutShape.partial(KvFixture.SCHEMA, List.of(4, 1)), new int[] {3, 0}, 0b1001),
          new Target(
              PutShape.partialOfWholeRows(KvFixture.SCHEMA, List.of(1, 3, 4)),
              new int[] {0, 1, 2, 3},
              0b1101));

  @TempDir private Path temp;

  /** A shape, and how the model sees it: the table's columns of its rows, the columns it writes. */
  private record Target(PutShape shape, int[] positions, int writes) {
    boolean[] targets() {
      boolean[] targets = new boolean[4];
      for (int column = 0; column < 4; column++) {
        targets[column] = (writes >> column & 1) != 0;
      }
      return targets;
    }
  }

  @Test
  void bucketIsTheFoldOfItsChangelogWhateverHappens() {
    Seeds.run(
        SEEDS,
        (seed, random) -> {
          try (KvFixture kv = new KvFixture(temp.resolve("seed" + seed))) {
            new Run(kv, random).run();
          }
        });
  }

  private static final class Run {
    private final KvFixture kv;
    private final SplittableRandom random;
    private final KvModel model = new KvModel();
    private long committed;
    private int rows;
    private int crashes;
    private int rebuilt;

    Run(KvFixture kv, SplittableRandom random) {
      this.kv = kv;
      this.random = random;
    }

    void run() {
      while (rows < ROWS_PER_SEED) {
        int dice = random.nextInt(1_000);
        if (dice < 700) {
          put();
        } else if (dice < 850) {
          commit(committed + random.nextLong(kv.logEnd - committed + 1));
        } else if (dice < 950) {
          readYourWrite();
        } else if (dice < 970) {
          checkScan();
        } else if (dice < 980) {
          kv.tablet.store().flush();
          assertThat(kv.tablet.store().flushedAppliedOffset()).isEqualTo(committed);
        } else if (dice < 990) {
          cut();
        } else if (dice < 993) {
          crash();
        } else if (dice < 996) {
          powerLoss();
        } else {
          restart();
        }
      }
      crash();
      commit(kv.logEnd);
      checkScan();
      assertThat(crashes).isGreaterThan(2);
      assertThat(rebuilt).isPositive();
    }

    private void put() {
      Target target = TARGETS.get(random.nextInt(TARGETS.size()));
      List<Change> changes = new ArrayList<>();
      int count = 1 + random.nextInt(12);
      for (int i = 0; i < count; i++) {
        changes.add(change(target));
      }
      if (random.nextInt(20) == 0) {
        // The append fails: nothing must have happened.
        kv.evaluate(target.shape(), changes).close();
        return;
      }
      rows += count;
      List<String> expected =
          model.put(target.positions(), target.targets(), target.shape().partial(), changes);
      assertThat(kv.put(target.shape(), changes)).isEqualTo(expected);
      assertThat(kv.logEnd).isEqualTo(model.end());
      assertThat(kv.tablet.knownEnd()).isEqualTo(model.end());
    }

    private Change change(Target target) {
      Object[] values = new Object[target.positions().length];
      for (int i = 0; i < values.length; i++) {
        values[i] = value(target.positions()[i]);
      }
      return new Change(random.nextInt(4) == 0, Row.of(values));
    }

    /** Few values, so that many puts change nothing. */
    private @Nullable Object value(int column) {
      if (column == 0) {
        return random.nextInt(KEYS) - KEYS / 2;
      }
      if (random.nextInt(4) == 0) {
        return null;
      }
      return column == 3 ? (Object) random.nextInt(3) : "v" + random.nextInt(3);
    }

    private void commit(long offset) {
      committed = offset;
      assertThat(kv.tablet.advance(committed)).isEqualTo(committed);
    }

    /** A put is answered when all it saw is committed and applied; then a lookup sees it. */
    private void readYourWrite() {
      put();
      commit(kv.logEnd);
      for (int i = 0; i < 5; i++) {
        int key = random.nextInt(KEYS) - KEYS / 2;
        assertThat(kv.lookup(key)).isEqualTo(model.latest(key));
      }
    }

    private void checkScan() {
      List<String> rowsFound = new ArrayList<>();
      try (KvScan scan = kv.tablet.store().scan()) {
        long offset = scan.position().appliedOffset();
        long count = scan.position().rowCount();
        assertThat(offset).isEqualTo(kv.tablet.appliedOffset());
        put();
        commit(kv.logEnd);
        while (scan.next()) {
          rowsFound.add(show(scan.value()));
        }
        assertThat(rowsFound).isEqualTo(model.fold(offset)).hasSize((int) count);
      }
    }

    private static String show(byte[] value) {
      Row row = CODEC.decode(value);
      List<@Nullable Object> values = new ArrayList<>();
      for (int column = 0; column < 4; column++) {
        if (row.isNull(column)) {
          values.add(null);
        } else {
          values.add(column == 0 || column == 3 ? row.getInt(column) : row.getString(column));
        }
      }
      return values.toString();
    }

    /** The log loses batches that are not committed. */
    private void cut() {
      long end = cutLog();
      assertThat(kv.tablet.truncate(end)).isTrue();
      if (committed > 0) {
        assertThat(kv.tablet.truncate(committed - 1)).isFalse();
      }
    }

    private long cutLog() {
      while (!kv.log.isEmpty()
          && kv.log.get(kv.log.size() - 1).header().baseOffset() >= committed
          && random.nextBoolean()) {
        kv.logEnd = kv.log.remove(kv.log.size() - 1).header().baseOffset();
      }
      model.truncate(kv.logEnd);
      return kv.logEnd;
    }

    /** Waiting changes and memtable are gone, perhaps the end of the log too. */
    private void crash() {
      crashes++;
      long flushed = kv.tablet.store().flushedAppliedOffset();
      kv.crash();
      assertThat(kv.tablet.appliedOffset()).isEqualTo(flushed);
      checkRecovered();
    }

    /** The log loses committed batches that were not forced, perhaps below what RocksDB forced. */
    private void powerLoss() {
      if (random.nextBoolean()) {
        kv.tablet.store().flush();
      }
      long flushed = kv.tablet.store().flushedAppliedOffset();
      int kept = kv.log.size() - random.nextInt(Math.min(kv.log.size(), 10) + 1);
      long end = kept == 0 ? 0 : kv.log.get(kept - 1).header().nextOffset();
      kv.powerLoss(end);
      model.truncate(end);
      committed = Math.min(committed, end);
      assertThat(kv.tablet.appliedOffset()).isEqualTo(flushed > end ? 0 : flushed);
      rebuilt += flushed > end ? 1 : 0;
      checkRecovered();
    }

    private void restart() {
      kv.restart();
      assertThat(kv.tablet.appliedOffset()).isEqualTo(committed);
      checkRecovered();
    }

    private void checkRecovered() {
      List<String> rowsFound = new ArrayList<>();
      try (KvScan scan = kv.tablet.store().scan()) {
        while (scan.next()) {
          rowsFound.add(show(scan.value()));
        }
      }
      assertThat(rowsFound).isEqualTo(model.fold(kv.tablet.appliedOffset()));
      cutLog();
      kv.replay();
      assertThat(kv.tablet.knownEnd()).isEqualTo(kv.logEnd);
      commit(committed);
    }
  }
}

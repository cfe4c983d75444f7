package io.sluice.lake.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers, zombies and a catalog whose answers get lost, against the rules: once-in-lake (rows are
 * the log's, each once), chain, fence, and a round that was said to be committed or settled as not
 * committed stays so.
 */
class RoundsRandomTest {
  private static final long TABLE = 5;
  private static final int SEEDS = 4;
  private static final int STEPS = 40;
  private static final int BUCKETS = 2;

  @TempDir private Path directory;

  @Test
  void everyRowIsInTheLakeOnceWhateverIsLost() throws Exception {
    Seeds.run(
        SEEDS,
        (seed, random) -> {
          try (LakeUnderTest lake = new LakeUnderTest(directory.resolve("seed-" + seed))) {
            new Run(lake, random).run();
          }
        });
  }

  /** One run: what was written, and what was said of it. */
  private static final class Run {
    private final LakeUnderTest lake;
    private final SplittableRandom random;
    private final List<CommitRoundRequest> written = new ArrayList<>();

    /** Rounds with a final word: true = committed. */
    private final Map<String, Boolean> settled = new HashMap<>();

    private long epoch = 1;
    private int number;

    Run(LakeUnderTest lake, SplittableRandom random) {
      this.lake = lake;
      this.random = random;
      lake.record().create(TABLE, "demo", "t", BUCKETS);
    }

    void run() throws IOException {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3, 4 -> round();
          case 5 -> epoch(epoch + 1);
          case 6 -> again();
          case 7, 8 -> resolve();
          case 9 -> restart();
          case 10 -> lake.record().loseTellings(random.nextInt(5));
          default -> away();
        }
        checkRows();
      }
      lake.record().loseTellings(0);
      lake.restart();
      lake.compare();
      checkRows();
      checkRecord();
    }

    private void epoch(long next) {
      epoch = next;
      lake.record().epoch(TABLE, next);
    }

    private void round() throws IOException {
      String id = TABLE + "-" + epoch + "-" + String.format("%08x", ++number);
      PrepareRoundResponse prepared;
      try {
        prepared = lake.prepare(TABLE, epoch, id);
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        return;
      }
      Map<Integer, Integer> rows = new TreeMap<>();
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        rows.put(bucket, random.nextInt(4));
      }
      CommitRoundRequest request = lake.write(prepared, id, epoch, rows);
      written.add(request);
      if (random.nextInt(4) > 0) {
        commit(request);
      }
    }

    private void commit(CommitRoundRequest request) {
      switch (random.nextInt(5)) {
        case 0 -> lake.faults().failBefore(() -> new UncheckedSQLException("injected: lost"));
        case 1 -> lake.faults().failAfter(() -> new UncheckedSQLException("injected: lost"));
        case 2 ->
            lake.faults()
                .failAfter(
                    () -> {
                      lake.faults().unreadable(true);
                      return new UncheckedSQLException("injected: lost, and gone");
                    });
        case 3 -> lake.faults().failBefore(() -> new RuntimeIOException("injected: no space"));
        default -> {
          // This one goes well.
        }
      }
      note(request.getRoundId(), lake.rounds().commit(request));
      lake.faults().failBefore(null);
      lake.faults().failAfter(null);
      lake.faults().unreadable(false);
    }

    /** A round that nobody has given up is sent once more, by a worker that was away. */
    private void again() {
      CommitRoundRequest request = pick();
      if (request != null && !Boolean.FALSE.equals(settled.get(request.getRoundId()))) {
        commit(request);
      }
    }

    private void resolve() {
      CommitRoundRequest request = pick();
      if (request != null) {
        note(
            request.getRoundId(),
            lake.rounds().resolve(TABLE, request.getEpoch(), request.getRoundId()));
        // A settled round stays settled, also for a request that was on its way.
        note(request.getRoundId(), lake.rounds().commit(request));
      }
    }

    private void restart() {
      lake.restart();
      if (random.nextBoolean()) {
        lake.compare();
      }
    }

    private void away() {
      CommitRoundRequest request = pick();
      if (request == null || settled.containsKey(request.getRoundId())) {
        return;
      }
      lake.record().away(true);
      try {
        lake.rounds().commit(request);
        throw new AssertionError("Committed without a coordinator");
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      } finally {
        lake.record().away(false);
      }
    }

    private @Nullable CommitRoundRequest pick() {
      return written.isEmpty() ? null : written.get(random.nextInt(written.size()));
    }

    private void note(String roundId, RoundOutcome outcome) {
      if (outcome instanceof RoundOutcome.Unknown) {
        return;
      }
      boolean committed = outcome instanceof RoundOutcome.Committed;
      Boolean before = settled.put(roundId, committed);
      if (before != null) {
        assertThat(committed).as("%s: %s", roundId, outcome).isEqualTo(before);
      }
    }

    private void checkRows() throws IOException {
      if (lake.catalog().tableExists(LakeTables.identifier("demo", "t"))) {
        Map<Integer, List<Long>> rows = lake.rows("demo", "t");
        LakeOffsets recorded =
            new LakeTables(lake.catalog()).find("demo", "t").lineage().recorded();
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
          List<Long> found = rows.getOrDefault(bucket, List.of());
          assertThat((long) found.size())
              .isEqualTo(recorded.offset(new LakeOffsets.Bucket(0, bucket)));
          for (int i = 0; i < found.size(); i++) {
            assertThat(found.get(i)).isEqualTo(i);
          }
        }
      }
    }

    /** What the coordinator has is what the lake has, told in the order of the chain. */
    private void checkRecord() {
      LakeTables.Loaded loaded = new LakeTables(lake.catalog()).find("demo", "t");
      LakeOffsets inLake = loaded == null ? LakeOffsets.NONE : loaded.lineage().recorded();
      assertThat(LakeOffsets.of(lake.record().state(TABLE).getOffsetsList())).isEqualTo(inLake);
      LakeOffsets at = LakeOffsets.NONE;
      for (RoundCommittedRequest told : lake.record().recorded()) {
        assertThat(LakeOffsets.of(told.getStartList())).isEqualTo(at);
        at = LakeOffsets.of(told.getEndList());
      }
      assertThat(at).isEqualTo(inLake);
      assertThat(lake.record().state(TABLE).getHold()).isEmpty();
    }
  }
}

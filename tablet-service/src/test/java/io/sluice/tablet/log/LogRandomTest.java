package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random puts, rolls, forces, stops and crashes against a list of what is stored. */
final class LogRandomTest {
  private static final int OPERATIONS = 1000;
  private static final int WRITERS = 4;

  @TempDir private Path temp;

  /** One stored batch: who, from which sequence, how many rows, at which offset. */
  private record Stored(long writer, long sequence, int rows, long offset) {}

  @Test
  void logEqualsTheModelAfterEveryKindOfStop() {
    Seeds.run(6, (seed, random) -> new Run(temp.resolve("seed-" + seed), random).run());
  }

  private static final class Run {
    private final Path root;
    private final SplittableRandom random;
    private final List<Stored> model = new ArrayList<>();
    private final Map<Long, Long> last = new HashMap<>();
    private int restarts;
    private int epoch = 1;
    private TestLog test;

    Run(Path root, SplittableRandom random) {
      this.root = root;
      this.random = random;
      this.test = TestLog.open(root.resolve("0"), 0);
    }

    void run() throws IOException {
      try {
        for (int i = 0; i < OPERATIONS; i++) {
          step(random.nextInt(100));
          assertThat(test.log.endOffset()).isEqualTo(end());
        }
        check();
      } finally {
        test.close();
      }
    }

    private void step(int dice) throws IOException {
      test.clock.advanceMs(random.nextInt(20));
      if (dice < 60) {
        put(random.nextInt(WRITERS));
      } else if (dice < 75) {
        store(-1, -1, 1 + random.nextInt(5));
      } else if (dice < 85) {
        test.log.force();
      } else if (dice < 92) {
        epoch += 1 + random.nextInt(3);
        test.log.startEpoch(epoch);
      } else if (dice < 94) {
        test.log.closeCleanly();
        test.files.close();
        reopen(test.log.directory(), 0);
      } else if (dice < 97) {
        crash();
      } else {
        check();
      }
    }

    private void put(long writer) {
      long stored = last.getOrDefault(writer, -1L);
      int rows = 1 + random.nextInt(5);
      long base = Math.max(0, stored + 1 + random.nextInt(-6, 4));
      long acked = base - 1 - random.nextInt(0, 3);
      TestBatch batch = TestBatches.of(rows, writer, 0, base, 1);
      SequenceDecision decision = test.log.decide(batch.header(), acked, 0);
      if (base + rows - 1 <= stored) {
        assertThat(decision).isInstanceOf(SequenceDecision.Duplicate.class);
        long offset = ((SequenceDecision.Duplicate) decision).baseOffset();
        if (offset >= 0) {
          assertThat(model)
              .anyMatch(s -> s.writer == writer && s.sequence == base && s.offset == offset);
        }
      } else if (base <= stored) {
        int overlap = (int) (stored - base + 1);
        assertThat(decision).isEqualTo(new SequenceDecision.Overlap(overlap));
        store(writer, stored + 1, rows - overlap);
      } else if (base <= Math.max(stored, acked) + 1) {
        assertThat(decision).isSameAs(SequenceDecision.ACCEPT);
        store(writer, base, rows);
      } else {
        assertThat(decision).isEqualTo(new SequenceDecision.Gap(stored));
      }
    }

    private void store(long writer, long sequence, int rows) {
      TestBatch batch = TestBatches.of(rows, writer, 0, sequence, 1 + random.nextInt(6000));
      long offset = test.append(batch, epoch);
      assertThat(offset).isEqualTo(end());
      model.add(new Stored(writer, sequence, rows, offset));
      if (writer >= 0) {
        last.put(writer, sequence + rows - 1);
      }
    }

    private long end() {
      return model.isEmpty() ? 0 : model.get(model.size() - 1).offset + lastRows();
    }

    private int lastRows() {
      return model.get(model.size() - 1).rows;
    }

    /** No close: the copied files are what a killed process leaves, and perhaps less. */
    private void crash() throws IOException {
      long forced = test.log.forcedOffset();
      Path copy = root.resolve(Integer.toString(++restarts));
      TestLog.copy(test.log.directory(), copy);
      LogSegment active = test.log.segments().active();
      test.close();
      if (random.nextBoolean() && active.baseOffset() >= forced) {
        loseTail(copy.resolve(LogSegment.logName(active.baseOffset())), active.baseOffset());
      }
      reopen(copy, forced);
    }

    /** Cuts the active segment, all of it above the forced offset, anywhere. */
    private void loseTail(Path file, long baseOffset) throws IOException {
      int size = random.nextInt((int) Files.size(file) + 1);
      long position = SegmentHeader.SIZE;
      int kept = 0;
      while (kept < model.size() && model.get(kept).offset < baseOffset) {
        kept++;
      }
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        BatchWalk walk = new BatchWalk(channel, position, channel.size(), baseOffset, 0);
        while (walk.next() != null && walk.position() <= size) {
          kept++;
        }
        channel.truncate(size);
      }
      model.subList(kept, model.size()).clear();
      last.clear();
      model.forEach(s -> last.merge(s.writer, s.sequence + s.rows - 1, Math::max));
      last.remove(-1L);
    }

    private void reopen(Path directory, long recoveryPoint) {
      long time = test.clock.epochMs();
      test = TestLog.open(directory, recoveryPoint);
      test.clock.jumpTo(time);
    }

    private void check() {
      List<long[]> read = test.read();
      assertThat(read).hasSize(model.size());
      for (int i = 0; i < read.size(); i++) {
        assertThat(read.get(i)).isEqualTo(new long[] {model.get(i).offset, model.get(i).rows});
      }
      for (long writer = 0; writer < WRITERS; writer++) {
        assertThat(test.log.lastSequence(writer)).isEqualTo(last.getOrDefault(writer, -1L));
      }
      for (int i = 0; i < 10 && !model.isEmpty(); i++) {
        Stored any = model.get(random.nextInt(model.size()));
        try (LogCursor cursor = test.log.openCursor(any.offset + random.nextInt(any.rows))) {
          assertThat(cursor.nextOffset()).isEqualTo(any.offset);
        }
      }
    }
  }
}

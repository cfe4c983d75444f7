package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.systemtests.faults.StoredSegment.Batch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What may be wrong with the end of a log, or with its index, after a crash. */
enum TailDamage {
  NONE {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) {}
  },
  SEVENTEEN_BYTES_CUT {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) throws IOException {
      active.truncate(active.size() - 17);
    }
  },
  SIXTY_FOUR_ZEROS_BEHIND {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) throws IOException {
      active.append(new byte[64]);
    }
  },
  BYTE_OF_LAST_BATCH_FLIPPED {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) throws IOException {
      Batch last = last(active.batches(active.size()));
      active.flip((last.position() + last.end()) / 2);
    }

    @Override
    Outcome outcome(List<Batch> before, StoredSegment active) {
      return new Outcome(
          active.file(),
          last(before).nextOffset() - last(before).rows(),
          last(before).rows(),
          true);
    }
  },
  INDEX_EMPTIED {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) throws IOException {
      assertThat(sealed.index()).isNotEmptyFile();
      Files.write(sealed.index(), new byte[0]);
    }
  },
  INDEX_DELETED {
    @Override
    void damage(StoredSegment sealed, StoredSegment active) throws IOException {
      Files.delete(sealed.index());
    }
  };

  /**
   * What a start must find.
   *
   * @param file the active segment
   * @param endOffset where the log ends
   * @param lostRows rows of the batch that the damage made unreadable
   * @param cut whether bytes are cut off
   */
  record Outcome(Path file, long endOffset, int lostRows, boolean cut) {}

  String tableName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Damages a log of two segments and says what a start must find. */
  Outcome apply(StoredSegment sealed, StoredSegment active) throws IOException {
    List<Batch> before = active.batches(active.size());
    damage(sealed, active);
    return outcome(before, active);
  }

  abstract void damage(StoredSegment sealed, StoredSegment active) throws IOException;

  /** The kill itself may have left a part of a batch, which is cut too. */
  Outcome outcome(List<Batch> before, StoredSegment active) throws IOException {
    long size = active.size();
    List<Batch> whole = before.stream().filter(batch -> batch.end() <= size).toList();
    long lost = last(before).nextOffset() - last(whole).nextOffset();
    return new Outcome(
        active.file(), last(whole).nextOffset(), Math.toIntExact(lost), last(whole).end() < size);
  }

  private static Batch last(List<Batch> batches) {
    return batches.get(batches.size() - 1);
  }
}

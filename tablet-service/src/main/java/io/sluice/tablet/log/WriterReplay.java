package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/** Brings writer states up to date by the headers of stored batches. */
final class WriterReplay {
  private WriterReplay() {}

  /**
   * Takes in a segment's batches from an offset on.
   *
   * @throws io.sluice.common.SluiceException CORRUPT_STORAGE when one of the headers is damaged
   */
  static void replay(FileOpener opener, LogSegment segment, long fromOffset, WriterStates states)
      throws IOException {
    if (segment.isEmpty() || segment.endOffset() <= fromOffset) {
      return;
    }
    try (FileChannel channel = opener.open(segment.path(), StandardOpenOption.READ)) {
      SegmentIndex index = segment.loadIndex(opener);
      int entry = index == null ? -1 : index.floorOffset(fromOffset - segment.baseOffset());
      long position = index == null || entry < 0 ? SegmentHeader.SIZE : index.position(entry);
      long offset = index == null || entry < 0 ? 0 : index.relativeOffset(entry);
      BatchWalk walk =
          new BatchWalk(
              channel, position, segment.size(), segment.baseOffset() + offset, Integer.MIN_VALUE);
      for (LogBatchHeader header = walk.next(); header != null; header = walk.next()) {
        if (header.baseOffset() >= fromOffset) {
          states.stored(header);
        }
      }
      Damage damage = walk.damage();
      if (damage != null) {
        throw Corruption.at(segment.path(), damage);
      }
    }
  }
}

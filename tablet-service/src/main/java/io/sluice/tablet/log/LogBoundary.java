package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * The end of a batch in a segment, or the place before its first one.
 *
 * @param position where in the file
 * @param offset offset after the batch
 * @param timeMs append time of the batch, 0 before the first one
 */
record LogBoundary(int position, long offset, long timeMs) {
  /**
   * The last boundary at or below an offset.
   *
   * @throws io.sluice.common.SluiceException CORRUPT_STORAGE when a header below it is damaged
   */
  static LogBoundary below(FileOpener opener, LogSegment segment, SegmentIndex index, long offset)
      throws IOException {
    try (FileChannel channel = opener.open(segment.path(), StandardOpenOption.READ)) {
      // An entry tells where its batch begins, and nothing of the batch before.
      for (int entry = index.floorOffset(offset - segment.baseOffset()); entry >= 0; entry--) {
        LogBoundary found =
            walk(
                channel,
                segment,
                index.position(entry),
                segment.baseOffset() + index.relativeOffset(entry),
                offset);
        if (found.position() > index.position(entry)) {
          return found;
        }
      }
      return walk(channel, segment, SegmentHeader.SIZE, segment.baseOffset(), offset);
    }
  }

  private static LogBoundary walk(
      FileChannel channel, LogSegment segment, int position, long from, long offset)
      throws IOException {
    BatchWalk walk = new BatchWalk(channel, position, segment.size(), from, Integer.MIN_VALUE);
    LogBoundary last = new LogBoundary(position, from, 0);
    for (LogBatchHeader header = walk.next();
        header != null && header.nextOffset() <= offset;
        header = walk.next()) {
      last = new LogBoundary((int) walk.position(), header.nextOffset(), header.appendTimeMs());
    }
    Damage damage = walk.damage();
    if (damage != null) {
      throw Corruption.at(segment.path(), damage);
    }
    return last;
  }
}

package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the index of a sealed segment again, from the headers of its batches. */
final class IndexRebuild {
  private static final Logger log = LoggerFactory.getLogger(IndexRebuild.class);

  private IndexRebuild() {}

  /** The index, also saved; CORRUPT_STORAGE when a header of the segment is damaged. */
  static SegmentIndex of(LogContext context, LogSegment segment) throws IOException {
    log.warn("Index {} is missing or damaged and is rebuilt from its segment", segment.indexPath());
    SegmentIndex index = new SegmentIndex();
    try (FileChannel channel =
        context.platform().files().open(segment.path(), StandardOpenOption.READ)) {
      BatchWalk walk =
          new BatchWalk(
              channel, SegmentHeader.SIZE, segment.size(), segment.baseOffset(), Integer.MIN_VALUE);
      for (LogBatchHeader header = walk.next(); header != null; header = walk.next()) {
        index.addIfFar(
            header,
            segment.baseOffset(),
            walk.batchPosition(),
            context.config().indexIntervalBytes());
      }
      Damage damage = walk.damage();
      if (damage != null) {
        throw Corruption.at(segment.path(), damage);
      }
    }
    segment.setIndex(index);
    segment.saveIndex(context.platform().files());
    return index;
  }
}

package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.BucketLog;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds out whether what followers do not take is damaged here: one that asks for the same offset
 * again and again, though there is something, may have found a bad batch. What is read there then
 * is checked before it is sent. Counted by the shard's thread, checked by whoever reads.
 */
final class RepeatedFetches {
  private static final int SUSPICIOUS = 2;
  private static final long NOTHING = -1;

  private final BucketLog log;
  private final Map<Integer, Fetch> last = new HashMap<>();
  private volatile long suspect = NOTHING;

  /** The newest fetches of a follower: where, how often in a row, and the log end meanwhile. */
  private record Fetch(long offset, long logEnd, int times) {}

  RepeatedFetches(BucketLog log) {
    this.log = log;
  }

  void clear() {
    last.clear();
    suspect = NOTHING;
  }

  /** A follower asks for what comes at an offset. */
  void fetched(int server, long offset) {
    Fetch before = last.get(server);
    int times = 0;
    if (before != null && before.offset() == offset) {
      // What it asked for before could not be sent if there was nothing.
      times = before.times() + (before.logEnd() > offset ? 1 : 0);
    }
    if (times >= SUSPICIOUS) {
      suspect = offset;
      times = 0;
    }
    last.put(server, new Fetch(offset, log.endOffset(), times));
  }

  /** Throws CORRUPT_STORAGE when what was read at a suspicious offset is damaged. */
  void verify(long offset, ByteBuffer batches) {
    if (offset != suspect || !batches.hasRemaining()) {
      return;
    }
    suspect = NOTHING;
    try {
      long base = LogBatchHeader.wrap(batches).baseOffset();
      BucketLog.check(batches, Math.max(offset, base), 0);
    } catch (SluiceException damaged) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "The log of "
              + log.bucket()
              + " is damaged at offset "
              + offset
              + ", which followers cannot take: "
              + damaged.getMessage(),
          damaged);
    }
  }
}

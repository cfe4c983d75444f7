package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where each leader epoch begins in a log: the {@code leader-epochs} file. Changed by the thread
 * that owns the log, read by any.
 */
final class LeaderEpochs {
  static final String NAME = "leader-epochs";
  private static final String MAGIC = "SLUCEPOC";
  private static final int ENTRY = 16;

  private final FileOpener files;
  private final Supplier<Path> directory;
  private volatile EpochHistory history = EpochHistory.EMPTY;
  private boolean unsaved;

  LeaderEpochs(FileOpener files, Supplier<Path> directory) {
    this.files = files;
    this.directory = directory;
  }

  /** Reads the file; false when there is none. CORRUPT_STORAGE when it is damaged. */
  boolean load() throws IOException {
    ByteBuffer payload = file().read();
    if (payload == null) {
      return false;
    }
    List<EpochHistory.Start> loaded = new ArrayList<>();
    int count = payload.getInt();
    payload.getInt();
    for (int i = 0; i < count; i++) {
      int epoch = payload.getInt();
      payload.getInt();
      loaded.add(new EpochHistory.Start(epoch, payload.getLong()));
    }
    history = new EpochHistory(loaded);
    return true;
  }

  /** The epochs now. */
  EpochHistory history() {
    return history;
  }

  /** Starts an epoch newer than all at the log end, in memory; see {@link BucketLog#startEpoch}. */
  long lead(TableBucket bucket, int epoch, long logEnd) {
    EpochHistory now = history;
    if (now.lastEpoch() == epoch) {
      return now.starts().get(now.starts().size() - 1).startOffset();
    }
    if (now.lastEpoch() > epoch) {
      throw new SluiceException(
          ErrorCode.FENCED_LEADER_EPOCH,
          "Epoch "
              + epoch
              + " of "
              + bucket
              + " is older than epoch "
              + now.lastEpoch()
              + " in its log");
    }
    start(epoch, logEnd);
    return logEnd;
  }

  /** Starts an epoch at the log end, in memory; see {@link EpochHistory#started}. */
  void start(int epoch, long logEnd) {
    become(history.started(epoch, logEnd));
  }

  /**
   * Takes in that a batch of the leader's is to be stored at the log end, in memory.
   *
   * @param logEnd where the epoch begins when it is new: the log end before a hole
   */
  void storing(int epoch, long logEnd) {
    if (history.epochBefore(logEnd + 1) != epoch) {
      start(epoch, logEnd);
    }
  }

  /**
   * Takes in that a stored batch of this epoch was found, in memory. What else was known of its
   * offset is wrong.
   *
   * @param offset where the epoch begins when it is new
   * @return whether this changed anything
   */
  boolean found(int epoch, long offset) {
    EpochHistory now = history;
    if (now.epochBefore(offset + 1) == epoch) {
      return false;
    }
    List<EpochHistory.Start> older =
        now.starts().stream().filter(start -> start.epoch() <= epoch).toList();
    return become(new EpochHistory(older).started(epoch, offset));
  }

  /** Forces what changed in memory; before the first batch of a new epoch is written. */
  void saveStarted() throws IOException {
    if (unsaved) {
      save();
    }
  }

  /** Forgets, in memory, the epochs that lie wholly below the start of the log. */
  void trimTo(long startOffset) {
    history = history.trimmedTo(startOffset);
  }

  /** Forgets, in memory, the epochs of which no record is left below the end of the log. */
  boolean cutTo(long endOffset) {
    return become(history.cutTo(endOffset));
  }

  /** Replaces the epochs, in memory. */
  boolean become(EpochHistory changed) {
    if (changed.equals(history)) {
      return false;
    }
    history = changed;
    unsaved = true;
    return true;
  }

  /** Forces the file. */
  void save() throws IOException {
    List<EpochHistory.Start> starts = history.starts();
    ByteBuffer payload = CheckedFile.payload(8 + ENTRY * starts.size());
    payload.putInt(starts.size()).putInt(0);
    for (EpochHistory.Start start : starts) {
      payload.putInt(start.epoch()).putInt(0).putLong(start.startOffset());
    }
    file().write(payload.flip());
    unsaved = false;
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The {@code start-anew} file: how a log begins that gives up all it has. Once the file is there
 * the old log is gone, whatever of it is still on the disk: the next start does the rest. What
 * belongs to others in the directory, as the rows, is left alone.
 */
final class StartAnew {
  static final String NAME = "start-anew";
  private static final String MAGIC = "SLUCANEW";
  private static final int HEAD = 24;
  private static final int EPOCH = 16;

  private final FileOpener files;
  private final Supplier<Path> directory;

  StartAnew(FileOpener files, Supplier<Path> directory) {
    this.files = files;
    this.directory = directory;
  }

  /** Forces that the log begins so from now on. */
  void save(LogBeginning beginning) throws IOException {
    List<EpochHistory.Start> epochs = beginning.epochs();
    ByteBuffer writers = beginning.writers().duplicate();
    ByteBuffer payload = CheckedFile.payload(HEAD + EPOCH * epochs.size() + writers.remaining());
    payload.putLong(beginning.offset()).putLong(beginning.lastTimeMs());
    payload.putInt(epochs.size()).putInt(0);
    for (EpochHistory.Start epoch : epochs) {
      payload.putInt(epoch.epoch()).putInt(0).putLong(epoch.startOffset());
    }
    payload.put(writers);
    file().write(payload.flip());
  }

  /** Whether the next start makes the log begin anew. */
  boolean exists() {
    return Files.exists(directory.get().resolve(NAME));
  }

  /**
   * How the log is to begin.
   *
   * @throws SluiceException CORRUPT_STORAGE when the file is damaged or was not there
   */
  LogBeginning load() throws IOException {
    ByteBuffer payload = file().read();
    if (payload == null) {
      throw Corruption.at(directory.get().resolve(NAME), 0, "how the log begins", "no file");
    }
    long offset = payload.getLong();
    long lastTimeMs = payload.getLong();
    int count = payload.getInt();
    payload.getInt();
    List<EpochHistory.Start> epochs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int epoch = payload.getInt();
      payload.getInt();
      epochs.add(new EpochHistory.Start(epoch, payload.getLong()));
    }
    return new LogBeginning(offset, payload.slice(), lastTimeMs, epochs);
  }

  /**
   * Puts the new log in the place of the old one and removes this file; can be repeated.
   *
   * @param segment its only segment, without batches, whose file is to be made
   */
  void finish(
      LogBeginning beginning,
      LogSegment segment,
      SegmentHeader header,
      LogStart start,
      LeaderEpochs epochs,
      WriterSnapshots snapshots)
      throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory.get())) {
      for (Path each : all) {
        if (isOldLog(each.getFileName().toString())) {
          files.delete(each);
        }
      }
    }
    snapshots.clear();
    ByteBuffer writers = WriterStates.received(beginning.writers()).snapshot(beginning.offset());
    snapshots.save(beginning.offset(), writers, base -> base == beginning.offset());
    start.save(new LogStart.Point(beginning.offset(), beginning.lastTimeMs()));
    epochs.become(new EpochHistory(beginning.epochs()));
    epochs.save();
    segment.createFile(files, header);
    segment.force(files);
    files.delete(directory.get().resolve(NAME));
    DurableFiles.forceDirectory(files, directory.get());
  }

  private static boolean isOldLog(String name) {
    return name.endsWith(LogSegment.LOG_SUFFIX)
        || name.endsWith(LogSegment.INDEX_SUFFIX)
        || WriterSnapshots.isSnapshot(name)
        || name.equals(LogHoles.NAME);
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

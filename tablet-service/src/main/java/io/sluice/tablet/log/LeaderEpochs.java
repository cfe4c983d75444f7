package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where each leader epoch begins in a log: the {@code leader-epochs} file. Epochs and offsets both
 * grow. Owned by the thread that owns the log.
 */
final class LeaderEpochs {
  static final String NAME = "leader-epochs";
  private static final String MAGIC = "SLUCEPOC";
  private static final int ENTRY = 16;

  private final FileOpener files;
  private final Supplier<Path> directory;
  private List<Entry> entries = List.of();
  private boolean unsaved;

  /**
   * The start of an epoch.
   *
   * @param epoch the leader epoch
   * @param startOffset log end when its leader took over
   */
  record Entry(int epoch, long startOffset) {}

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
    List<Entry> loaded = new ArrayList<>();
    int count = payload.getInt();
    payload.getInt();
    for (int i = 0; i < count; i++) {
      int epoch = payload.getInt();
      payload.getInt();
      loaded.add(new Entry(epoch, payload.getLong()));
    }
    entries = List.copyOf(loaded);
    return true;
  }

  /** The newest epoch, null when there was no leader yet. */
  @Nullable Entry last() {
    return entries.isEmpty() ? null : entries.get(entries.size() - 1);
  }

  List<Entry> entries() {
    return entries;
  }

  /** Starts an epoch newer than all, in memory; one that stored nothing gives way. */
  void start(int epoch, long startOffset) {
    unsaved |= add(epoch, startOffset);
  }

  /** Forces what {@link #start} changed; before the first batch of the epoch is written. */
  void saveStarted() throws IOException {
    if (unsaved) {
      save();
    }
  }

  /**
   * Adds the start of an epoch, in memory.
   *
   * @return whether this changed anything: the epoch is newer than all
   */
  boolean add(int epoch, long startOffset) {
    Entry last = last();
    if (last != null && last.epoch() >= epoch) {
      return false;
    }
    List<Entry> changed = new ArrayList<>(entries);
    changed.removeIf(entry -> entry.startOffset() >= startOffset);
    changed.add(new Entry(epoch, startOffset));
    entries = List.copyOf(changed);
    return true;
  }

  /** Forgets, in memory, the epochs that lie wholly below the start of the log. */
  void trimTo(long startOffset) {
    int first = 0;
    while (first + 1 < entries.size() && entries.get(first + 1).startOffset() <= startOffset) {
      first++;
    }
    if (first > 0) {
      entries = List.copyOf(entries.subList(first, entries.size()));
    }
  }

  /** Forgets, in memory, the epochs that begin behind the end of the log. */
  boolean cutTo(long endOffset) {
    List<Entry> kept = new ArrayList<>(entries);
    boolean changed = kept.removeIf(entry -> entry.startOffset() > endOffset);
    entries = List.copyOf(kept);
    return changed;
  }

  /** Forces the file. */
  void save() throws IOException {
    ByteBuffer payload = CheckedFile.payload(8 + ENTRY * entries.size());
    payload.putInt(entries.size()).putInt(0);
    for (Entry entry : entries) {
      payload.putInt(entry.epoch()).putInt(0).putLong(entry.startOffset());
    }
    file().write(payload.flip());
    unsaved = false;
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

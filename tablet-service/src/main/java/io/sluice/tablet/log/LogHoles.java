package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The {@code log-holes} file: offsets that no record of a log has, as they were given away by a
 * leader whose records are lost. A hole lies between two segments and is recorded before the second
 * one is made, so that a missing segment is not taken for one. Owned by the thread that owns the
 * log.
 */
final class LogHoles {
  static final String NAME = "log-holes";
  private static final String MAGIC = "SLUCHOLE";
  private static final int ENTRY = 16;

  private final FileOpener files;
  private final Supplier<Path> directory;
  private List<Hole> holes = List.of();

  /**
   * A hole.
   *
   * @param from end of the records below it
   * @param to base of the segment behind it
   */
  record Hole(long from, long to) {}

  LogHoles(FileOpener files, Supplier<Path> directory) {
    this.files = files;
    this.directory = directory;
  }

  /** Reads the file when there is one. CORRUPT_STORAGE when it is damaged. */
  void load() throws IOException {
    ByteBuffer payload = file().read();
    if (payload == null) {
      return;
    }
    List<Hole> loaded = new ArrayList<>();
    int count = payload.getInt();
    payload.getInt();
    for (int i = 0; i < count; i++) {
      loaded.add(new Hole(payload.getLong(), payload.getLong()));
    }
    holes = List.copyOf(loaded);
  }

  /** Whether the records below end at the one offset and a segment begins at the other. */
  boolean contains(long from, long to) {
    return holes.contains(new Hole(from, to));
  }

  /** Where the records end below a segment that begins at an offset: there, but for a hole. */
  long endBelow(long base) {
    for (Hole hole : holes) {
      if (hole.to() == base) {
        return hole.from();
      }
    }
    return base;
  }

  /** Forces one more hole, in place of others that end inside it. */
  void add(long from, long to) throws IOException {
    List<Hole> changed = new ArrayList<>(holes);
    changed.removeIf(hole -> hole.to() > from);
    changed.add(new Hole(from, to));
    save(changed);
  }

  /** Forces that no hole reaches behind the end of the log. */
  void cutTo(long endOffset) throws IOException {
    List<Hole> kept = new ArrayList<>(holes);
    if (kept.removeIf(hole -> hole.to() > endOffset)) {
      save(kept);
    }
  }

  /** Forgets, in memory, the holes that end at or below the start of the log. */
  void trimTo(long startOffset) {
    List<Hole> kept = new ArrayList<>(holes);
    if (kept.removeIf(hole -> hole.to() <= startOffset)) {
      holes = List.copyOf(kept);
    }
  }

  /** Forgets all, in memory: the file is gone. */
  void clear() {
    holes = List.of();
  }

  private void save(List<Hole> changed) throws IOException {
    ByteBuffer payload = CheckedFile.payload(8 + ENTRY * changed.size());
    payload.putInt(changed.size()).putInt(0);
    for (Hole hole : changed) {
      payload.putLong(hole.from()).putLong(hole.to());
    }
    file().write(payload.flip());
    holes = List.copyOf(changed);
  }

  private CheckedFile file() {
    return new CheckedFile(files, directory.get().resolve(NAME), MAGIC);
  }
}

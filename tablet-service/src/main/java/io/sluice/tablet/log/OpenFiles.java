package io.sluice.tablet.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open channels of one tablet's segment files, bounded: channels nobody uses are closed, the
 * longest unused first, when there are more than the capacity. A channel in use is never closed.
 * Thread-safe; files are opened and closed outside the lock.
 */
public final class OpenFiles implements AutoCloseable {
  /** Memory for what is known of the batches in the files: about 25 GiB of batches of 1 MiB. */
  private static final long DIRECTORY_BYTES = 64L << 20;

  private final FileOpener opener;
  private final int capacity;
  private final BatchDirectories directories = new BatchDirectories(DIRECTORY_BYTES);
  // Guarded by this. Access order: the first is the longest unused.
  private final Map<SharedFile, Opened> opened = new LinkedHashMap<>(64, 0.75f, true);

  /**
   * @param capacity open channels above which unused ones are closed
   */
  public OpenFiles(FileOpener opener, int capacity) {
    this.opener = opener;
    this.capacity = capacity;
  }

  /** What is known of the batches in the files. */
  public BatchDirectories directories() {
    return directories;
  }

  /** One open channel and how many use it. Both counters are guarded by the pool. */
  static final class Opened {
    final FileChannel channel;
    private int users = 1;
    private boolean dropped;

    private Opened(FileChannel channel) {
      this.channel = channel;
    }
  }

  /** The file's channel, opened when it was not; give it back with {@link #release}. */
  Opened acquire(SharedFile file) throws IOException {
    Opened found = use(file);
    if (found != null) {
      return found;
    }
    Opened mine = new Opened(opener.open(file.path(), file.options()));
    List<FileChannel> closing = new ArrayList<>();
    Opened result;
    synchronized (this) {
      Opened other = opened.get(file);
      if (other != null) {
        other.users++;
        closing.add(mine.channel);
        result = other;
      } else {
        opened.put(file, mine);
        evict(closing);
        result = mine;
      }
    }
    close(closing);
    return result;
  }

  /** Ends one use. */
  void release(Opened used) {
    boolean last;
    synchronized (this) {
      used.users--;
      last = used.users == 0 && used.dropped;
    }
    if (last) {
      close(List.of(used.channel));
    }
  }

  /** Forgets a channel that turned out to be closed, unless another one has taken its place. */
  synchronized void discard(SharedFile file, Opened broken) {
    if (opened.remove(file, broken)) {
      broken.dropped = true;
    }
  }

  /** Forgets the file's channel; it is closed when its last user gives it back. */
  void drop(SharedFile file) {
    Opened old;
    synchronized (this) {
      old = opened.remove(file);
      if (old == null) {
        return;
      }
      old.dropped = true;
      if (old.users > 0) {
        return;
      }
    }
    close(List.of(old.channel));
  }

  /** Open channels that are kept, used or not. */
  public synchronized int size() {
    return opened.size();
  }

  private synchronized @Nullable Opened use(SharedFile file) {
    Opened found = opened.get(file);
    if (found == null) {
      return null;
    }
    found.users++;
    return found;
  }

  private void evict(List<FileChannel> closing) {
    Iterator<Opened> all = opened.values().iterator();
    while (opened.size() - closing.size() > capacity && all.hasNext()) {
      Opened candidate = all.next();
      if (candidate.users == 0) {
        candidate.dropped = true;
        closing.add(candidate.channel);
      }
    }
    opened.values().removeIf(candidate -> candidate.dropped);
  }

  /** Closes the channels nobody uses and, as they come back, the others. */
  @Override
  public void close() {
    List<FileChannel> closing = new ArrayList<>();
    synchronized (this) {
      for (Opened each : opened.values()) {
        each.dropped = true;
        if (each.users == 0) {
          closing.add(each.channel);
        }
      }
      opened.clear();
    }
    close(closing);
  }

  private static void close(List<FileChannel> channels) {
    for (FileChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

package io.sluice.coordinator.membership;

import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest image and the events of the last commands, so that a server that reconnects gets what
 * it missed instead of everything. Bounded by the number of commands. Thread-safe.
 */
final class ChangeHistory {
  private final int capacity;
  private final ArrayDeque<Change> changes = new ArrayDeque<>();
  private MetadataImage image = MetadataImage.EMPTY;

  /** Events of commands with an index above this one are known; -1 = none are. */
  private long base = -1;

  private record Change(long index, List<Event> events) {}

  ChangeHistory(int capacity) {
    this.capacity = capacity;
  }

  /** Adds an applied command. */
  synchronized void append(MetadataImage next, List<Event> events) {
    if (base < 0) {
      base = next.index() - 1;
    }
    image = next;
    changes.addLast(new Change(next.index(), events));
    if (changes.size() > capacity) {
      base = changes.removeFirst().index();
    }
  }

  /** Starts anew from an image whose earlier events are not known. */
  synchronized void replace(MetadataImage next) {
    changes.clear();
    image = next;
    base = next.index();
  }

  /** The newest image. */
  synchronized MetadataImage image() {
    return image;
  }

  /** The newest image with the events that lead to it from that index, or null when not known. */
  synchronized @Nullable Since since(long index) {
    if (base < 0 || index < base) {
      return null;
    }
    List<Event> events = new ArrayList<>();
    for (Change change : changes) {
      if (change.index() > index) {
        events.addAll(change.events());
      }
    }
    return new Since(image, events);
  }

  /** An image and the events that lead to it. */
  record Since(MetadataImage image, List<Event> events) {}
}

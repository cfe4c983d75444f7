package io.sluice.tablet.replica;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who wants to hear that a replica's visible end or role has changed. Thread-safe. */
final class Listeners {
  private static final Logger log = LoggerFactory.getLogger(Listeners.class);

  private final CopyOnWriteArrayList<Runnable> all = new CopyOnWriteArrayList<>();

  void add(Runnable listener) {
    all.add(listener);
  }

  void remove(Runnable listener) {
    all.remove(listener);
  }

  /**
   * Calls every listener; a failing one does not keep the others from being called.
   *
   * @param bucketName how messages name the bucket; asked only for one
   */
  void tell(Supplier<String> bucketName) {
    for (Runnable listener : all) {
      try {
        listener.run();
      } catch (RuntimeException | Error e) {
        log.error("A listener of {} failed", bucketName.get(), e);
      }
    }
  }
}

package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import org.jspecify.annotations.Nullable;

/** The one stream to a server, and the pause before the next one after a failure. One owner. */
final class ServerSlot<S> {
  private @Nullable S stream;
  private int failures;
  private long notBeforeNanos;
  private @Nullable SluiceException lastFailure;

  /** The open stream, null when there is none. */
  @Nullable S stream() {
    return stream;
  }

  /** Whether a stream may be opened now. */
  boolean mayOpen(long now) {
    return failures == 0 || now - notBeforeNanos >= 0;
  }

  /** Whether the last stream failed: the transport's own pause is then to be cut short. */
  boolean hasFailed() {
    return failures > 0;
  }

  void opened(S newStream) {
    stream = newStream;
  }

  /** Says that the server has answered. */
  void reached() {
    failures = 0;
    lastFailure = null;
  }

  /** Says that this stream has ended. */
  void lost(S ended, SluiceException why, long now) {
    if (stream == ended) {
      stream = null;
      failures++;
      lastFailure = why;
      notBeforeNanos = now + Backoff.electionNanos(failures);
    }
  }

  @Nullable SluiceException lastFailure() {
    return lastFailure;
  }
}

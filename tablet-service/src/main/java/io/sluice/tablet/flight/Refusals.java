package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import org.apache.arrow.memory.OutOfMemoryException;

/** What failures of this server mean to whoever asked. */
final class Refusals {
  private Refusals() {}

  /**
   * The refusal that a failure means: BACKPRESSURE when the allocator has no room, which others may
   * give back, else as {@link StatusMapping#fromStatus(Throwable)}.
   */
  static SluiceException of(Throwable failure) {
    SluiceException known = StatusMapping.fromStatus(failure);
    if (known.code() == ErrorCode.INTERNAL && known.getCause() instanceof OutOfMemoryException e) {
      return new SluiceException(
          ErrorCode.BACKPRESSURE,
          "This server has no memory for the rows now; try again, put fewer rows at a time, scan"
              + " fewer columns, or give it more (sluice.tablet.allocator-bytes): "
              + e.getMessage(),
          e);
    }
    return known;
  }
}

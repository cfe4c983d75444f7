package io.sluice.coordinator.membership;

import io.sluice.common.SluiceException;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;

/** The way down to one tablet server. Only the sessions' agent calls it, from one thread. */
public interface DeltaSink {
  /** Whether the transport takes another message without queueing it. */
  boolean isReady();

  /** Sends a message. */
  void send(CoordinatorMessage message);

  /** Ends the stream with an error. */
  void fail(SluiceException failure);

  /** Ends the stream in order. */
  void complete();
}

package io.sluice.coordinator.tiering;

import io.sluice.common.SluiceException;
import io.sluice.protocol.tiering.v1.WorkerOrder;

/** The way down to one worker. Only the loop's thread calls it. */
public interface WorkerSink {
  /** Sends an order. */
  void send(WorkerOrder order);

  /** Lets the next report in: at most one of a stream waits to be handled. */
  void requestNext();

  /** Ends the stream with an error. */
  void fail(SluiceException failure);

  /** Ends the stream in order. */
  void complete();
}

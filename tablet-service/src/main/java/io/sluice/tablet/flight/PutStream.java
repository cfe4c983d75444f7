package io.sluice.tablet.flight;

import io.sluice.protocol.flight.FlightFrame;

/**
 * One DoPut after its first message has said of which kind it is. Called one event at a time: a
 * native put on the transport's thread, where it must not block. An exception from {@link #message}
 * ends the call with its status.
 */
interface PutStream {
  /** Takes over the frame and closes it when it is done with it, also when it throws. */
  void message(FlightFrame frame);

  /** The client has sent all it had; the call ends when everything is answered. */
  void end();

  /** The client has gone, or the call has failed; everything held is released. */
  void cancelled();

  /**
   * The server stops: what was taken is still answered, then the call ends with UNAVAILABLE. Called
   * on any thread.
   */
  void stop();

  /** The client takes answers again. */
  void ready();
}

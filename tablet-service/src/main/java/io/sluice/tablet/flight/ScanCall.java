package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.OutboundFrame;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One DoGet. Works in short turns, on the scan threads if nothing else is said, so that open scans
 * share them fairly; between turns it costs no thread:
 *
 * <pre>
 * IDLE --wakeUp--> QUEUED --a thread takes it--> RUNNING --turn over, more to send--> QUEUED
 * RUNNING --nothing to send, or the client is slow--> IDLE
 * RUNNING --wakeUp--> AGAIN --turn over--> QUEUED
 * RUNNING --all sent, failed or cancelled--> DONE
 * </pre>
 *
 * <p>It is woken when the client takes data again and when the client goes. Bytes waiting in the
 * connection are bounded: nothing is read while the call is not ready.
 */
abstract class ScanCall implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ScanCall.class);

  /** Batches sent in one turn before other scans get the thread. */
  static final int BATCHES_A_TURN = 4;

  private enum State {
    IDLE,
    QUEUED,
    RUNNING,
    AGAIN,
    DONE
  }

  /** How a turn ended. */
  enum Turn {
    MORE,
    WAIT,
    FINISHED
  }

  private final CallResponder<OutboundFrame> responder;
  private final FlightMeters meters;
  private final Executor threads;
  private final Runnable onDone;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private volatile boolean cancelled;
  private volatile boolean stopping;

  /**
   * @param responder the call
   * @param threads where turns run
   * @param onDone run once at the end, whatever it was
   */
  ScanCall(
      CallResponder<OutboundFrame> responder,
      FlightMeters meters,
      Executor threads,
      Runnable onDone) {
    this.responder = responder;
    this.meters = meters;
    this.threads = threads;
    this.onDone = onDone;
  }

  /** Asks for a turn. Cheap, from any thread. */
  final void wakeUp() {
    while (true) {
      State now = state.get();
      if (now == State.QUEUED || now == State.AGAIN || now == State.DONE) {
        return;
      }
      State next = now == State.IDLE ? State.QUEUED : State.AGAIN;
      if (state.compareAndSet(now, next)) {
        if (next == State.QUEUED) {
          enqueue();
        }
        return;
      }
    }
  }

  /** The client has gone. */
  final void cancel() {
    cancelled = true;
    wakeUp();
  }

  /** The server stops: the scan ends with UNAVAILABLE. */
  final void stop() {
    stopping = true;
    wakeUp();
  }

  final boolean cancelled() {
    return cancelled;
  }

  @Override
  public final void run() {
    state.set(State.RUNNING);
    Turn turn;
    try {
      turn = checkedTurn();
    } catch (RuntimeException | OutOfMemoryError e) {
      fail(e);
      turn = Turn.FINISHED;
    }
    if (turn == Turn.FINISHED) {
      finish();
    } else if (turn == Turn.MORE || !state.compareAndSet(State.RUNNING, State.IDLE)) {
      state.set(State.QUEUED);
      enqueue();
    }
  }

  private void fail(Throwable why) {
    try {
      responder.fail(why);
    } catch (IllegalStateException ended) {
      // gRPC has ended the call itself, as it does without memory for a message.
      LOG.warn("A scan failed and its call was over already", why);
    }
  }

  private Turn checkedTurn() {
    if (stopping) {
      responder.fail(
          new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping; scan elsewhere"));
    }
    return cancelled || stopping ? Turn.FINISHED : turn();
  }

  private void enqueue() {
    try {
      threads().execute(this);
    } catch (RejectedExecutionException e) {
      fail(new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e));
      finish();
    }
  }

  private void finish() {
    state.set(State.DONE);
    release();
    onDone.run();
  }

  /** Where the next turn runs. Called from any thread. */
  Executor threads() {
    return threads;
  }

  /** Sends some of what is left; a failure thrown ends the call. */
  abstract Turn turn();

  /** Gives everything back; called once, after the last turn. */
  abstract void release();

  /** Whether the client takes more now. */
  final boolean isReady() {
    return responder.isReady();
  }

  /** Ends the call well. */
  final Turn complete() {
    responder.complete();
    return Turn.FINISHED;
  }

  /** Sends a frame and closes it. */
  final void send(OutboundFrame frame) {
    try (frame) {
      if (responder.send(frame)) {
        meters.sent(frame.wireBytes());
      }
    }
  }
}

package io.sluice.tablet.flight;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answering side of one call, usable from several threads: headers once, messages while open,
 * one end. Nothing here blocks; gRPC queues what the connection cannot take yet.
 *
 * @param <T> type of the answers
 */
final class CallResponder<T> {
  private static final Logger LOG = LoggerFactory.getLogger(CallResponder.class);

  private final ServerCall<?, T> call;
  private boolean headersSent;
  private boolean ended;

  CallResponder(ServerCall<?, T> call) {
    this.call = call;
  }

  /** Sends an answer; false, with nothing sent, when the call has ended. */
  synchronized boolean send(T answer) {
    if (ended || call.isCancelled()) {
      return false;
    }
    sendHeaders();
    call.sendMessage(answer);
    return true;
  }

  /** Whether the client has taken most of what was sent. */
  boolean isReady() {
    return call.isReady();
  }

  /** Asks for more messages. */
  synchronized void request(int messages) {
    if (!ended) {
      call.request(messages);
    }
  }

  synchronized boolean ended() {
    return ended;
  }

  /** Ends the call well; harmless when it has ended. */
  synchronized void complete() {
    if (!ended) {
      ended = true;
      sendHeaders();
      call.close(Status.OK, new Metadata());
    }
  }

  /** Ends the call with the failure's status; harmless when it has ended. */
  synchronized void fail(Throwable failure) {
    if (ended) {
      return;
    }
    ended = true;
    SluiceException known = Refusals.of(failure);
    StatusRuntimeException status = StatusMapping.toStatus(known);
    if (known.code() == ErrorCode.INTERNAL) {
      LOG.error("{} failed", call.getMethodDescriptor().getFullMethodName(), failure);
    }
    Metadata trailers = status.getTrailers();
    call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  /** The client has gone: nothing more is sent. */
  synchronized void cancelled() {
    ended = true;
  }

  private void sendHeaders() {
    if (!headersSent) {
      headersSent = true;
      call.sendHeaders(new Metadata());
    }
  }
}

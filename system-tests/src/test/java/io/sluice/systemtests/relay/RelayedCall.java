package io.sluice.systemtests.relay;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * One call through the relay. Each direction is a queue of steps that run one after another, so
 * that a hook which waits holds back its own direction only and a cancellation still gets through.
 */
final class RelayedCall {
  private final GrpcRelay relay;
  private final ServerCall<byte[], byte[]> inbound;
  private final ClientCall<byte[], byte[]> outbound;
  private final String method;
  private final Steps asking;
  private final Steps answering;
  private volatile byte[] question = new byte[0];
  private boolean closed;

  RelayedCall(
      GrpcRelay relay,
      ServerCall<byte[], byte[]> inbound,
      ClientCall<byte[], byte[]> outbound,
      Executor threads) {
    this.relay = relay;
    this.inbound = inbound;
    this.outbound = outbound;
    String fullName = inbound.getMethodDescriptor().getFullMethodName();
    this.method = fullName.substring(fullName.lastIndexOf('/') + 1);
    this.asking = new Steps(threads);
    this.answering = new Steps(threads);
  }

  ServerCall.Listener<byte[]> start(Metadata headers) {
    outbound.start(new Answers(), headers);
    outbound.request(1);
    inbound.request(1);
    return new Questions();
  }

  private void ask(byte[] message) {
    question = message;
    if (!relay.passes(new Relayed(method, Moment.ASKED, message, question))) {
      lose("The question was lost");
      return;
    }
    outbound.sendMessage(message);
    relay.passes(new Relayed(method, Moment.ASKED_ON, message, question));
    request();
  }

  private void answer(byte[] message) {
    if (!relay.passes(new Relayed(method, Moment.ANSWERED, message, question))) {
      lose("The answer was lost");
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      inbound.sendMessage(message);
    }
    relay.passes(new Relayed(method, Moment.ANSWERED_ON, message, question));
    outbound.request(1);
  }

  private synchronized void request() {
    if (!closed) {
      inbound.request(1);
    }
  }

  private void lose(String why) {
    close(Status.UNAVAILABLE.withDescription(why), new Metadata());
    outbound.cancel(why, null);
  }

  private synchronized void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      inbound.close(status, trailers);
    }
  }

  private synchronized void sendHeaders(Metadata headers) {
    if (!closed) {
      inbound.sendHeaders(headers);
    }
  }

  private synchronized void callerIsGone() {
    closed = true;
  }

  private final class Questions extends ServerCall.Listener<byte[]> {
    @Override
    public void onMessage(byte[] message) {
      asking.add(() -> ask(message));
    }

    @Override
    public void onHalfClose() {
      asking.add(outbound::halfClose);
    }

    @Override
    public void onCancel() {
      callerIsGone();
      outbound.cancel("The caller cancelled", null);
    }
  }

  private final class Answers extends ClientCall.Listener<byte[]> {
    @Override
    public void onHeaders(Metadata headers) {
      answering.add(() -> sendHeaders(headers));
    }

    @Override
    public void onMessage(byte[] message) {
      answering.add(() -> answer(message));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      answering.add(() -> close(status, trailers));
    }
  }

  /** Runs steps in order, one at a time. A step that fails ends the call. */
  private final class Steps {
    private final Executor threads;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    Steps(Executor threads) {
      this.threads = threads;
    }

    synchronized void add(Runnable step) {
      waiting.add(step);
      if (!running) {
        running = true;
        threads.execute(this::run);
      }
    }

    private void run() {
      for (Runnable step = next(); step != null; step = next()) {
        try {
          step.run();
        } catch (RuntimeException e) {
          lose("The relay failed: " + e);
        }
      }
    }

    private synchronized Runnable next() {
      Runnable step = waiting.poll();
      running = step != null;
      return step;
    }
  }
}

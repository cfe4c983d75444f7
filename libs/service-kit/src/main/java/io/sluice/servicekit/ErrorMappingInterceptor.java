package io.sluice.servicekit;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns failures of gRPC handlers into the status and {@code google.rpc.ErrorInfo} of their {@link
 * ErrorCode}, whether the handler threw them or gave them to {@code StreamObserver.onError}. A call
 * is closed once; later failures of a closed call are logged.
 */
final class ErrorMappingInterceptor implements ServerInterceptor {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorMappingInterceptor.class);

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    MappingCall<Q, A> mapping = new MappingCall<>(call);
    try {
      return new MappingListener<>(next.startCall(mapping, headers), mapping);
    } catch (RuntimeException failure) {
      mapping.fail(failure);
      return new ServerCall.Listener<>() {};
    }
  }

  /** Rewrites the status of a close whose cause is known. */
  private static final class MappingCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private boolean closed;

    MappingCall(ServerCall<Q, A> call) {
      super(call);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      synchronized (this) {
        closed = true;
      }
      Throwable cause = status.getCause();
      if (status.getCode() != Status.Code.UNKNOWN || cause == null) {
        super.close(status, trailers);
        return;
      }
      logDefect(cause);
      StatusRuntimeException mapped = StatusMapping.toStatus(cause);
      Metadata more = mapped.getTrailers();
      if (more != null) {
        trailers.merge(more);
      }
      super.close(mapped.getStatus(), trailers);
    }

    void fail(RuntimeException failure) {
      boolean late;
      synchronized (this) {
        late = closed;
      }
      if (late) {
        LOG.warn(
            "Call {} failed after it was closed",
            getMethodDescriptor().getFullMethodName(),
            failure);
        return;
      }
      close(Status.UNKNOWN.withCause(failure), new Metadata());
    }

    private void logDefect(Throwable cause) {
      boolean expected =
          cause instanceof StatusRuntimeException
              || (cause instanceof SluiceException sluice && sluice.code() != ErrorCode.INTERNAL);
      if (!expected) {
        LOG.error("Call {} failed by a defect", getMethodDescriptor().getFullMethodName(), cause);
      }
    }
  }

  /** Catches what a handler throws from its callbacks. */
  private static final class MappingListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final MappingCall<Q, ?> call;

    MappingListener(ServerCall.Listener<Q> listener, MappingCall<Q, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      guarded(() -> super.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      guarded(super::onHalfClose);
    }

    @Override
    public void onReady() {
      guarded(super::onReady);
    }

    private void guarded(Runnable callback) {
      try {
        callback.run();
      } catch (RuntimeException failure) {
        call.fail(failure);
      }
    }
  }
}

package io.sluice.protocol.security;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls without a valid cluster token with UNAUTHENTICATED before the service sees them:
 * every call it is attached to, or those to the named services when it is installed for all.
 */
public final class ClusterTokenServerInterceptor implements ServerInterceptor {
  private final ClusterSecret secret;
  private final TimeSource time;
  private final @Nullable Set<String> services;

  private ClusterTokenServerInterceptor(
      ClusterSecret secret, TimeSource time, @Nullable Set<String> services) {
    this.secret = secret;
    this.time = time;
    this.services = services;
  }

  /** Guards every call that passes through it. */
  public static ClusterTokenServerInterceptor guardingAll(ClusterSecret secret, TimeSource time) {
    return new ClusterTokenServerInterceptor(secret, time, null);
  }

  /** Guards calls to these services (full gRPC names) and lets all others pass. */
  public static ClusterTokenServerInterceptor guarding(
      ClusterSecret secret, TimeSource time, Set<String> services) {
    return new ClusterTokenServerInterceptor(secret, time, Set.copyOf(services));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (guards(call)) {
      try {
        check(headers.get(ClusterToken.HEADER), call);
      } catch (SluiceException refusal) {
        StatusRuntimeException status = StatusMapping.toStatus(refusal);
        Metadata trailers = status.getTrailers();
        call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
        return new ServerCall.Listener<>() {};
      }
    }
    return next.startCall(call, headers);
  }

  private boolean guards(ServerCall<?, ?> call) {
    String service = call.getMethodDescriptor().getServiceName();
    return services == null || (service != null && services.contains(service));
  }

  private void check(@Nullable String token, ServerCall<?, ?> call) {
    if (token == null) {
      throw new SluiceException(
          ErrorCode.UNAUTHENTICATED,
          "Call to "
              + call.getMethodDescriptor().getFullMethodName()
              + " has no "
              + ClusterToken.HEADER.name()
              + " header; only servers of this cluster may call it");
    }
    ClusterToken.verify(token, secret, time);
  }
}

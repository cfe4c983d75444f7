package io.sluice.servicekit;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Set;

/**
 * Asks for the cluster token on every gRPC service that is not public. Public services are listed
 * here by name, so a new internal service is guarded without anybody having to think of it.
 */
final class InternalServiceGuard implements ServerInterceptor {
  private static final Set<String> PUBLIC_SERVICES =
      Set.of(
          "sluice.metadata.v1.MetadataService",
          "sluice.kv.v1.LookupService",
          "arrow.flight.protocol.FlightService",
          "grpc.health.v1.Health",
          "grpc.reflection.v1.ServerReflection",
          "grpc.reflection.v1alpha.ServerReflection");

  private final ServerInterceptor tokenCheck;

  InternalServiceGuard(ServerInterceptor tokenCheck) {
    this.tokenCheck = tokenCheck;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String service = call.getMethodDescriptor().getServiceName();
    if (service != null && PUBLIC_SERVICES.contains(service)) {
      return next.startCall(call, headers);
    }
    return tokenCheck.interceptCall(call, headers, next);
  }
}

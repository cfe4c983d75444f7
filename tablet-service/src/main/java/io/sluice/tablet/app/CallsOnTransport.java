package io.sluice.tablet.app;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Has calls of some methods arrive on the transport's thread, where their callbacks never block:
 * they need no other. All other calls keep their executor.
 */
record CallsOnTransport(Set<String> methods) implements ServerCallExecutorSupplier {
  static CallsOnTransport of(MethodDescriptor<?, ?>... methods) {
    Set<String> names = new HashSet<>();
    for (MethodDescriptor<?, ?> method : methods) {
      names.add(method.getFullMethodName());
    }
    return new CallsOnTransport(Set.copyOf(names));
  }

  @Override
  public <Q, A> @Nullable Executor getExecutor(ServerCall<Q, A> call, Metadata headers) {
    return methods.contains(call.getMethodDescriptor().getFullMethodName()) ? Runnable::run : null;
  }
}

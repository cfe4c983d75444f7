package io.sluice.protocol.security;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.sluice.common.TimeSource;

/** Adds a fresh cluster token to every call. */
public final class ClusterTokenClientInterceptor implements ClientInterceptor {
  private final ClusterSecret secret;
  private final TimeSource time;

  public ClusterTokenClientInterceptor(ClusterSecret secret, TimeSource time) {
    this.secret = secret;
    this.time = time;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        headers.put(ClusterToken.HEADER, ClusterToken.create(secret, time));
        super.start(listener, headers);
      }
    };
  }
}

package io.sluice.systemtests.relay;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes every gRPC call that comes in on its own port to one server, message by message, unary and
 * streaming alike, with headers, deadlines and cancellation, and shows each message to its hooks.
 * The server may be away: calls then fail as they would without the relay.
 */
public final class GrpcRelay implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 64 << 20;
  private static final long STOP_SECONDS = 5;
  private static final MethodDescriptor.Marshaller<byte[]> BYTES = new Bytes();

  private final List<Hook> hooks = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(GrpcRelay::daemon);
  private final ManagedChannel channel;
  private final Server server;

  /**
   * @param target the server, {@code host:port}
   */
  public GrpcRelay(String target) {
    channel =
        NettyChannelBuilder.forTarget(target)
            .usePlaintext()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .executor(threads)
            .build();
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .fallbackHandlerRegistry(new EveryMethod())
              .maxInboundMessageSize(MAX_MESSAGE_BYTES)
              .permitKeepAliveTime(1, TimeUnit.SECONDS)
              .permitKeepAliveWithoutCalls(true)
              .executor(threads)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start a relay to " + target, e);
    }
  }

  /** Where callers find the relay, {@code host:port}. */
  public String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Shows messages to the hook until what is returned is closed. */
  public Installed install(Hook hook) {
    hooks.add(hook);
    return () -> hooks.remove(hook);
  }

  /** A hook in place. */
  public interface Installed extends AutoCloseable {
    @Override
    void close();
  }

  @Override
  public void close() {
    hooks.clear();
    channel.shutdownNow();
    server.shutdownNow();
    try {
      server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
  }

  /** Whether the message goes on. */
  boolean passes(Relayed message) {
    boolean passes = true;
    for (Hook hook : hooks) {
      try {
        passes &= hook.see(message) == Hook.Verdict.PASS;
      } catch (Exception e) {
        throw new IllegalStateException("A hook failed at " + message.method(), e);
      }
    }
    return passes;
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "grpc-relay");
    thread.setDaemon(true);
    return thread;
  }

  private ServerCall.Listener<byte[]> relay(ServerCall<byte[], byte[]> inbound, Metadata headers) {
    // Without this a server that is back is not tried before the pause after the last failure ends.
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    ClientCall<byte[], byte[]> outbound =
        channel.newCall(inbound.getMethodDescriptor(), CallOptions.DEFAULT);
    RelayedCall call = new RelayedCall(this, inbound, outbound, threads);
    return call.start(headers);
  }

  /** Knows every method, as a stream of byte arrays in both directions. */
  private final class EveryMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
      MethodDescriptor<byte[], byte[]> method =
          MethodDescriptor.newBuilder(BYTES, BYTES)
              .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(name)
              .build();
      return ServerMethodDefinition.create(method, GrpcRelay.this::relay);
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw Status.INTERNAL.withCause(e).asRuntimeException();
      }
    }
  }
}

package io.sluice.tablet.lookup;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupMethods;
import io.sluice.protocol.lookup.LookupQuestion;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The public lookup service: encoded keys in, encoded rows out, tagged and pipelined. */
public final class LookupService implements BindableService {
  private final RowLookups lookups;

  /** A service that reads through these; they outlive it. */
  public LookupService(RowLookups lookups) {
    this.lookups = lookups;
  }

  @Override
  public ServerServiceDefinition bindService() {
    ServiceDescriptor service =
        ServiceDescriptor.newBuilder(LookupServiceGrpc.SERVICE_NAME)
            .setSchemaDescriptor(LookupServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
            .addMethod(LookupMethods.lookup())
            .build();
    return ServerServiceDefinition.builder(service)
        .addMethod(LookupMethods.lookup(), ServerCalls.asyncBidiStreamingCall(this::lookup))
        .build();
  }

  private StreamObserver<LookupQuestion> lookup(StreamObserver<LookupAnswer> answers) {
    LookupStream stream =
        new LookupStream(lookups, (ServerCallStreamObserver<LookupAnswer>) answers);
    stream.open();
    return stream;
  }

  /**
   * Has lookups arrive on the transport's thread, where their callbacks never block: those that are
   * answered from memory need no other. All other calls keep their executor.
   */
  public static ServerCallExecutorSupplier callsOnTransport() {
    return new OnTransport();
  }

  private static final class OnTransport implements ServerCallExecutorSupplier {
    @Override
    public <Q, A> @Nullable Executor getExecutor(ServerCall<Q, A> call, Metadata headers) {
      return call.getMethodDescriptor() == LookupMethods.lookup() ? Runnable::run : null;
    }
  }
}

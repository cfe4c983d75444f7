package io.sluice.protocol.flight;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoUtils;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;

/** The Flight calls that carry data, with our frames in place of the generated messages. */
public final class FlightMethods {
  private static final Marshaller<Flight.Ticket> TICKET =
      ProtoUtils.marshaller(Flight.Ticket.getDefaultInstance());
  private static final Marshaller<Flight.PutResult> PUT_RESULT =
      ProtoUtils.marshaller(Flight.PutResult.getDefaultInstance());

  private FlightMethods() {}

  /** DoGet as a server answers it. */
  public static MethodDescriptor<Flight.Ticket, OutboundFrame> doGetServer() {
    return method("DoGet", MethodType.SERVER_STREAMING, TICKET, FlightFrames.outbound());
  }

  /** DoGet as a client receives it; bodies go into memory of the allocator. */
  public static MethodDescriptor<Flight.Ticket, FlightFrame> doGetClient(
      BufferAllocator allocator, int maxBytes) {
    return method(
        "DoGet", MethodType.SERVER_STREAMING, TICKET, FlightFrames.inbound(allocator, maxBytes));
  }

  /**
   * DoPut as a server receives it; large bodies stay in the transport's buffers, small ones and
   * copies go into memory of the allocator.
   */
  public static MethodDescriptor<FlightFrame, Flight.PutResult> doPutServer(
      BufferAllocator allocator, int maxBytes) {
    return method(
        "DoPut",
        MethodType.BIDI_STREAMING,
        FlightFrames.inboundInPlace(allocator, maxBytes),
        PUT_RESULT);
  }

  /**
   * DoPut as a client sends it. Send only while the call is ready, on a channel without retries:
   * gRPC serializes a message once it is sent, never later.
   */
  public static MethodDescriptor<OutboundFrame, Flight.PutResult> doPutClient() {
    return method("DoPut", MethodType.BIDI_STREAMING, FlightFrames.outbound(), PUT_RESULT);
  }

  /** The service with the given methods in place of its own of the same names. */
  public static ServerServiceDefinition replaceIn(
      ServerServiceDefinition service, ServerMethodDefinition<?, ?>... replacements) {
    Map<String, ServerMethodDefinition<?, ?>> methods = new LinkedHashMap<>();
    for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
      methods.put(method.getMethodDescriptor().getFullMethodName(), method);
    }
    for (ServerMethodDefinition<?, ?> method : replacements) {
      String name = method.getMethodDescriptor().getFullMethodName();
      if (methods.replace(name, method) == null) {
        throw new IllegalArgumentException("The service has no method " + name);
      }
    }
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    methods.values().forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder replaced = ServerServiceDefinition.builder(descriptor.build());
    methods.values().forEach(replaced::addMethod);
    return replaced.build();
  }

  private static <Q, A> MethodDescriptor<Q, A> method(
      String name, MethodType type, Marshaller<Q> request, Marshaller<A> response) {
    return MethodDescriptor.<Q, A>newBuilder(request, response)
        .setType(type)
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(FlightServiceGrpc.SERVICE_NAME, name))
        .build();
  }
}

package io.sluice.protocol.replication;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.protocol.replication.v1.ReplicationServiceGrpc;
import java.io.IOException;
import java.io.InputStream;

/** The fetch call with our messages in place of the generated answers. */
public final class ReplicationMethods {
  /**
   * Largest answer taken in: a batch has at most 36 MiB, and an answer that is full but for one
   * byte may take one more batch.
   */
  public static final int MAX_ANSWER_BYTES = 64 * 1024 * 1024;

  private static final Marshaller<FetchRequest> REQUEST =
      ProtoUtils.marshaller(FetchRequest.getDefaultInstance());
  private static final MethodDescriptor<FetchRequest, OutboundFrame> SERVER =
      method(FlightFrames.outbound());

  private ReplicationMethods() {}

  /** {@code ReplicationService.Fetch} as the leader's server answers it. */
  public static MethodDescriptor<FetchRequest, OutboundFrame> fetchServer() {
    return SERVER;
  }

  /** {@code ReplicationService.Fetch} as a follower's server asks; answers are the caller's. */
  public static MethodDescriptor<FetchRequest, ReceivedAnswer> fetchClient(
      ByteBufAllocator buffers) {
    return method(new Answers(buffers));
  }

  private static <A> MethodDescriptor<FetchRequest, A> method(Marshaller<A> answers) {
    return MethodDescriptor.<FetchRequest, A>newBuilder(REQUEST, answers)
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName(ReplicationServiceGrpc.getFetchMethod().getFullMethodName())
        .build();
  }

  private record Answers(ByteBufAllocator buffers) implements Marshaller<ReceivedAnswer> {
    @Override
    public InputStream stream(ReceivedAnswer value) {
      throw new UnsupportedOperationException("A received answer is not sent on");
    }

    @Override
    public ReceivedAnswer parse(InputStream stream) {
      try {
        return new AnswerReader(stream, buffers).read();
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("A FetchAnswer cannot be read: " + e.getMessage())
            .withCause(e)
            .asRuntimeException();
      }
    }
  }
}

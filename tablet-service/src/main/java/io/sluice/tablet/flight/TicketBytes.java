package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.OutboundFrame;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.arrow.flight.impl.Flight.Ticket;

/**
 * The request of DoGet as it came. gRPC answers a request that its marshaller refuses with an
 * unclear status and logs it as a defect; so the bytes are taken as they are and parsed where the
 * call can be answered.
 */
final class TicketBytes {
  private static final Marshaller<ByteString> BYTES =
      new Marshaller<>() {
        @Override
        public InputStream stream(ByteString value) {
          return value.newInput();
        }

        @Override
        public ByteString parse(InputStream stream) {
          try {
            return ByteString.readFrom(stream);
          } catch (IOException e) {
            throw new UncheckedIOException("A received message cannot be read", e);
          }
        }
      };

  private TicketBytes() {}

  /** DoGet with requests as bytes. */
  static MethodDescriptor<ByteString, OutboundFrame> doGet() {
    return FlightMethods.doGetServer().toBuilder(BYTES, FlightFrames.outbound()).build();
  }

  /** The ticket inside the request; INVALID_TICKET when it is no Ticket message. */
  static ByteString parse(ByteString request) {
    try {
      return Ticket.parseFrom(request).getTicket();
    } catch (InvalidProtocolBufferException e) {
      throw new SluiceException(
          ErrorCode.INVALID_TICKET,
          "The request is no arrow.flight.protocol.Ticket: " + e.getMessage(),
          e);
    }
  }
}

package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.OutboundFrame;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Test;

/** What becomes of a scan whose turn fails. */
class ScanCallTest {
  private final AtomicInteger released = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  @Test
  void aCallThatWasEndedMeanwhileIsGivenBackOnceAllTheSame() {
    ScanCall scan = new Failing(new EndedCall());
    scan.wakeUp();
    scan.cancel();
    assertThat(released).hasValue(1);
    assertThat(done).hasValue(1);
  }

  /** Runs out of memory in its first turn. */
  private final class Failing extends ScanCall {
    Failing(ServerCall<Flight.Ticket, OutboundFrame> call) {
      super(
          new CallResponder<>(call),
          new FlightMeters(new SimpleMeterRegistry()),
          Runnable::run,
          done::incrementAndGet);
    }

    @Override
    Turn turn() {
      throw new OutOfMemoryError("no memory for a message");
    }

    @Override
    void release() {
      released.incrementAndGet();
    }
  }

  /** A call that gRPC has closed without telling anybody, as it does when a message fails. */
  private static final class EndedCall extends ServerCall<Flight.Ticket, OutboundFrame> {
    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(OutboundFrame message) {
      throw new IllegalStateException("call is closed");
    }

    @Override
    public void close(Status status, Metadata trailers) {
      throw new IllegalStateException("call already closed");
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<Flight.Ticket, OutboundFrame> getMethodDescriptor() {
      return FlightMethods.doGetServer();
    }
  }
}

package io.sluice.tablet.replication.checkpoint;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one call, for a thread that takes them one by one: the leader sends few ahead. One
 * that falls silent is given up.
 */
final class IncomingParts
    implements ClientResponseObserver<KvCheckpointRequest, KvCheckpointPart>, AutoCloseable {
  private static final int AHEAD = 2;
  private static final long LOOK_MS = 200;

  /** The leader makes the copy, which it reads for its checksums. */
  private static final long FIRST_WAIT_MS = 180_000;

  private static final long WAIT_MS = 20_000;

  private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private @Nullable ClientCallStreamObserver<KvCheckpointRequest> call;
  private boolean begun;

  /** A part, or how the call ended: with a failure, or without one. */
  private record Event(@Nullable KvCheckpointPart part, @Nullable Throwable failure) {}

  @Override
  public void beforeStart(ClientCallStreamObserver<KvCheckpointRequest> stream) {
    call = stream;
    stream.disableAutoRequestWithInitial(AHEAD);
  }

  @Override
  public void onNext(KvCheckpointPart part) {
    events.add(new Event(part, null));
  }

  @Override
  public void onError(Throwable failure) {
    events.add(new Event(null, failure));
  }

  @Override
  public void onCompleted() {
    events.add(new Event(null, null));
  }

  /**
   * Waits for the next part, null behind the last one.
   *
   * @param unwanted asked now and then
   * @throws SluiceException what the leader refuses; TIMEOUT when it is silent, CANCELLED when
   *     nobody wants the rows any more
   */
  @Nullable KvCheckpointPart next(BooleanSupplier unwanted) throws InterruptedException {
    long waitMs = begun ? WAIT_MS : FIRST_WAIT_MS;
    for (long waited = 0; waited < waitMs; waited += LOOK_MS) {
      if (unwanted.getAsBoolean()) {
        throw new SluiceException(ErrorCode.CANCELLED, "The rows are not wanted any more");
      }
      Event event = events.poll(LOOK_MS, TimeUnit.MILLISECONDS);
      if (event != null) {
        return taken(event);
      }
    }
    throw new SluiceException(
        ErrorCode.TIMEOUT, "The leader has sent nothing of its rows for " + waitMs + " ms");
  }

  private @Nullable KvCheckpointPart taken(Event event) {
    Throwable failure = event.failure();
    if (failure != null) {
      throw StatusMapping.fromStatus(failure);
    }
    begun = true;
    ClientCallStreamObserver<KvCheckpointRequest> stream = call;
    if (event.part() != null && stream != null) {
      stream.request(1);
    }
    return event.part();
  }

  /** Ends the call if it goes on. */
  @Override
  public void close() {
    ClientCallStreamObserver<KvCheckpointRequest> stream = call;
    if (stream != null) {
      stream.cancel("The rows are not wanted any more", null);
    }
  }
}

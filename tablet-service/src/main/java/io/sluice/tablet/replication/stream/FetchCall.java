package io.sluice.tablet.replication.stream;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.ReceivedAnswer;
import io.sluice.protocol.replication.ReceivedBucket;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.protocol.replication.v1.Refusal;
import io.sluice.tablet.replication.ReplicationSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a stream. What an answer brings is handed to the replicas, which store it on their
 * own threads at the same time; when all are done the next request tells how far they are, which is
 * the acknowledgement. Guarded by the lock of {@link FollowerStreams} unless it says otherwise.
 */
final class FetchCall extends ClientCall.Listener<ReceivedAnswer> {
  private static final Logger LOG = LoggerFactory.getLogger(FetchCall.class);

  /** A replica that takes longer is told of later; the others do not wait for it. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final FetchStream stream;
  private final FollowerStreams owner;
  private final ClientCall<FetchRequest, ReceivedAnswer> call;
  private boolean first = true;
  private boolean owed;
  private long sentNanos;
  // The newest answer.
  private long answerId;
  private long receivedNanos;
  private int receivedBytes;
  private int storing;

  FetchCall(FetchStream stream, ClientCall<FetchRequest, ReceivedAnswer> call) {
    this.stream = stream;
    this.owner = stream.owner();
    this.call = call;
  }

  /** Starts the call and sends the first request. */
  void open() {
    call.start(this, new Metadata());
    // A channel that knows that it has no connection ends the call before it returns.
    if (stream.isCurrent(this)) {
      ask();
    }
  }

  /** Whether an answer is being waited for. */
  boolean isOwed() {
    return owed;
  }

  /** Asks for the next answer. */
  void ask() {
    owed = true;
    sentNanos = owner.clock().nanoTime();
    call.request(1);
    send();
  }

  /** Adds to what was asked for. */
  void add() {
    send();
  }

  private void send() {
    FetchRequest.Builder request = FetchRequest.newBuilder().setAnswerId(answerId);
    if (first) {
      first = false;
      request
          .setServerId(owner.identity().serverId())
          .setIncarnation(owner.identity().incarnation())
          .setLane(stream.lane());
    }
    stream.tellAll(request, answerId > 0);
    request.setMaxWaitMs(owner.limits().maxWaitMs()).setMaxBytes(stream.answerBytes());
    call.sendMessage(request.build());
  }

  void cancel(String why) {
    call.cancel(why, null);
  }

  /** Whether the leader has not answered for too long. */
  boolean isSilent(long nowNanos) {
    return owed && nowNanos - sentNanos > owner.limits().silenceNanos();
  }

  void tick(long nowNanos) {
    if (storing > 0 && nowNanos - receivedNanos > PATIENCE_NANOS) {
      storing = 0;
      goOn();
    }
  }

  /** On the transport's thread. */
  @Override
  public void onMessage(ReceivedAnswer answer) {
    List<Delivery> deliveries = new ArrayList<>(answer.buckets().size());
    synchronized (owner.lock()) {
      if (!stream.isCurrent(this) || !owed) {
        answer.close();
        return;
      }
      owed = false;
      answerId = answer.answerId();
      receivedNanos = owner.clock().nanoTime();
      receivedBytes = answer.wireBytes();
      stream.answered();
      for (ReceivedBucket bucket : answer.buckets()) {
        accept(bucket, deliveries);
      }
      // One more, so that none of them is the last before all were handed over.
      storing = deliveries.size() + 1;
    }
    owner.stats().received(answer.wireBytes());
    for (Delivery delivery : deliveries) {
      delivery.run();
    }
    synchronized (owner.lock()) {
      stored(answer.answerId());
    }
  }

  private void accept(ReceivedBucket received, List<Delivery> deliveries) {
    BucketAnswer fields = received.fields();
    FollowedBucket bucket = stream.bucket(BucketIds.toBucket(fields.getBucket()));
    if (bucket == null || !bucket.told || bucket.leaderEpoch != fields.getLeaderEpoch()) {
      received.close();
    } else if (fields.hasRefused()) {
      received.close();
      refused(bucket, fields.getRefused());
    } else {
      Delivery delivery = new Delivery(answerId, bucket, received);
      bucket.storing = true;
      stream.storing(delivery.bytes);
      deliveries.add(delivery);
    }
  }

  private void refused(FollowedBucket bucket, Refusal refusal) {
    LOG.debug(
        "Server {} refuses {} in epoch {}: {} {}",
        stream.serverId(),
        bucket.bucket,
        bucket.leaderEpoch,
        refusal.getCode(),
        refusal.getMessage());
    stream.refused(bucket);
  }

  /** A replica is done with its part of an answer, or all were handed over. */
  private void stored(long ofAnswer) {
    if (ofAnswer != answerId || storing == 0) {
      // The stream went on without it; what it has to tell goes along with what comes next.
      stream.flushSoon();
      return;
    }
    storing--;
    if (storing == 0) {
      goOn();
    }
  }

  private void goOn() {
    long pause = owner.pauseNanos(stream.lane(), receivedBytes);
    if (pause > 0) {
      owner.later(TimeUnit.NANOSECONDS.toMillis(pause) + 1, this::goOnNow);
    } else {
      goOnNow();
    }
  }

  private void goOnNow() {
    if (stream.isCurrent(this) && !owed) {
      stream.next(this);
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    synchronized (owner.lock()) {
      if (stream.isCurrent(this) && !owner.closed()) {
        stream.broken(StatusMapping.fromStatus(status, trailers));
      }
    }
  }

  /** One bucket's part of an answer on its way through the replica. */
  private final class Delivery {
    private final long ofAnswer;
    private final FollowedBucket bucket;
    private final ReceivedBucket received;
    private int bytes;

    Delivery(long ofAnswer, FollowedBucket bucket, ReceivedBucket received) {
      this.ofAnswer = ofAnswer;
      this.bucket = bucket;
      this.received = received;
      this.bytes = received.batches().remaining();
    }

    /** With nothing held. */
    void run() {
      boolean content =
          received.batches().hasRemaining()
              || received.fields().hasDiverges()
              || received.fields().hasStartAnew();
      bucket.sink.received(Answers.read(received), outcome -> done(outcome, content));
    }

    /** On the replica's thread. */
    private void done(ReplicationSink.Outcome outcome, boolean content) {
      received.close();
      synchronized (owner.lock()) {
        bucket.storing = false;
        stream.stored(bytes);
        bytes = 0;
        // It may be fetched on another lane or by another call by now.
        FetchStream now = bucket.stream;
        if (now != null) {
          take(now, outcome, content || now != stream || !stream.isCurrent(FetchCall.this));
        }
        boolean current = stream.isCurrent(FetchCall.this);
        if (now != null && (now != stream || !current)) {
          now.flushSoon();
        }
        if (current) {
          stored(ofAnswer);
        }
      }
    }

    private void take(FetchStream now, ReplicationSink.Outcome outcome, boolean tells) {
      SluiceException failure = outcome.failure();
      if (failure != null) {
        failed(now, failure);
      } else if (outcome.position() == null) {
        owner.drop(bucket);
      } else {
        bucket.backOffMs = 0;
        if (tells) {
          now.tell(bucket);
        }
        owner.seen(bucket, received.fields().getLogEnd() - outcome.position().offset());
      }
    }

    private void failed(FetchStream now, SluiceException failure) {
      LOG.debug(
          "{} does not take in what server {} sent: {}",
          bucket.bucket,
          stream.serverId(),
          failure.getMessage());
      switch (failure.code()) {
        // Fetched again; the replica itself counts how often.
        case CORRUPT_BATCH -> now.tell(bucket);
        case REPLICA_OFFLINE, TABLE_CHANGED, FENCED_LEADER_EPOCH, NOT_LEADER -> owner.drop(bucket);
        default -> now.pause(bucket, StreamLimits.FAILURE_PAUSE_MS);
      }
    }
  }
}

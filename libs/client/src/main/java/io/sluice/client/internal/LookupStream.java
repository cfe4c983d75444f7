package io.sluice.client.internal;

import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupMethods;
import io.sluice.protocol.lookup.LookupQuestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One Lookup call to a server. Events come on the transport's thread; everything else is guarded by
 * the pipeline's lock.
 */
final class LookupStream {
  private static final int ANSWERS_AHEAD = 1024;

  /** What a stream reports; must not block. */
  interface Events {
    void ready();

    void answered(LookupStream stream, LookupAnswer answer);

    void closed(LookupStream stream, SluiceException why);
  }

  /**
   * A request without an answer.
   *
   * @param bucket its bucket
   * @param lookups what it asks for, in the order of its keys
   * @param sentNanos when it was sent
   */
  record Sent(BucketLookups bucket, List<PendingLookup> lookups, long sentNanos) {}

  private final String address;
  private final ClientCall<LookupQuestion, LookupAnswer> call;
  private final Map<Long, Sent> unanswered = new HashMap<>();
  private volatile boolean cancelled;

  private LookupStream(String address, ClientCall<LookupQuestion, LookupAnswer> call) {
    this.address = address;
    this.call = call;
  }

  /** A call that {@link #start} begins. */
  static LookupStream open(Channel channel, String address) {
    CallOptions options = CallOptions.DEFAULT.withExecutor(MoreExecutors.directExecutor());
    return new LookupStream(address, channel.newCall(LookupMethods.lookup(), options));
  }

  void start(Events events) {
    call.start(new Listener(events), new Metadata());
    call.request(ANSWERS_AHEAD);
  }

  String address() {
    return address;
  }

  boolean isReady() {
    return call.isReady();
  }

  /** Sends a request whose rows are wanted under that schema. */
  void send(long requestId, Sent sent, LookupKind kind, int schemaId) {
    unanswered.put(requestId, sent);
    List<byte[]> keys = new ArrayList<>(sent.lookups().size());
    for (PendingLookup lookup : sent.lookups()) {
      keys.add(lookup.key());
    }
    TableBucket bucket = sent.bucket().bucket();
    call.sendMessage(
        new LookupQuestion(
            requestId,
            bucket.tableId(),
            bucket.partitionId(),
            bucket.bucket(),
            keys,
            schemaId,
            kind,
            sent.lookups().get(0).limit()));
  }

  /** The request that was answered, null when this stream does not know it. */
  @Nullable Sent takeAnswered(long requestId) {
    return unanswered.remove(requestId);
  }

  /** All requests without an answer, in the order in which they were sent. */
  List<Sent> takeUnanswered() {
    return take(new ArrayList<>(unanswered.keySet()));
  }

  private List<Sent> take(List<Long> ids) {
    ids.sort(null);
    List<Sent> all = new ArrayList<>();
    for (Long id : ids) {
      Sent sent = unanswered.remove(id);
      if (sent != null) {
        all.add(sent);
      }
    }
    return all;
  }

  /** The requests without an answer whose buckets another server leads now, in their order. */
  List<Sent> takeMoved(LeaderView leaders) {
    List<Long> ids = new ArrayList<>();
    unanswered.forEach(
        (id, sent) -> {
          String leader = leaders.leaderOf(sent.bucket().bucket());
          if (leader != null && !leader.equals(address)) {
            ids.add(id);
          }
        });
    return take(ids);
  }

  /** Whether a request was sent before that time and has no answer. */
  boolean hasUnansweredSince(long nanos) {
    for (Sent sent : unanswered.values()) {
      if (sent.sentNanos() - nanos < 0) {
        return true;
      }
    }
    return false;
  }

  /** Ends the call; {@link Events#closed} follows with this failure. */
  void cancel(SluiceException why) {
    if (!cancelled) {
      cancelled = true;
      call.cancel(why.getMessage(), why);
    }
  }

  private SluiceException failure(Status status, Metadata trailers) {
    if (status.isOk()) {
      return new SluiceException(ErrorCode.UNAVAILABLE, "Server " + address + " ended the lookups");
    }
    SluiceException failure = StatusMapping.fromStatus(status, trailers);
    // A reset by the server looks like a cancellation, which is ours only when we cancelled.
    boolean lost = failure.code() == ErrorCode.CANCELLED;
    return new SluiceException(
        lost ? ErrorCode.UNAVAILABLE : failure.code(),
        "Lookups at server " + address + " failed: " + failure.getMessage(),
        failure.details(),
        failure);
  }

  private final class Listener extends ClientCall.Listener<LookupAnswer> {
    private final Events events;
    private int taken;

    Listener(Events events) {
      this.events = events;
    }

    @Override
    public void onReady() {
      events.ready();
    }

    @Override
    public void onMessage(LookupAnswer answer) {
      // In large steps: each is a task of the transport's thread.
      if (++taken == ANSWERS_AHEAD / 2) {
        call.request(taken);
        taken = 0;
      }
      events.answered(LookupStream.this, answer);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      events.closed(LookupStream.this, failure(status, trailers));
    }
  }
}

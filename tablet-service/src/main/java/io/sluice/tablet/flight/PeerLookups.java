package io.sluice.tablet.flight;

import io.grpc.CallOptions;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupMethods;
import io.sluice.protocol.lookup.LookupQuestion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Lookups in buckets that other tablets lead, for clients that do not know of leaders. */
final class PeerLookups {
  /** Longer than a server waits for ids of rows that it makes. */
  private static final long TIMEOUT_SECONDS = 15;

  private final PeerChannels channels;

  PeerLookups(PeerChannels channels) {
    this.channels = channels;
  }

  /**
   * The answer of a bucket's leader, which is not a refusal. Blocks.
   *
   * @param address the leader, {@code host:port}
   * @param schemaId schema in which the rows are wanted
   * @param limit of prefixes, 0 = all rows
   * @throws SluiceException what the leader refuses, and what keeps its answer away
   */
  LookupAnswer ask(
      String address,
      TableBucket bucket,
      LookupKind kind,
      List<byte[]> keys,
      int schemaId,
      int limit) {
    CompletableFuture<LookupAnswer> answer = new CompletableFuture<>();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    StreamObserver<LookupQuestion> call =
        ClientCalls.asyncBidiStreamingCall(
            channels.channel(address).newCall(LookupMethods.lookup(), options),
            new OneAnswer(answer));
    call.onNext(
        new LookupQuestion(
            1,
            bucket.tableId(),
            bucket.partitionId(),
            bucket.bucket(),
            keys,
            schemaId,
            kind,
            limit));
    call.onCompleted();
    LookupAnswer found;
    try {
      found = answer.join();
    } catch (CompletionException e) {
      throw StatusMapping.fromStatus(e.getCause() == null ? e : e.getCause());
    }
    SluiceException refusal = found.failure();
    if (refusal != null) {
      throw refusal;
    }
    int answered =
        kind == LookupKind.LOOKUP_PREFIX ? found.rowCounts().size() : found.values().size();
    if (answered != keys.size()) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Tablet " + address + " answered " + keys.size() + " keys with " + answered);
    }
    return found;
  }

  /** Takes the first answer, or the end without one. */
  private record OneAnswer(CompletableFuture<LookupAnswer> answer)
      implements StreamObserver<LookupAnswer> {
    @Override
    public void onNext(LookupAnswer found) {
      answer.complete(found);
    }

    @Override
    public void onError(Throwable failure) {
      answer.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      answer.completeExceptionally(
          new SluiceException(ErrorCode.UNAVAILABLE, "A lookup was not answered"));
    }
  }
}

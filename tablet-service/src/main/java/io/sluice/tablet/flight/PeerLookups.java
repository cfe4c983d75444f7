package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lookups in buckets that other tablets lead, for clients that do not know of leaders. */
final class PeerLookups {
  private static final long TIMEOUT_SECONDS = 10;

  private final PeerChannels channels;

  PeerLookups(PeerChannels channels) {
    this.channels = channels;
  }

  /**
   * The encoded rows of encoded keys, in their order, null for no row. Blocks.
   *
   * @param address the leader, {@code host:port}
   * @param schemaId schema in which the rows are wanted
   */
  List<byte @Nullable []> read(
      String address, TableBucket bucket, List<byte[]> keys, int schemaId) {
    LookupRequest.Builder request =
        LookupRequest.newBuilder()
            .setRequestId(1)
            .setTableId(bucket.tableId())
            .setPartitionId(bucket.partitionId())
            .setBucket(bucket.bucket())
            .setSchemaId(schemaId);
    keys.forEach(key -> request.addKeys(UnsafeByteOperations.unsafeWrap(key)));
    CompletableFuture<LookupResponse> answer = new CompletableFuture<>();
    StreamObserver<LookupRequest> call =
        LookupServiceGrpc.newStub(channels.channel(address))
            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .lookup(new OneAnswer(answer));
    call.onNext(request.build());
    call.onCompleted();
    LookupResponse response;
    try {
      response = answer.join();
    } catch (CompletionException e) {
      throw StatusMapping.fromStatus(e.getCause() == null ? e : e.getCause());
    }
    if (response.hasError()) {
      throw PutErrors.fromPutError(response.getError());
    }
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (ByteString value : response.getValuesList()) {
      values.add(value.isEmpty() ? null : value.toByteArray());
    }
    if (values.size() != keys.size()) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Tablet " + address + " answered " + keys.size() + " keys with " + values.size());
    }
    return values;
  }

  /** Takes the first answer, or the end without one. */
  private record OneAnswer(CompletableFuture<LookupResponse> answer)
      implements StreamObserver<LookupResponse> {
    @Override
    public void onNext(LookupResponse response) {
      answer.complete(response);
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

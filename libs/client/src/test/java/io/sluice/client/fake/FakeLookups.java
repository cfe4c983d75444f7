package io.sluice.client.fake;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The lookups of one tablet. */
final class FakeLookups extends LookupServiceGrpc.LookupServiceImplBase {
  private final FakeTablet tablet;
  private final FakeCluster cluster;
  private final AtomicInteger requests = new AtomicInteger();

  FakeLookups(FakeTablet tablet, FakeCluster cluster) {
    this.tablet = tablet;
    this.cluster = cluster;
  }

  int requests() {
    return requests.get();
  }

  @Override
  public StreamObserver<LookupRequest> lookup(StreamObserver<LookupResponse> answers) {
    return new StreamObserver<>() {
      private boolean ended;

      @Override
      public void onNext(LookupRequest request) {
        if (ended) {
          return;
        }
        PutFaults.Fault fault =
            cluster.lookupFaults().decide(tablet.id(), requests.incrementAndGet(), request);
        switch (fault.kind()) {
          case REFUSE ->
              answer(refused(request, new SluiceException(fault.code(), "as the test asks")));
          case IGNORE -> {}
          case DROP -> {
            ended = true;
            answers.onError(Status.UNAVAILABLE.withDescription("dropped").asRuntimeException());
          }
          case STORE_AND_HOLD -> {
            LookupResponse response = find(request);
            tablet.hold(() -> answer(response));
          }
          default -> answer(find(request));
        }
      }

      private synchronized void answer(LookupResponse response) {
        answers.onNext(response);
      }

      @Override
      public void onError(Throwable failure) {
        ended = true;
      }

      @Override
      public void onCompleted() {
        ended = true;
        answers.onCompleted();
      }
    };
  }

  private LookupResponse find(LookupRequest request) {
    try {
      if (request.getTableId() != cluster.tableId()) {
        throw new SluiceException(ErrorCode.TABLE_CHANGED, "gone");
      }
      tablet.led(request.getPartitionId(), request.getBucket());
      LookupResponse.Builder response =
          LookupResponse.newBuilder().setRequestId(request.getRequestId());
      FakeRows rows = cluster.rows(request.getPartitionId(), request.getBucket());
      for (int i = 0; i < request.getKeysCount(); i++) {
        byte[] key = request.getKeys(i).toByteArray();
        switch (request.getKind()) {
          case LOOKUP_PREFIX -> {
            List<byte[]> found = rows.values(key, request.getLimit());
            found.forEach(value -> response.addValues(ByteString.copyFrom(value)));
            response.addRowCounts(found.size());
          }
          case LOOKUP_INSERT_IF_ABSENT -> {
            if (rows.insertMissing(key)) {
              response.addMissing(i);
            }
            response.addValues(ByteString.copyFrom(rows.value(key)));
          }
          default -> response.addValues(ByteString.copyFrom(rows.value(key)));
        }
      }
      return response.build();
    } catch (SluiceException e) {
      return refused(request, e);
    }
  }

  private static LookupResponse refused(LookupRequest request, SluiceException why) {
    return LookupResponse.newBuilder()
        .setRequestId(request.getRequestId())
        .setError(PutErrors.toPutError(why))
        .build();
  }
}

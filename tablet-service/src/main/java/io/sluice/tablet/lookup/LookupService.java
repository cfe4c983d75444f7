package io.sluice.tablet.lookup;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;

/** The public lookup service: encoded keys in, encoded rows out, tagged and pipelined. */
public final class LookupService extends LookupServiceGrpc.LookupServiceImplBase {
  private final RowLookups lookups;

  /** A service that reads through these; they outlive it. */
  public LookupService(RowLookups lookups) {
    this.lookups = lookups;
  }

  @Override
  public StreamObserver<LookupRequest> lookup(StreamObserver<LookupResponse> answers) {
    LookupStream stream =
        new LookupStream(lookups, (ServerCallStreamObserver<LookupResponse>) answers);
    stream.open();
    return stream;
  }
}

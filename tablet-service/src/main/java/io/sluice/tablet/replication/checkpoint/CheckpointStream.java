package io.sluice.tablet.replication.checkpoint;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.stub.ServerCallStreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.v1.FilePiece;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call that sends the rows of a bucket. Works in turns, while the connection takes more; who
 * wakes it when nobody works has a turn begin. Everything else is of the thread that runs it.
 */
final class CheckpointStream implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CheckpointStream.class);

  /** Of a piece; no other call of the connection waits long for it. */
  static final int PIECE_BYTES = 1 << 20;

  private final CheckpointSource.RowCopies rows;
  private final KvCheckpointRequest request;
  private final ServerCallStreamObserver<KvCheckpointPart> call;
  private final Executor threads;
  private final Consumer<CheckpointStream> onDone;
  private final AtomicInteger wakeUps = new AtomicInteger();
  private volatile boolean cancelled;
  private @Nullable SnapshotCopy copy;
  private boolean done;

  CheckpointStream(
      CheckpointSource.RowCopies rows,
      KvCheckpointRequest request,
      ServerCallStreamObserver<KvCheckpointPart> call,
      Executor threads,
      Consumer<CheckpointStream> onDone) {
    this.rows = rows;
    this.request = request;
    this.call = call;
    this.threads = threads;
    this.onDone = onDone;
  }

  /** Asks for a turn; on any thread. */
  void wakeUp() {
    if (wakeUps.getAndIncrement() == 0) {
      try {
        threads.execute(this);
      } catch (RejectedExecutionException stopping) {
        cancelled = true;
        run();
      }
    }
  }

  /** The follower has gone, or this server stops; on any thread. */
  void cancel() {
    cancelled = true;
    wakeUp();
  }

  @Override
  public void run() {
    int seen = wakeUps.get();
    do {
      if (!done) {
        turn();
      }
      seen = wakeUps.addAndGet(-seen);
    } while (seen != 0);
  }

  private void turn() {
    try {
      if (cancelled || call.isCancelled()) {
        fail(new SluiceException(ErrorCode.UNAVAILABLE, "The rows are not sent any further"));
      } else {
        sendSome();
      }
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void sendSome() {
    SnapshotCopy sending = copy;
    if (sending == null) {
      sending = rows.copy(bucket(request.getBucket()), request.getLeaderEpoch());
      copy = sending;
      log.info(
          "Sends the rows of {} at offset {}, {} bytes, to server {}",
          bucket(request.getBucket()),
          sending.position().appliedOffset(),
          sending.bytes(),
          request.getServerId());
      call.onNext(
          KvCheckpointPart.newBuilder()
              .setManifest(ByteString.copyFrom(sending.manifest()))
              .build());
    }
    while (call.isReady() && !cancelled) {
      SnapshotCopy.Piece piece = sending.next(PIECE_BYTES);
      if (piece == null) {
        call.onCompleted();
        finish();
        return;
      }
      call.onNext(
          KvCheckpointPart.newBuilder()
              .setPiece(
                  FilePiece.newBuilder()
                      .setName(piece.name())
                      .setPosition(piece.position())
                      .setContent(UnsafeByteOperations.unsafeWrap(piece.content())))
              .build());
    }
  }

  private static TableBucket bucket(BucketId id) {
    return new TableBucket(id.getTableId(), id.getPartitionId(), id.getBucket());
  }

  private void fail(RuntimeException why) {
    SluiceException failure = StatusMapping.fromStatus(why);
    if (failure.code() == ErrorCode.INTERNAL) {
      log.error("The rows of {} cannot be sent", bucket(request.getBucket()), why);
    }
    if (!call.isCancelled()) {
      call.onError(StatusMapping.toStatus(failure));
    }
    finish();
  }

  private void finish() {
    done = true;
    SnapshotCopy sent = copy;
    copy = null;
    if (sent != null) {
      sent.close();
    }
    onDone.accept(this);
  }
}

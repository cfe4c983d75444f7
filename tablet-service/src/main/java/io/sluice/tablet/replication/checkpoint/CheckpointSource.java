package io.sluice.tablet.replication.checkpoint;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's end: a copy of the rows is made with hard links, which stops no writer, sent as fast
 * as the follower takes it, and removed when the call is over, however it ends. Thread-safe.
 */
public final class CheckpointSource implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CheckpointSource.class);
  private static final int THREADS = 2;
  private static final long CLOSE_SECONDS = 5;

  /** Copies at the same time: each keeps tables on the disk that its store has given up. */
  static final int MOST_STREAMS = 4;

  private final RowCopies rows;
  private final ExecutorService threads;
  private final Set<CheckpointStream> streams = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();
  private volatile boolean closed;

  /** Makes copies of the rows of buckets that this server leads. */
  @FunctionalInterface
  public interface RowCopies {
    /**
     * A copy, closed by the caller; takes as long as reading the new part of the rows.
     *
     * @throws SluiceException NOT_LEADER when the bucket is not led from here in that epoch;
     *     LEADER_NOT_READY or UNAVAILABLE while its rows are not open
     */
    SnapshotCopy copy(TableBucket bucket, int leaderEpoch);
  }

  /**
   * @param rows outlive this
   */
  public CheckpointSource(RowCopies rows) {
    this.rows = rows;
    AtomicInteger made = new AtomicInteger();
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "kv-checkpoint-send-" + made.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Answers a call, see {@code replication.proto}; returns at once. */
  public void send(KvCheckpointRequest request, StreamObserver<KvCheckpointPart> answers) {
    ServerCallStreamObserver<KvCheckpointPart> call =
        (ServerCallStreamObserver<KvCheckpointPart>) answers;
    if (closed) {
      refuse(call, ErrorCode.UNAVAILABLE, "This server is stopping");
      return;
    }
    if (open.incrementAndGet() > MOST_STREAMS) {
      open.decrementAndGet();
      refuse(
          call,
          ErrorCode.BACKPRESSURE,
          "This server sends the rows of " + MOST_STREAMS + " buckets already");
      return;
    }
    CheckpointStream stream = new CheckpointStream(rows, request, call, threads, this::over);
    streams.add(stream);
    call.setOnReadyHandler(stream::wakeUp);
    call.setOnCancelHandler(stream::cancel);
    stream.wakeUp();
    if (closed) {
      stream.cancel();
    }
  }

  private static void refuse(
      ServerCallStreamObserver<KvCheckpointPart> call, ErrorCode code, String why) {
    call.onError(StatusMapping.toStatus(new SluiceException(code, why)));
  }

  private void over(CheckpointStream stream) {
    streams.remove(stream);
    open.decrementAndGet();
  }

  /** Calls that are open now. */
  public int openStreams() {
    return open.get();
  }

  /** Ends all calls and removes their copies. */
  @Override
  public void close() {
    closed = true;
    streams.forEach(CheckpointStream::cancel);
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.warn("Rows are still being copied for another server after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

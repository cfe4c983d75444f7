package io.sluice.tablet.replication.checkpoint;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.replication.v1.FilePiece;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import io.sluice.protocol.replication.v1.ReplicationServiceGrpc;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.snapshot.SnapshotReceiver;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The follower's end: takes in the rows of few buckets at a time, no faster than replicas may catch
 * up, and checks every byte against the leader's manifest. Thread-safe.
 */
public final class CheckpointFetcher implements KvCheckpoints, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CheckpointFetcher.class);
  private static final int THREADS = 2;
  private static final long CLOSE_SECONDS = 5;

  /** A copy that takes longer is not worth having; the leader must not keep it for ever. */
  private static final long DEADLINE_MINUTES = 60;

  private final int serverId;
  private final LeaderChannels channels;
  private final CheckpointPace pace;
  private final ExecutorService threads;
  private volatile boolean closed;

  /**
   * @param serverId this server
   * @param pace shared with everything else that catches up
   */
  public CheckpointFetcher(int serverId, LeaderChannels channels, CheckpointPace pace) {
    this.serverId = serverId;
    this.channels = channels;
    this.pace = pace;
    AtomicInteger made = new AtomicInteger();
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "kv-checkpoint-fetch-" + made.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public CompletableFuture<KvPosition> fetch(
      TableBucket bucket, int leaderServerId, int leaderEpoch, Path directory) {
    CompletableFuture<KvPosition> result = new CompletableFuture<>();
    KvCheckpointRequest request =
        KvCheckpointRequest.newBuilder()
            .setBucket(
                BucketId.newBuilder()
                    .setTableId(bucket.tableId())
                    .setPartitionId(bucket.partitionId())
                    .setBucket(bucket.bucket()))
            .setLeaderEpoch(leaderEpoch)
            .setServerId(serverId)
            .build();
    try {
      threads.execute(() -> fetch(bucket, leaderServerId, request, directory, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(stopping(e));
    }
    return result;
  }

  private static SluiceException stopping(@Nullable Exception cause) {
    return new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", cause);
  }

  private void fetch(
      TableBucket bucket,
      int leaderServerId,
      KvCheckpointRequest request,
      Path directory,
      CompletableFuture<KvPosition> result) {
    if (result.isDone()) {
      return;
    }
    try (IncomingParts parts = new IncomingParts();
        SnapshotReceiver receiver = SnapshotReceiver.create(bucket, directory)) {
      ReplicationServiceGrpc.newStub(channels.channel(leaderServerId))
          .withDeadlineAfter(DEADLINE_MINUTES, TimeUnit.MINUTES)
          .fetchKvCheckpoint(request, parts);
      for (KvCheckpointPart part = next(parts, result); part != null; part = next(parts, result)) {
        take(receiver, part);
      }
      KvPosition position = receiver.finish();
      if (result.complete(position)) {
        receiver.keep();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      result.completeExceptionally(stopping(e));
    } catch (RuntimeException e) {
      result.completeExceptionally(StatusMapping.fromStatus(e));
    }
  }

  private @Nullable KvCheckpointPart next(IncomingParts parts, CompletableFuture<KvPosition> result)
      throws InterruptedException {
    KvCheckpointPart part = parts.next(() -> result.isDone() || closed);
    if (part != null) {
      pace.taken(part.getSerializedSize());
    }
    return part;
  }

  private static void take(SnapshotReceiver receiver, KvCheckpointPart part) {
    switch (part.getPartCase()) {
      case MANIFEST -> receiver.manifest(part.getManifest().toByteArray());
      case PIECE -> {
        FilePiece piece = part.getPiece();
        receiver.piece(
            piece.getName(), piece.getPosition(), piece.getContent().asReadOnlyByteBuffer());
      }
      case PART_NOT_SET ->
          throw new SluiceException(ErrorCode.UNSUPPORTED, "The leader sent a part of no kind");
    }
  }

  /** Ends what is being fetched, which removes it. */
  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.warn("Rows are still being fetched after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

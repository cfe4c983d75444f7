package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import io.sluice.tablet.kv.snapshot.SnapshotReceiver;
import io.sluice.tablet.replication.checkpoint.KvCheckpoints;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rows of a leader in the same process, which come at once unless a test wants otherwise. */
final class LocalCheckpoints implements KvCheckpoints {
  private final KvHost leader;
  private int fetches;
  private int failures;
  private UnaryOperator<ByteBuffer> change = content -> content;
  private int piecesBeforeBreak = Integer.MAX_VALUE;

  LocalCheckpoints(KvHost leader) {
    this.leader = leader;
  }

  int fetches() {
    return fetches;
  }

  int failures() {
    return failures;
  }

  /** What becomes of the bytes on their way. */
  void change(UnaryOperator<ByteBuffer> how) {
    change = how;
  }

  /** The stream breaks after so many pieces. */
  void breakAfter(int pieces) {
    piecesBeforeBreak = pieces;
  }

  @Override
  public CompletableFuture<KvPosition> fetch(
      TableBucket bucket, int leaderServerId, int leaderEpoch, Path directory) {
    fetches++;
    try (SnapshotCopy copy = leader.copyRows(bucket, leaderEpoch);
        SnapshotReceiver receiver = SnapshotReceiver.create(bucket, directory)) {
      byte[] manifest = new byte[copy.manifest().remaining()];
      copy.manifest().get(manifest);
      receiver.manifest(manifest);
      int pieces = 0;
      for (SnapshotCopy.Piece piece = copy.next(1000); piece != null; piece = copy.next(1000)) {
        if (pieces++ == piecesBeforeBreak) {
          throw new SluiceException(ErrorCode.UNAVAILABLE, "The stream broke");
        }
        receiver.piece(piece.name(), piece.position(), change.apply(piece.content()));
      }
      KvPosition position = receiver.finish();
      receiver.keep();
      return CompletableFuture.completedFuture(position);
    } catch (SluiceException e) {
      failures++;
      return CompletableFuture.failedFuture(e);
    }
  }
}

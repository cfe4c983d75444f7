package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A question for the last sequence of a writer. Waits in the bucket's queue like a put: what it is
 * answered with must still be true under another leader, so all that is stored now is committed
 * first.
 */
final class WriterQuery extends Put {
  private static final long WAIT_S = 30;
  private static final int BYTES = 1;

  private final long writerId;
  private final int writerEpoch;
  private final Answer answer;

  private WriterQuery(
      LocalReplica replica,
      AppendShard shard,
      int epoch,
      long writerId,
      int writerEpoch,
      Answer answer) {
    super(replica, shard, answer, epoch, BYTES);
    this.writerId = writerId;
    this.writerEpoch = writerEpoch;
    this.answer = answer;
  }

  /**
   * Asks.
   *
   * @param refusals of the replica
   * @param epoch epoch under which this server leads
   */
  static long ask(
      LocalReplica replica,
      AppendShard shard,
      Refusals refusals,
      int epoch,
      long writerId,
      int writerEpoch) {
    Answer answer = new Answer();
    shard.submit(new WriterQuery(replica, shard, epoch, writerId, writerEpoch, answer));
    try {
      return answer.await();
    } catch (TimeoutException e) {
      throw refusals.notCommitted(writerId, WAIT_S, e);
    }
  }

  @Override
  boolean store(PutQueue queue) {
    answer.sequence = queue.lastSequence(writerId, writerEpoch);
    storedAt(-1, false, queue.logEnd());
    return true;
  }

  @Override
  boolean waitsForVisible() {
    return true;
  }

  /** What the caller waits for. */
  private static final class Answer implements AppendCallback {
    private final CompletableFuture<Long> result = new CompletableFuture<>();
    // Of the shard's thread.
    private long sequence;

    @Override
    public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
      result.complete(sequence);
    }

    @Override
    public void refused(SluiceException why) {
      result.completeExceptionally(why);
    }

    long await() throws TimeoutException {
      try {
        return result.get(WAIT_S, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SluiceException failure) {
          throw failure;
        }
        throw new SluiceException(ErrorCode.INTERNAL, "The server failed: " + e.getCause(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SluiceException(ErrorCode.CANCELLED, "Interrupted while waiting", e);
      }
    }
  }
}

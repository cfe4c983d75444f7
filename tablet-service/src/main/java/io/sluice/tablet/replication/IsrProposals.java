package io.sluice.tablet.replication;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way of a leader's proposals to the coordinator. Thread-safe, never blocks. */
@FunctionalInterface
public interface IsrProposals {
  /**
   * Asks for a change, again and again while no coordinator answers: an answer that was lost may
   * have been an acceptance. Proposals of many buckets travel together.
   *
   * @param then called once, on any thread, when the coordinator has answered; not at all once this
   *     server stops
   */
  void ask(TableBucket bucket, IsrTracker.Proposal proposal, Consumer<Decision> then);

  /**
   * The coordinator's answer.
   *
   * @param refusal null when it was accepted
   * @param now the bucket as the coordinator has it; null when it does not exist
   */
  record Decision(@Nullable SluiceException refusal, @Nullable BucketState now) {}

  /** A bucket as the coordinator has it. */
  record BucketState(
      int leaderServerId,
      int leaderEpoch,
      List<Integer> replicas,
      List<Integer> isr,
      int isrVersion,
      int minInsync) {}
}

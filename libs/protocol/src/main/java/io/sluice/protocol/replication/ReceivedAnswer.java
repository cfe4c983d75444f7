package io.sluice.protocol.replication;

import io.sluice.protocol.replication.v1.FetchAnswer;
import java.util.List;

/**
 * A {@link FetchAnswer} as it was received. Owns the memory of its buckets until each is closed.
 *
 * @param answerId number of the answer in its stream, from 1
 * @param buckets what is new, each bucket at most once
 * @param wireBytes size of the message
 */
public record ReceivedAnswer(long answerId, List<ReceivedBucket> buckets, int wireBytes)
    implements AutoCloseable {
  public ReceivedAnswer {
    buckets = List.copyOf(buckets);
  }

  /** Gives back what was not closed yet. */
  @Override
  public void close() {
    buckets.forEach(ReceivedBucket::close);
  }
}

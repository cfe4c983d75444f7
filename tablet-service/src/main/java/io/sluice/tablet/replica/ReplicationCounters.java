package io.sluice.tablet.replica;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has happened to in-sync sets and logs of this server since its start. Thread-safe. */
public final class ReplicationCounters {
  private static final Logger log = LoggerFactory.getLogger(ReplicationCounters.class);

  private final LongAdder shrinks = new LongAdder();
  private final LongAdder expands = new LongAdder();
  private final LongAdder holes = new LongAdder();
  private final LongAdder cuts = new LongAdder();
  private final LongAdder rebuilds = new LongAdder();
  // Of who tells.
  private long toldShrinks;
  private long toldExpands;

  ReplicationCounters() {}

  void isrChanged(int left, int joined) {
    shrinks.add(left);
    expands.add(joined);
  }

  /** Logs how in-sync sets have changed since the last call, if they have. One thread only. */
  void tell() {
    long left = shrinks() - toldShrinks;
    long joined = expands() - toldExpands;
    if (left > 0 || joined > 0) {
      log.info("In-sync sets led from here: {} replicas joined, {} left", joined, left);
      toldShrinks += left;
      toldExpands += joined;
    }
  }

  void hole() {
    holes.increment();
  }

  void cut() {
    cuts.increment();
  }

  void rebuilt() {
    rebuilds.increment();
  }

  /** Replicas that left an in-sync set led from here. */
  public long shrinks() {
    return shrinks.sum();
  }

  /** Replicas that joined an in-sync set led from here. */
  public long expands() {
    return expands.sum();
  }

  /** Times that records were found lost: offsets were skipped so that none is used twice. */
  public long holes() {
    return holes.sum();
  }

  /** Times that a follower cut its log because its leader did not have the end of it. */
  public long cuts() {
    return cuts.sum();
  }

  /** Replicas begun anew because they were damaged. */
  public long rebuilds() {
    return rebuilds.sum();
  }
}

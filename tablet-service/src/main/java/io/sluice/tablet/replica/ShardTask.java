package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;

/** Work for a shard's thread. */
interface ShardTask {
  /** Bytes that count against the shard's limit; 0 for work that is never refused. */
  int bytes();

  /** Does the work; on the shard's thread. */
  void run();

  /** Answers without having done the work: the shard has stopped or the work failed. */
  void abandon(SluiceException why);
}

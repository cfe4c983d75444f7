package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import java.util.function.Consumer;

/**
 * Work on a shard's thread whose caller must hear of it in any case, without being waited for.
 *
 * @param work tells the caller itself
 * @param abandoned tells the caller that it was not done
 */
record ShardCall(Runnable work, Consumer<SluiceException> abandoned) implements ShardTask {
  @Override
  public int bytes() {
    return 0;
  }

  @Override
  public void run() {
    work.run();
  }

  @Override
  public void abandon(SluiceException why) {
    abandoned.accept(why);
  }
}

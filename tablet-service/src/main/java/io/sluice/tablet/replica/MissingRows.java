package io.sluice.tablet.replica;

import java.util.List;

/** Makes the rows of keys that have none; answered when all of them are visible. */
final class MissingRows extends Put {
  private static final int KEY_OVERHEAD = 64;

  private final List<byte[]> keys;

  MissingRows(
      LocalReplica replica,
      AppendShard shard,
      List<byte[]> keys,
      AppendCallback callback,
      int epoch) {
    super(replica, shard, callback, epoch, bytes(keys));
    this.keys = keys;
  }

  private static int bytes(List<byte[]> keys) {
    long bytes = 0;
    for (byte[] key : keys) {
      bytes += KEY_OVERHEAD + key.length;
    }
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  /** Encoded keys of the rows. */
  List<byte[]> keys() {
    return keys;
  }

  @Override
  boolean store(PutQueue queue) {
    return queue.makeRows(this);
  }

  @Override
  boolean waitsForVisible() {
    return true;
  }
}

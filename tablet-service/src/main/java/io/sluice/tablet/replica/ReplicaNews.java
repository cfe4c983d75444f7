package io.sluice.tablet.replica;

import java.util.function.Supplier;

/**
 * Who wants to hear of a replica: readers, when what they see or its role changes; those that serve
 * followers, when log end, committed or leadership change. However much happens in a turn of the
 * shard, they hear of it once, at its end. Listeners come and go on any thread.
 */
final class ReplicaNews {
  private final AppendShard shard;
  private final Supplier<String> name;
  private final Listeners readers = new Listeners();
  private final Listeners followers = new Listeners();
  // Of the shard's thread.
  private boolean telling;
  private boolean readersWait;
  private boolean followersWait;

  /**
   * @param name how messages name the bucket
   */
  ReplicaNews(AppendShard shard, Supplier<String> name) {
    this.shard = shard;
    this.name = name;
  }

  Listeners readers() {
    return readers;
  }

  Listeners followers() {
    return followers;
  }

  /** There is something for readers; shard's thread only. */
  void forReaders() {
    readersWait = true;
    tellLater();
  }

  /** There is something for followers; shard's thread only. */
  void forFollowers() {
    followersWait = true;
    tellLater();
  }

  private void tellLater() {
    if (!telling) {
      telling = true;
      shard.tellLater(this);
    }
  }

  /** Tells those that waited for the end of the shard's turn. */
  void tell() {
    telling = false;
    if (followersWait) {
      followersWait = false;
      followers.tell(name);
    }
    if (readersWait) {
      readersWait = false;
      tellReaders();
    }
  }

  /** Tells readers at once; on any thread. */
  void tellReaders() {
    readers.tell(name);
  }
}

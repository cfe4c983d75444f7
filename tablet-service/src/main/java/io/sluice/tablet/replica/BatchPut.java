package io.sluice.tablet.replica;

/** A put of a batch. */
final class BatchPut extends Put {
  private final AppendRequest request;

  BatchPut(
      LocalReplica replica,
      AppendShard shard,
      AppendRequest request,
      AppendCallback callback,
      int epoch) {
    super(replica, shard, callback, epoch, request.header().length());
    this.request = request;
  }

  AppendRequest request() {
    return request;
  }

  @Override
  boolean store(PutQueue queue) {
    return queue.decide(this);
  }

  @Override
  boolean waitsForVisible() {
    return request.waitForVisible();
  }
}

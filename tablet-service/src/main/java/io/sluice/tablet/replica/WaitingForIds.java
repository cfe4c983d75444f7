package io.sluice.tablet.replica;

/** The puts of a replica that wait for ids, as the source of the ids sees them. */
record WaitingForIds(LocalReplica replica) implements GrantedIds.Listener {
  @Override
  public void onShard(Runnable work) {
    replica.onShard(work);
  }

  @Override
  public void goOn() {
    replica.puts().resume();
  }
}

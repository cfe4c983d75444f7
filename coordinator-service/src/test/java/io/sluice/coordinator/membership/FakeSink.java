package io.sluice.coordinator.membership;

import io.sluice.common.SluiceException;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import java.util.ArrayList;
import java.util.List;

/** Keeps what would have been sent: news of other servers and answers to heartbeats apart. */
final class FakeSink implements DeltaSink {
  final List<CoordinatorMessage> sent = new ArrayList<>();

  /** Deltas that say nothing but what became of servers. */
  final List<Delta> serverNews = new ArrayList<>();

  int alive;
  boolean ready = true;
  boolean completed;
  SluiceException failure;

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public void send(CoordinatorMessage message) {
    if (message.hasAlive()) {
      alive++;
    } else if (message.hasDelta()
        && TabletViews.isEmpty(message.getDelta().toBuilder().clearServers().build())) {
      serverNews.add(message.getDelta());
    } else {
      sent.add(message);
    }
  }

  @Override
  public void fail(SluiceException reason) {
    failure = reason;
  }

  @Override
  public void complete() {
    completed = true;
  }

  Image image(int position) {
    return sent.get(position).getImage();
  }

  Delta delta(int position) {
    return sent.get(position).getDelta();
  }
}

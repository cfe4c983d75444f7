package io.sluice.coordinator.membership;

import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.TabletMessage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a tablet server: connected, then registering (its command is on the way), then open
 * (gets state), then ended. A stream is ended once, for one of: a newer registration of its server,
 * its session's expiry, its own close, this coordinator no longer leading.
 *
 * <p>The transport calls {@link #received}, {@link #closedByPeer} and {@link #failed}; the rest is
 * owned by {@link TabletSessions} and guarded by its lock, but for what is marked as the agent's.
 */
public final class TabletSession {
  enum State {
    CONNECTED,
    REGISTERING,
    OPEN,
    ENDED
  }

  private final TabletSessions sessions;
  private final DeltaSink sink;
  State state = State.CONNECTED;
  int serverId;
  String incarnation = "";

  /** Replicas that the server reports as offline, with the reason. */
  volatile Map<TableBucket, String> offline = Map.of();

  /** What the server's replicas take on its disks. */
  long diskUsedBytes;

  /** A heartbeat came that was not answered yet. */
  boolean answerDue;

  /** The server has said that it is about to stop. */
  volatile boolean leaving;

  /** Whether a command about what the server reports is on its way. */
  final AtomicBoolean reporting = new AtomicBoolean();

  /** The agent's: index of the newest state sent, -1 when an image has to be sent. */
  long sentIndex = -1;

  /** The agent's: directories to compare with the state in the first delta. */
  List<TableBucket> directories = List.of();

  TabletSession(TabletSessions sessions, DeltaSink sink) {
    this.sessions = sessions;
    this.sink = sink;
  }

  DeltaSink sink() {
    return sink;
  }

  /** A message came up. */
  public void received(TabletMessage message) {
    sessions.received(this, message);
  }

  /** The server closed the stream in order: it stops and its session ends now. */
  public void closedByPeer() {
    sessions.closedByPeer(this);
  }

  /** The stream broke: the session goes on until it expires. */
  public void failed(@Nullable Throwable cause) {
    sessions.failed(this, cause);
  }

  @Override
  public String toString() {
    return "tablet " + serverId + " (" + incarnation + ")";
  }
}

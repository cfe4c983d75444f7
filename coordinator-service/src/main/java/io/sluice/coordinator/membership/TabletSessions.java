package io.sluice.coordinator.membership;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.protocol.cluster.v1.Alive;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.TabletMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the sessions of tablet servers while this coordinator leads.
 *
 * <p>A session belongs to a server's incarnation. It is opened by a registration that went through
 * Raft and lives as long as heartbeats come, whatever happens to the stream; after the time-out one
 * command ends it. A newer registration of the same server id wins: the older stream is ended with
 * an error. When this coordinator begins to lead, every live server has a full time-out to come.
 *
 * <p>Messages to a stream are sent by the agent alone, and only while its transport is ready: a
 * slow reader costs no memory, it gets one larger delta later. The lock is never held while a
 * command is submitted or a message sent.
 */
public final class TabletSessions implements MetadataLog.Listener, Agent {
  private static final Logger LOG = LoggerFactory.getLogger(TabletSessions.class);
  private static final int HISTORY = 4096;

  private final MetadataLog log;
  private final TimeSource time;
  private final long timeoutMs;
  private final SessionClocks clocks;
  private final ServerReports reports;
  private final ChangeHistory history = new ChangeHistory(HISTORY);
  private final Map<Integer, TabletSession> open = new HashMap<>();
  private final ArrayDeque<Ending> endings = new ArrayDeque<>();
  private boolean leading;
  private volatile Runnable wake = () -> {};

  /** A stream to end; without a failure it ends in order. */
  private record Ending(TabletSession session, @Nullable SluiceException failure) {}

  public TabletSessions(MetadataLog log, TimeSource time, Duration sessionTimeout) {
    this.log = log;
    this.time = time;
    this.timeoutMs = sessionTimeout.toMillis();
    this.clocks = new SessionClocks(time, sessionTimeout.toNanos());
    this.reports = new ServerReports(log);
  }

  /** Says how the agent's thread is woken; before the first stream. */
  public void wakeWith(Runnable action) {
    wake = action;
  }

  /** A stream was opened. */
  public TabletSession connect(DeltaSink sink) {
    return new TabletSession(this, sink);
  }

  /** Replicas that live servers report as offline, with the reason. */
  public synchronized Map<TableBucket, String> offlineReplicas() {
    Map<TableBucket, String> all = new TreeMap<>();
    open.values().forEach(session -> all.putAll(session.offline));
    return all;
  }

  /** Whether a live server reports its own replica of the bucket as offline. */
  public synchronized boolean isOffline(int serverId, TableBucket bucket) {
    TabletSession session = open.get(serverId);
    return session != null && session.offline.containsKey(bucket);
  }

  /** What the replicas of a live server take on its disks, 0 when that is not known. */
  public synchronized long diskUsedBytes(int serverId) {
    TabletSession session = open.get(serverId);
    return session == null ? 0 : session.diskUsedBytes;
  }

  /** The transport can take messages again. */
  public void ready() {
    wake.run();
  }

  void received(TabletSession session, TabletMessage message) {
    switch (message.getMessageCase()) {
      case REGISTER -> register(session, message.getRegister());
      case HEARTBEAT -> heartbeat(session, message.getHeartbeat());
      case LEAVING -> leaving(session);
      case MESSAGE_NOT_SET ->
          end(session, new SluiceException(ErrorCode.INVALID_ARGUMENT, "The message is empty"));
    }
  }

  private void register(TabletSession session, RegisterTablet message) {
    SluiceException elsewhere = log.notLeading();
    if (elsewhere != null) {
      end(session, elsewhere);
      return;
    }
    TabletServer.Registration registration;
    List<TableBucket> directories;
    try {
      registration = Registrations.check(message, log.current().state());
      directories = Registrations.directories(message);
    } catch (SluiceException refused) {
      LOG.warn("Registration refused: {}", refused.getMessage());
      end(session, refused);
      return;
    }
    synchronized (this) {
      if (session.state != TabletSession.State.CONNECTED) {
        endings.add(
            new Ending(
                session,
                new SluiceException(
                    ErrorCode.INVALID_ARGUMENT, "A stream registers once, " + session + " again")));
        return;
      }
      session.state = TabletSession.State.REGISTERING;
      session.serverId = registration.serverId();
      session.incarnation = registration.incarnation();
    }
    // A server that knows no cluster has nothing on its disk.
    boolean emptyDisk = message.getClusterId().isEmpty();
    log.submit(new Command.RegisterServer(registration, time.epochMs(), emptyDisk))
        .whenComplete(
            (applied, failure) -> {
              if (failure == null) {
                opened(session, message, directories, applied.index());
              } else {
                end(session, asSluice(failure));
              }
            });
  }

  private void opened(
      TabletSession session, RegisterTablet message, List<TableBucket> directories, long index) {
    if (message.getLastIndex() > index) {
      end(
          session,
          new SluiceException(
              ErrorCode.CORRUPT_STORAGE,
              session
                  + " has applied metadata index "
                  + message.getLastIndex()
                  + ", this coordinator is at "
                  + index
                  + ": its metadata was rolled back; restore it before the tablet may go on"));
      return;
    }
    synchronized (this) {
      if (session.state != TabletSession.State.REGISTERING) {
        return;
      }
      if (!leading) {
        // Nobody would end it any more, and the tablet would not look for the one that leads.
        endings.add(new Ending(session, noLongerLeads()));
        session.state = TabletSession.State.ENDED;
        wake.run();
        return;
      }
      TabletServer current = history.image().state().servers().get(session.serverId);
      if (current != null && !current.registration().incarnation().equals(session.incarnation)) {
        endings.add(new Ending(session, replaced(session, current.registration().incarnation())));
        session.state = TabletSession.State.ENDED;
        wake.run();
        return;
      }
      session.state = TabletSession.State.OPEN;
      boolean resumes = message.getLastIndex() > 0 && !message.getClusterId().isEmpty();
      session.sentIndex = resumes ? message.getLastIndex() : -1;
      session.directories = directories;
      TabletSession older = open.put(session.serverId, session);
      if (older != null) {
        older.state = TabletSession.State.ENDED;
        endings.add(new Ending(older, replaced(older, session.incarnation)));
      }
      clocks.opened(session.serverId, session.incarnation);
    }
    LOG.info(
        "{} registered at index {}: {}:{}, last index {}",
        session,
        index,
        message.getHost(),
        message.getFlightPort(),
        message.getLastIndex());
    wake.run();
  }

  private static SluiceException replaced(TabletSession older, String newer) {
    return new SluiceException(
        ErrorCode.FENCED_LEADER_EPOCH,
        older + " was replaced by a newer registration of the same id, incarnation " + newer);
  }

  private void heartbeat(TabletSession session, Heartbeat message) {
    Map<TableBucket, String> offline = ServerReports.offline(message);
    Map<TableBucket, String> before;
    synchronized (this) {
      if (session.state != TabletSession.State.OPEN) {
        return;
      }
      clocks.heard(session.serverId, session.incarnation);
      before = session.offline;
      session.offline = offline;
      session.diskUsedBytes = message.getDiskUsedBytes();
      session.answerDue = true;
    }
    offline.forEach(
        (bucket, reason) -> {
          if (!before.containsKey(bucket)) {
            LOG.error("Replica {} on {} is offline: {}", bucket, session, reason);
          }
        });
    reports.report(session);
    wake.run();
  }

  private void leaving(TabletSession session) {
    boolean first;
    synchronized (this) {
      if (session.state != TabletSession.State.OPEN) {
        return;
      }
      clocks.heard(session.serverId, session.incarnation);
      first = !session.leaving;
      session.leaving = true;
    }
    if (first) {
      LOG.info("{} is about to stop and hands over what it leads", session);
    }
    reports.leaving(session);
  }

  void closedByPeer(TabletSession session) {
    boolean ends;
    synchronized (this) {
      ends = session.state == TabletSession.State.OPEN && open.remove(session.serverId, session);
      session.state = TabletSession.State.ENDED;
      endings.add(new Ending(session, null));
    }
    if (ends) {
      LOG.info("{} stops: its session ends", session);
      endSession(session.serverId, session.incarnation);
    }
    wake.run();
  }

  void failed(TabletSession session, @Nullable Throwable cause) {
    synchronized (this) {
      open.remove(session.serverId, session);
      session.state = TabletSession.State.ENDED;
    }
    LOG.info("Stream of {} broke: {}", session, String.valueOf(cause));
  }

  private void end(TabletSession session, SluiceException failure) {
    synchronized (this) {
      open.remove(session.serverId, session);
      session.state = TabletSession.State.ENDED;
      endings.add(new Ending(session, failure));
    }
    wake.run();
  }

  @Override
  public String name() {
    return "tablet-sessions";
  }

  @Override
  public int doWork() {
    return sendEndings() + publish() + expire();
  }

  private int sendEndings() {
    List<Ending> now;
    synchronized (this) {
      now = new ArrayList<>(endings);
      endings.clear();
    }
    for (Ending ending : now) {
      if (ending.failure() == null) {
        ending.session().sink().complete();
      } else {
        ending.session().sink().fail(ending.failure());
      }
    }
    return now.size();
  }

  private int publish() {
    List<TabletSession> targets;
    synchronized (this) {
      targets = new ArrayList<>(open.values());
    }
    int sent = 0;
    for (TabletSession session : targets) {
      sent += answer(session);
      if (session.sink().isReady() && history.image().index() > session.sentIndex) {
        sent += publish(session);
      }
    }
    return sent;
  }

  /** Answers the newest heartbeat: the tablet learns that this coordinator still leads. */
  private int answer(TabletSession session) {
    synchronized (this) {
      if (!session.answerDue || !session.sink().isReady()) {
        return 0;
      }
      session.answerDue = false;
    }
    session
        .sink()
        .send(CoordinatorMessage.newBuilder().setAlive(Alive.getDefaultInstance()).build());
    return 1;
  }

  private int publish(TabletSession session) {
    ChangeHistory.Since since = session.sentIndex < 0 ? null : history.since(session.sentIndex);
    if (since == null) {
      MetadataImage image = history.image();
      session.directories = List.of();
      session.sentIndex = image.index();
      session
          .sink()
          .send(
              CoordinatorMessage.newBuilder()
                  .setImage(TabletViews.image(image, session.serverId))
                  .build());
      return 1;
    }
    Delta delta =
        TabletViews.delta(since.image(), session.serverId, since.events(), session.directories);
    session.directories = List.of();
    session.sentIndex = since.image().index();
    if (TabletViews.isEmpty(delta)) {
      return 0;
    }
    session.sink().send(CoordinatorMessage.newBuilder().setDelta(delta).build());
    return 1;
  }

  private int expire() {
    synchronized (this) {
      if (!leading) {
        return 0;
      }
    }
    List<TabletServer> expired = clocks.expired(history.image().state());
    for (TabletServer server : expired) {
      LOG.warn(
          "Tablet {} ({}) was silent for longer than {} ms: its session ends",
          server.serverId(),
          server.registration().incarnation(),
          timeoutMs);
      endSession(server.serverId(), server.registration().incarnation());
    }
    return expired.size();
  }

  private void endSession(int serverId, String incarnation) {
    log.submit(new Command.EndSession(serverId, incarnation))
        .whenComplete(
            (applied, failure) -> {
              if (failure != null) {
                clocks.notEnded(serverId, incarnation);
                LOG.warn(
                    "Session of tablet {} ({}) cannot be ended yet: {}",
                    serverId,
                    incarnation,
                    asSluice(failure).getMessage());
              }
            });
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    history.append(image, events);
    synchronized (this) {
      if (!leading) {
        return;
      }
      events.forEach(this::report);
    }
    wake.run();
  }

  private void report(Event event) {
    if (event instanceof Event.SessionEnded ended) {
      LOG.warn("Session of tablet {} ({}) ended", ended.serverId(), ended.incarnation());
      clocks.ended(ended.serverId());
      TabletSession session = open.get(ended.serverId());
      if (session != null && session.incarnation.equals(ended.incarnation())) {
        open.remove(ended.serverId());
        session.state = TabletSession.State.ENDED;
        endings.add(
            new Ending(
                session,
                new SluiceException(
                    ErrorCode.UNAVAILABLE,
                    "The session of " + session + " ended; register again")));
      }
    } else if (event instanceof Event.UncleanElection election) {
      LOG.error(
          "DATA_MAYBE_LOST: tablet {} was made leader of bucket {} by an explicit call; in sync were"
              + " {}",
          election.serverId(),
          election.bucket(),
          election.isr());
    } else if (event instanceof Event.DataMaybeLost lost) {
      LOG.error(
          "DATA_MAYBE_LOST: tablet {} came back after a power loss, or with an empty disk, as the"
              + " only one in sync of {} buckets, the first being {}",
          lost.serverId(),
          lost.buckets().size(),
          lost.buckets().get(0));
    }
  }

  @Override
  public void replaced(MetadataImage image) {
    history.replace(image);
    wake.run();
  }

  @Override
  public void leading() {
    synchronized (this) {
      leading = true;
      clocks.restart();
    }
    wake.run();
  }

  @Override
  public void following() {
    endAll(noLongerLeads());
  }

  private static SluiceException noLongerLeads() {
    return new SluiceException(
        ErrorCode.NOT_COORDINATOR_LEADER,
        "This coordinator does not lead (any more); register with the one that does");
  }

  private void endAll(SluiceException failure) {
    synchronized (this) {
      leading = false;
      clocks.restart();
      for (TabletSession session : open.values()) {
        session.state = TabletSession.State.ENDED;
        endings.add(new Ending(session, failure));
      }
      open.clear();
    }
    wake.run();
  }

  /** Ends every stream; called when the agent's thread has stopped. */
  @Override
  public void close() {
    endAll(
        new SluiceException(
            ErrorCode.UNAVAILABLE, "The coordinator stops; register again when it is back"));
    sendEndings();
  }

  private static SluiceException asSluice(Throwable failure) {
    SluiceException found = SluiceException.findIn(failure);
    return found != null
        ? found
        : new SluiceException(ErrorCode.INTERNAL, "Registration failed: " + failure, failure);
  }
}

package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.List;

/** The part of the state machine that is about tablet servers and their sessions. */
final class ServerTransitions {
  private ServerTransitions() {}

  static Transition apply(ClusterState state, Command.ForServer command) {
    if (command instanceof Command.RegisterServer register) {
      return register(state, register);
    }
    if (command instanceof Command.EndSession end) {
      return endSession(state, end);
    }
    if (command instanceof Command.Leaving leaving) {
      return leaving(state, leaving);
    }
    return setState(state, (Command.SetServerState) command);
  }

  private static Transition register(ClusterState state, Command.RegisterServer command) {
    TabletServer.Registration registration = command.registration();
    int serverId = registration.serverId();
    TabletServer before = state.servers().get(serverId);
    boolean restarted =
        before == null || !before.registration().incarnation().equals(registration.incarnation());
    boolean powerLost =
        before != null
            && !before.registration().bootId().equals(registration.bootId())
            && !registration.cleanStop();
    boolean mayLack = restarted && before != null && (powerLost || command.emptyDisk());
    ClusterState alive =
        state.withServer(
            new TabletServer(
                registration,
                command.nowMs(),
                true,
                before != null && !restarted && before.leaving(),
                before == null ? ServerState.ACTIVE : before.state()));
    BucketChanges changes =
        Elections.registered(alive, serverId, restarted, mayLack, command.emptyDisk());
    List<Event> events = new ArrayList<>();
    events.add(new Event.ServerRegistered(serverId, registration.incarnation()));
    changes.addTo(events);
    if (mayLack) {
      List<TableBucket> onlyCopies = Elections.onlyCopies(changes.state(), serverId);
      if (!onlyCopies.isEmpty()) {
        events.add(new Event.DataMaybeLost(serverId, onlyCopies));
      }
    }
    return Transition.accepted(changes.state(), 0, 0, events);
  }

  private static Transition endSession(ClusterState state, Command.EndSession command) {
    TabletServer server = state.servers().get(command.serverId());
    if (server == null || !server.isLive(command.incarnation())) {
      return Transition.accepted(state);
    }
    BucketChanges changes =
        Elections.sessionEnded(state.withServer(server.gone()), command.serverId());
    List<Event> events = new ArrayList<>();
    events.add(new Event.SessionEnded(command.serverId(), command.incarnation()));
    changes.addTo(events);
    return Transition.accepted(changes.state(), 0, 0, events);
  }

  private static Transition leaving(ClusterState state, Command.Leaving command) {
    TabletServer server = state.servers().get(command.serverId());
    if (server == null || !server.isLive(command.incarnation())) {
      return Transition.accepted(state);
    }
    // Said again it hands over what it could not before: somebody may be in sync by now.
    ClusterState leaving = server.leaving() ? state : state.withServer(server.aboutToLeave());
    BucketChanges changes = Elections.leaving(leaving, command.serverId());
    List<Event> events = new ArrayList<>();
    changes.addTo(events);
    return Transition.accepted(changes.state(), 0, 0, events);
  }

  private static Transition setState(ClusterState state, Command.SetServerState command) {
    int serverId = command.serverId();
    TabletServer server = state.servers().get(serverId);
    if (server == null) {
      return Transition.rejected(state, ErrorCode.NOT_FOUND, state.noSuchServer(serverId));
    }
    boolean decommission = command.state() == ServerState.DECOMMISSIONED;
    if (decommission) {
      int held = ServerLoads.of(state).replicas(serverId);
      if (held > 0) {
        return Transition.rejected(
            state,
            ErrorCode.INVALID_ARGUMENT,
            "Tablet server "
                + serverId
                + " still holds "
                + held
                + (held == 1 ? " replica" : " replicas")
                + "; drain it first, it can be decommissioned when it holds none");
      }
    }
    if (server.state() == command.state() && (!decommission || server.alive())) {
      return Transition.accepted(state);
    }
    return Transition.accepted(
        decommission && !server.alive()
            ? state.withoutServer(serverId)
            : state.withServer(server.withState(command.state())),
        new Event.ServerStateChanged(serverId, command.state()));
  }
}

package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import java.util.List;

/**
 * What applying a command gives.
 *
 * @param state the state after it
 * @param outcome whether it holds
 * @param events what it changed, empty when nothing
 */
public record Transition(ClusterState state, Outcome outcome, List<Event> events) {
  public Transition {
    events = List.copyOf(events);
  }

  static Transition accepted(ClusterState state, Event... events) {
    return accepted(state, 0, 0, List.of(events));
  }

  static Transition accepted(ClusterState state, long id, int epoch, List<Event> events) {
    return new Transition(state, new Outcome.Accepted(id, epoch), events);
  }

  static Transition rejected(ClusterState unchanged, ErrorCode code, String message) {
    return new Transition(unchanged, new Outcome.Rejected(code, message), List.of());
  }
}

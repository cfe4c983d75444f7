package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Outcome.Decision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The part of the state machine that is about replicas of buckets that are there: who is in sync,
 * who leads, and where they move to.
 */
final class ReplicaTransitions {
  private ReplicaTransitions() {}

  static Transition apply(ClusterState state, Command.ForReplicas command) {
    if (command instanceof Command.AlterIsr alter) {
      return each(
          state,
          alter.changes(),
          Command.IsrChange::bucket,
          (change, bucket) -> alterIsr(state, alter.serverId(), change, bucket));
    }
    if (command instanceof Command.ReplicasOffline offline) {
      return offline(state, offline);
    }
    if (command instanceof Command.Reassign reassign) {
      return each(
          state,
          reassign.moves(),
          Command.Move::bucket,
          (move, bucket) -> reassign(state, move, bucket));
    }
    if (command instanceof Command.CancelReassign cancel) {
      return each(
          state, cancel.buckets(), Function.identity(), (id, bucket) -> cancel(state, id, bucket));
    }
    if (command instanceof Command.ElectPreferred elect) {
      return each(
          state,
          elect.buckets(),
          Function.identity(),
          (id, bucket) -> Change.to(preferred(state, bucket)));
    }
    return unclean(state, (Command.ElectUnclean) command);
  }

  /** What becomes of one bucket: it changes, or the change is refused. */
  private record Change(@Nullable Bucket after, Decision decision) {
    static Change to(Bucket after) {
      return new Change(after, Decision.DONE);
    }

    static Change refused(ErrorCode code, String message) {
      return new Change(null, new Decision(code, message));
    }
  }

  /** Decides about one bucket. */
  @FunctionalInterface
  private interface Rule<T> {
    Change decide(T wanted, Bucket bucket);
  }

  private static <T> Transition each(
      ClusterState state, List<T> wanted, Function<T, TableBucket> bucketOf, Rule<T> rule) {
    BucketChanges changes = new BucketChanges(state);
    List<Decision> decisions = new ArrayList<>(wanted.size());
    for (T one : wanted) {
      TableBucket id = bucketOf.apply(one);
      Bucket bucket = changes.get(id);
      Change change = bucket == null ? notFound(id) : rule.decide(one, bucket);
      if (bucket != null && change.after() != null) {
        changes.put(id, bucket, change.after());
      }
      decisions.add(change.decision());
    }
    List<Event> events = new ArrayList<>();
    changes.addTo(events);
    return new Transition(changes.state(), new Outcome.Accepted(0, 0, 0, decisions), events);
  }

  private static Change notFound(TableBucket id) {
    return Change.refused(
        ErrorCode.BUCKET_NOT_FOUND,
        "There is no bucket " + id + "; its table or partition may have been dropped");
  }

  private static Change alterIsr(
      ClusterState state, int serverId, Command.IsrChange change, Bucket bucket) {
    if (bucket.leader() != serverId || bucket.leaderEpoch() != change.leaderEpoch()) {
      return Change.refused(
          ErrorCode.FENCED_LEADER_EPOCH,
          "Server "
              + serverId
              + " does not lead bucket "
              + change.bucket()
              + " in epoch "
              + change.leaderEpoch()
              + ": "
              + (bucket.hasLeader() ? "server " + bucket.leader() + " does" : "nobody does")
              + " in epoch "
              + bucket.leaderEpoch());
    }
    if (bucket.isrVersion() != change.isrVersion()) {
      return Change.refused(
          ErrorCode.STALE_ISR,
          "Bucket "
              + change.bucket()
              + " is at version "
              + bucket.isrVersion()
              + " of its in-sync replicas, not "
              + change.isrVersion());
    }
    List<Integer> members = change.isr().stream().map(Command.IsrMember::serverId).toList();
    if (!members.contains(serverId)
        || !bucket.replicas().containsAll(members)
        || hasDuplicates(members)) {
      return Change.refused(
          ErrorCode.INVALID_ARGUMENT,
          "In-sync replicas "
              + members
              + " of bucket "
              + change.bucket()
              + " must be some of its replicas "
              + bucket.replicas()
              + ", its leader "
              + serverId
              + " among them");
    }
    for (Command.IsrMember member : change.isr()) {
      boolean comesIn = !bucket.isr().contains(member.serverId());
      if (comesIn && !state.isLive(member.serverId(), member.incarnation())) {
        return Change.refused(
            ErrorCode.STALE_INCARNATION,
            "Server "
                + member.serverId()
                + " is not alive as incarnation "
                + member.incarnation()
                + "; it cannot be taken into the in-sync replicas of bucket "
                + change.bucket());
      }
    }
    return Change.to(arrived(state, bucket.withIsr(members)));
  }

  /** The bucket at the end of its move, if there is nothing left to wait for. */
  private static Bucket arrived(ClusterState state, Bucket bucket) {
    return bucket.arrived() ? ledOn(state, bucket, bucket.moved()) : bucket;
  }

  /** With a new leader, if the move took the one it had. */
  private static Bucket ledOn(ClusterState state, Bucket before, Bucket after) {
    return before.hasLeader() && !after.hasLeader()
        ? after.elected(Elections.candidate(state, after, Bucket.NO_LEADER))
        : Elections.led(state, after);
  }

  private static Transition offline(ClusterState state, Command.ReplicasOffline command) {
    if (!state.isLive(command.serverId(), command.incarnation())) {
      return each(state, command.buckets(), Function.identity(), (id, bucket) -> Change.to(bucket));
    }
    int serverId = command.serverId();
    return each(
        state,
        command.buckets(),
        Function.identity(),
        (id, bucket) ->
            Change.to(
                bucket.isr().contains(serverId)
                    ? Elections.handedOver(state, bucket, serverId)
                    : bucket));
  }

  private static Change reassign(ClusterState state, Command.Move move, Bucket bucket) {
    List<Integer> target = move.target();
    if (target.isEmpty() || hasDuplicates(target)) {
      return Change.refused(
          ErrorCode.INVALID_ARGUMENT,
          "Bucket "
              + move.bucket()
              + " cannot be moved to "
              + target
              + "; name at least one server, and each once");
    }
    List<Integer> unfit =
        target.stream()
            .filter(server -> !bucket.replicas().contains(server) && !state.takesReplicas(server))
            .toList();
    if (!unfit.isEmpty()) {
      return Change.refused(
          ErrorCode.NOT_ENOUGH_SERVERS,
          "Bucket "
              + move.bucket()
              + " cannot be moved to "
              + names(unfit)
              + ", which must be alive and must neither leave nor drain");
    }
    if (target.equals(bucket.moving() ? bucket.target() : bucket.replicas())) {
      return Change.to(bucket);
    }
    List<Integer> before = bucket.before();
    if (bucket.isr().stream().noneMatch(m -> before.contains(m) || target.contains(m))) {
      return noneInSync(move.bucket(), bucket);
    }
    Bucket moving = bucket.movingTo(target);
    return Change.to(arrived(state, ledOn(state, bucket, moving)));
  }

  private static Change cancel(ClusterState state, TableBucket id, Bucket bucket) {
    if (!bucket.moving()) {
      return Change.to(bucket);
    }
    List<Integer> before = bucket.before();
    if (bucket.isr().stream().noneMatch(before::contains)) {
      return noneInSync(id, bucket);
    }
    return Change.to(ledOn(state, bucket, bucket.cancelled()));
  }

  private static Change noneInSync(TableBucket id, Bucket bucket) {
    return Change.refused(
        ErrorCode.NOT_ENOUGH_REPLICAS,
        "The move of bucket "
            + id
            + " cannot be given up now: of its replicas only "
            + names(bucket.isr())
            + " have all committed records, and they would leave; wait until another one is in"
            + " sync");
  }

  private static Bucket preferred(ClusterState state, Bucket bucket) {
    int leader = Elections.candidate(state, bucket, Bucket.NO_LEADER);
    return leader == Bucket.NO_LEADER || leader == bucket.leader()
        ? bucket
        : bucket.elected(leader);
  }

  private static Transition unclean(ClusterState state, Command.ElectUnclean command) {
    int serverId = command.serverId();
    UnaryOperator<Bucket> elect = bucket -> arrived(state, bucket.electedAlone(serverId));
    Bucket before = state.bucket(command.bucket());
    Transition transition =
        each(
            state,
            List.of(command.bucket()),
            Function.identity(),
            (id, bucket) -> {
              if (!bucket.replicas().contains(serverId)) {
                return Change.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    "Server "
                        + serverId
                        + " holds no replica of bucket "
                        + id
                        + "; its replicas are on "
                        + names(bucket.replicas()));
              }
              return state.isAlive(serverId)
                  ? Change.to(elect.apply(bucket))
                  : Change.refused(
                      ErrorCode.NOT_ENOUGH_SERVERS,
                      "Server " + serverId + " is not alive; it cannot lead bucket " + id);
            });
    if (before == null || transition.events().isEmpty()) {
      return transition;
    }
    List<Event> events = new ArrayList<>(transition.events());
    events.add(new Event.UncleanElection(command.bucket(), serverId, before.isr()));
    return new Transition(transition.state(), transition.outcome(), events);
  }

  private static boolean hasDuplicates(List<Integer> servers) {
    return new HashSet<>(servers).size() < servers.size();
  }

  private static String names(List<Integer> servers) {
    return servers.stream()
        .map(String::valueOf)
        .collect(Collectors.joining(", ", servers.size() == 1 ? "server " : "servers ", ""));
  }
}

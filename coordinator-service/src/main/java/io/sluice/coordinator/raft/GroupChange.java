package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/** One change of the coordinators that make up the metadata group, and what the group is now. */
final class GroupChange {
  /** A coordinator that joins gets the newest snapshot and the log after it first. */
  private static final long CATCH_UP_SECONDS = 60;

  private final RaftServer server;
  private final RaftSettings settings;
  private final ClientId clientId;
  private final long callId;

  GroupChange(RaftServer server, RaftSettings settings, ClientId clientId, long callId) {
    this.server = server;
    this.settings = settings;
    this.clientId = clientId;
    this.callId = callId;
  }

  /** The group as that server sees it. */
  static CoordinatorGroup group(
      RaftServer server, RaftSettings settings, MetadataStateMachine machine) {
    RaftServer.Division division;
    try {
      division = server.getDivision(RaftServers.GROUP);
    } catch (IOException failure) {
      throw RaftFailures.toSluice(failure, settings);
    }
    DivisionInfo info = division.getInfo();
    List<Member> members = new ArrayList<>();
    for (RaftPeer peer : division.getRaftConf().getCurrentPeers()) {
      boolean self = peer.getId().toString().equals(settings.id());
      members.add(self ? settings.self() : RaftServers.toMember(peer));
    }
    members.sort(Comparator.comparing(Member::id));
    RaftPeerId leader = info.getLeaderId();
    return new CoordinatorGroup(
        settings.id(),
        role(info, machine, members),
        leader == null ? null : leader.toString(),
        info.getCurrentTerm(),
        machine.image().index(),
        members);
  }

  private static Role role(DivisionInfo info, MetadataStateMachine machine, List<Member> members) {
    if (members.isEmpty()) {
      return Role.JOINING;
    }
    if (info.isLeader()) {
      return machine.leads() ? Role.LEADER : Role.CANDIDATE;
    }
    return info.isCandidate() ? Role.CANDIDATE : Role.FOLLOWER;
  }

  /** Asks for the change; null when nothing has to be changed. */
  CompletableFuture<@Nullable RaftClientReply> request(
      CoordinatorGroup group, @Nullable String leaving, @Nullable Member joining) {
    List<Member> wanted;
    try {
      wanted = wanted(group, leaving, joining);
    } catch (SluiceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    if (group.role() == Role.LEADER && wanted.equals(group.members())) {
      return CompletableFuture.completedFuture(null);
    }
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            clientId,
            RaftPeerId.valueOf(settings.id()),
            RaftServers.GROUP,
            callId,
            SetConfigurationRequest.Arguments.newBuilder()
                .setServersInCurrentConf(peers(group.members()))
                .setServersInNewConf(peers(wanted))
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .build());
    try {
      return server
          .setConfigurationAsync(request)
          .<@Nullable RaftClientReply>thenApply(reply -> reply)
          .orTimeout(CATCH_UP_SECONDS, TimeUnit.SECONDS);
    } catch (IOException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private static List<RaftPeer> peers(List<Member> members) {
    return members.stream().map(RaftServers::toRaftPeer).toList();
  }

  /** The members after the change; INVALID_ARGUMENT when it makes no sense. */
  static List<Member> wanted(
      CoordinatorGroup group, @Nullable String leaving, @Nullable Member joining) {
    List<Member> wanted = new ArrayList<>(group.members());
    Member same = joining == null ? null : group.member(joining.id());
    if (joining != null && joining.id().equals(leaving)) {
      throw refused(
          "Coordinator "
              + leaving
              + " cannot be replaced under its own id: one that has lost its metadata must not be"
              + " taken for the one that promised to keep it. Give the new one another id");
    }
    if (same != null && !same.equals(joining)) {
      throw refused("Coordinator " + same.id() + " is a member already, as " + same);
    }
    if (leaving != null && group.member(leaving) == null && same == null) {
      throw refused(
          "Coordinator "
              + leaving
              + " is not a member; members are "
              + group.members().stream().map(Member::id).toList());
    }
    wanted.removeIf(member -> member.id().equals(leaving));
    if (joining != null && same == null) {
      wanted.add(joining);
      requireAddresses(wanted);
    }
    if (wanted.isEmpty()) {
      throw refused("Coordinator " + leaving + " is the only member; it cannot be taken out");
    }
    wanted.sort(Comparator.comparing(Member::id));
    return wanted;
  }

  /** One that has always been alone need not have told where others would reach it. */
  private static void requireAddresses(List<Member> members) {
    for (Member member : members) {
      if (member.raftPort() == 0) {
        throw refused(
            "Coordinator "
                + member.id()
                + " has no raft port at which others could reach it; restart it with"
                + " sluice.coordinator.peers="
                + member.id()
                + "=HOST:RAFT:GRPC:HTTP, then ask again");
      }
    }
  }

  private static SluiceException refused(String why) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, why);
  }
}

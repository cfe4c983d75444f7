package io.sluice.coordinator.raft;

import io.sluice.common.HostPort;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/** Makes Ratis servers for the metadata group. */
final class RaftServers {
  /** Every cluster's metadata group has this id; clusters differ by their cluster id. */
  static final RaftGroupId GROUP =
      RaftGroupId.valueOf(
          UUID.nameUUIDFromBytes("sluice-metadata".getBytes(StandardCharsets.US_ASCII)));

  private static final int SNAPSHOTS_KEPT = 2;

  /** Silence of one that joins after which the change is given up, in election timeouts. */
  private static final int JOIN_ELECTIONS = 20;

  /** Pause of a leader that lost the majority before it asks for votes again, likewise. */
  private static final int STEPPED_DOWN_ELECTIONS = 3;

  /** Without a leader for so long, the state machine is told. */
  private static final TimeDuration NO_LEADER = millis(5_000);

  private RaftServers() {}

  static RaftServer build(RaftSettings settings, MetadataStateMachine machine) throws IOException {
    // Without peers a server takes no part in elections until a leader takes it in. What a log
    // knows of the group counts before these.
    List<RaftPeer> peers =
        settings.joins()
            ? List.of()
            : settings.peers().stream().map(RaftServers::toRaftPeer).toList();
    boolean exists = Files.isDirectory(settings.directory().resolve(GROUP.getUuid().toString()));
    return RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(settings.id()))
        .setGroup(RaftGroup.valueOf(GROUP, peers))
        .setOption(exists ? RaftStorage.StartupOption.RECOVER : RaftStorage.StartupOption.FORMAT)
        .setProperties(properties(settings))
        .setStateMachine(machine)
        .build();
  }

  static RaftPeer toRaftPeer(Member member) {
    RaftPeer.Builder peer =
        RaftPeer.newBuilder()
            .setId(member.id())
            .setAddress(member.raftAddress())
            .setClientAddress(member.grpcAddress());
    if (member.httpPort() != 0) {
      peer.setAdminAddress(member.httpAddress());
    }
    return peer.build();
  }

  static Member toMember(RaftPeer peer) {
    return new Member(
        peer.getId().toString(),
        host(peer.getAddress()),
        port(peer.getAddress()),
        port(peer.getClientAddress()),
        port(peer.getAdminAddress()));
  }

  private static String host(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 ? address : address.substring(0, colon);
  }

  /** The port of an address; 0 without one, and for a single coordinator's, which is any. */
  private static int port(@Nullable String address) {
    return address == null || address.isEmpty() || address.endsWith(":0")
        ? 0
        : HostPort.parse("Coordinator address", address).port();
  }

  static RaftProperties properties(RaftSettings settings) {
    RaftProperties properties = new RaftProperties();
    Member self = settings.self();
    RaftServerConfigKeys.setStorageDir(properties, List.of(settings.directory().toFile()));
    GrpcConfigKeys.Server.setHost(properties, self.host());
    GrpcConfigKeys.Server.setPort(properties, self.raftPort());

    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, settings.snapshotEvery());
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS_KEPT);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    // Files that a snapshot makes superfluous go with it, however few entries they have.
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);

    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("8MB"));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("256KB"));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf("4MB"));
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf("5MB"));

    RaftServerConfigKeys.Notification.setNoLeaderTimeout(properties, NO_LEADER);
    // Also those of one that is alone: it may get company, whose heartbeats come at their pace.
    long electionMs = settings.electionTimeout().toMillis();
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(electionMs));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2 * electionMs));
    RaftServerConfigKeys.setStagingTimeout(properties, millis(JOIN_ELECTIONS * electionMs));
    // One that led and lost sight of the others may be the only one with the whole log: it must not
    // keep out of elections for long.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        properties, millis(STEPPED_DOWN_ELECTIONS * electionMs));
    if (settings.peers().size() == 1 && !settings.joins()) {
      // Nobody to wait for: a group of one elects itself at once.
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(5));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(10));
    } else {
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(electionMs / 3));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(electionMs * 2 / 3));
    }
    return properties;
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }
}

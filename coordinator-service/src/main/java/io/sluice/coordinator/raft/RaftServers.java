package io.sluice.coordinator.raft;

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

/** Makes Ratis servers for the metadata group. */
final class RaftServers {
  /** Every cluster's metadata group has this id; clusters differ by their cluster id. */
  static final RaftGroupId GROUP =
      RaftGroupId.valueOf(
          UUID.nameUUIDFromBytes("sluice-metadata".getBytes(StandardCharsets.US_ASCII)));

  private static final int SNAPSHOTS_KEPT = 2;

  private RaftServers() {}

  static RaftServer build(RaftSettings settings, MetadataStateMachine machine) throws IOException {
    List<RaftPeer> peers = settings.peers().stream().map(RaftServers::toRaftPeer).toList();
    boolean exists = Files.isDirectory(settings.directory().resolve(GROUP.getUuid().toString()));
    return RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(settings.id()))
        .setGroup(RaftGroup.valueOf(GROUP, peers))
        .setOption(exists ? RaftStorage.StartupOption.RECOVER : RaftStorage.StartupOption.FORMAT)
        .setProperties(properties(settings))
        .setStateMachine(machine)
        .build();
  }

  private static RaftPeer toRaftPeer(RaftSettings.Peer peer) {
    return RaftPeer.newBuilder()
        .setId(peer.id())
        .setAddress(peer.raftAddress())
        .setClientAddress(peer.clientAddress())
        .build();
  }

  private static RaftProperties properties(RaftSettings settings) {
    RaftProperties properties = new RaftProperties();
    RaftSettings.Peer self = settings.self();
    RaftServerConfigKeys.setStorageDir(properties, List.of(settings.directory().toFile()));
    GrpcConfigKeys.Server.setHost(properties, self.host());
    GrpcConfigKeys.Server.setPort(properties, self.raftPort());

    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, settings.snapshotEvery());
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS_KEPT);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);

    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("8MB"));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("256KB"));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf("4MB"));
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf("5MB"));

    if (settings.peers().size() == 1) {
      // Nobody to wait for: a group of one elects itself at once.
      RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(100));
      RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(200));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(5));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(10));
    } else {
      RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(1000));
      RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2000));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(300));
      RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(600));
    }
    return properties;
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }
}

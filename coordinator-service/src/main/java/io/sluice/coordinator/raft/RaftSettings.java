package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the metadata log runs.
 *
 * @param id this coordinator, one of the peers
 * @param peers all coordinators; a single one is a group of one
 * @param directory where log and snapshots are kept
 * @param snapshotEvery commands between two snapshots
 */
public record RaftSettings(String id, List<Peer> peers, Path directory, long snapshotEvery) {
  /** Commands between two snapshots unless told otherwise. */
  public static final long DEFAULT_SNAPSHOT_EVERY = 20_000;

  public RaftSettings {
    peers = List.copyOf(peers);
    if (peers.stream().noneMatch(peer -> peer.id().equals(id))) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "sluice.coordinator.id is "
              + id
              + ", which is none of sluice.coordinator.peers "
              + peers.stream().map(Peer::id).toList());
    }
  }

  /**
   * One coordinator.
   *
   * @param id its id
   * @param host where the others reach it
   * @param raftPort port of the Raft traffic, 0 = any free one (only in a group of one)
   * @param grpcPort port of its public gRPC API, which followers name to clients
   */
  public record Peer(String id, String host, int raftPort, int grpcPort) {
    /** Where clients reach it. */
    public String clientAddress() {
      return host + ":" + grpcPort;
    }

    String raftAddress() {
      return host + ":" + raftPort;
    }
  }

  /** The settings of a single coordinator. */
  public static RaftSettings single(String id, Path directory, int grpcPort) {
    return new RaftSettings(
        id, List.of(new Peer(id, "127.0.0.1", 0, grpcPort)), directory, DEFAULT_SNAPSHOT_EVERY);
  }

  /** Parses {@code id=host:raftPort:grpcPort}; INVALID_ARGUMENT when it is not of that form. */
  public static Peer parsePeer(String text) {
    int equals = text.indexOf('=');
    List<String> parts = new ArrayList<>();
    if (equals > 0) {
      parts.addAll(List.of(text.substring(equals + 1).split(":", -1)));
    }
    if (parts.size() == 3 && isPort(parts.get(1)) && isPort(parts.get(2))) {
      return new Peer(
          text.substring(0, equals).trim(),
          parts.get(0),
          Integer.parseInt(parts.get(1)),
          Integer.parseInt(parts.get(2)));
    }
    throw new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Coordinator peer '"
            + text
            + "' must have the form id=host:raftPort:grpcPort, for example"
            + " 1=127.0.0.1:9133:9123");
  }

  private static boolean isPort(String text) {
    return !text.isEmpty()
        && text.length() <= 5
        && text.chars().allMatch(c -> c >= '0' && c <= '9')
        && Integer.parseInt(text) >= 1
        && Integer.parseInt(text) <= 65535;
  }

  /** The peer that is this coordinator. */
  Peer self() {
    return peers.stream().filter(peer -> peer.id().equals(id)).findFirst().orElseThrow();
  }
}

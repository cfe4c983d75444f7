package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How the metadata log runs.
 *
 * @param id this coordinator, one of the peers
 * @param peers the coordinators that form the group at its first start; a single one is a group of
 *     one. Later the group itself knows its members
 * @param directory where log and snapshots are kept
 * @param snapshotEvery commands between two snapshots
 * @param joins whether this coordinator, when it has no log yet, waits to be taken into a group
 *     that exists, instead of forming one with the peers
 * @param electionTimeout silence of the leader after which another one is elected, up to twice that
 */
public record RaftSettings(
    String id,
    List<Member> peers,
    Path directory,
    long snapshotEvery,
    boolean joins,
    Duration electionTimeout) {
  /** Commands between two snapshots unless told otherwise. */
  public static final long DEFAULT_SNAPSHOT_EVERY = 20_000;

  /** Silence of the leader unless told otherwise. */
  public static final Duration DEFAULT_ELECTION_TIMEOUT = Duration.ofSeconds(1);

  public RaftSettings {
    peers = List.copyOf(peers);
    if (peers.stream().noneMatch(peer -> peer.id().equals(id))) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "sluice.coordinator.id is "
              + id
              + ", which is none of sluice.coordinator.peers "
              + peers.stream().map(Member::id).toList());
    }
    if (peers.stream().map(Member::id).distinct().count() < peers.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "sluice.coordinator.peers has an id twice: " + peers.stream().map(Member::id).toList());
    }
  }

  /** Settings of a coordinator that forms a group with its peers. */
  public RaftSettings(String id, List<Member> peers, Path directory, long snapshotEvery) {
    this(id, peers, directory, snapshotEvery, false, DEFAULT_ELECTION_TIMEOUT);
  }

  /** The settings of a single coordinator. */
  public static RaftSettings single(String id, Path directory, int grpcPort) {
    return new RaftSettings(
        id,
        List.of(new Member(id, "127.0.0.1", 0, grpcPort, 0)),
        directory,
        DEFAULT_SNAPSHOT_EVERY);
  }

  /**
   * Parses {@code id=host:raftPort:grpcPort} or {@code id=host:raftPort:grpcPort:httpPort};
   * INVALID_ARGUMENT when it is not of that form.
   */
  public static Member parsePeer(String text) {
    int equals = text.indexOf('=');
    List<String> parts = new ArrayList<>();
    if (equals > 0) {
      parts.addAll(List.of(text.substring(equals + 1).trim().split(":", -1)));
    }
    boolean form = parts.size() == 3 || parts.size() == 4;
    if (form && !parts.get(0).isEmpty() && parts.stream().skip(1).allMatch(RaftSettings::isPort)) {
      return new Member(
          text.substring(0, equals).trim(),
          parts.get(0),
          Integer.parseInt(parts.get(1)),
          Integer.parseInt(parts.get(2)),
          parts.size() == 4 ? Integer.parseInt(parts.get(3)) : 0);
    }
    throw new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Coordinator peer '"
            + text
            + "' must have the form id=host:raftPort:grpcPort:httpPort, for example"
            + " 1=127.0.0.1:9133:9123:9180");
  }

  private static boolean isPort(String text) {
    return !text.isEmpty()
        && text.length() <= 5
        && text.chars().allMatch(c -> c >= '0' && c <= '9')
        && Integer.parseInt(text) >= 1
        && Integer.parseInt(text) <= 65535;
  }

  /** The peer that is this coordinator. */
  Member self() {
    return peers.stream().filter(peer -> peer.id().equals(id)).findFirst().orElseThrow();
  }
}

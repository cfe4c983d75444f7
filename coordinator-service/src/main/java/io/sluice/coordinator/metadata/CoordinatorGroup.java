package io.sluice.coordinator.metadata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The coordinators of a cluster, as one of them sees them now.
 *
 * @param self the one that says so
 * @param role what it is
 * @param leader id of the one that leads, null while none is known
 * @param term of the newest election it knows of
 * @param index of the newest entry it has applied
 * @param members all that take part, in the order of their ids; empty while it waits to be taken in
 */
public record CoordinatorGroup(
    String self, Role role, @Nullable String leader, long term, long index, List<Member> members) {

  public CoordinatorGroup {
    members = List.copyOf(members);
  }

  /** What a coordinator is in its group. */
  public enum Role {
    /** Decides. */
    LEADER,
    /** Follows a leader, which need not be known yet. */
    FOLLOWER,
    /** Asks the others to elect it. */
    CANDIDATE,
    /** Runs, but is in no group yet. */
    JOINING
  }

  /**
   * A coordinator.
   *
   * @param id its id, never given to another one
   * @param host where all its ports are
   * @param raftPort for the other coordinators
   * @param grpcPort for clients and servers
   * @param httpPort for REST, 0 = not known
   */
  public record Member(String id, String host, int raftPort, int grpcPort, int httpPort) {
    /** Where clients reach it. */
    public String grpcAddress() {
      return host + ":" + grpcPort;
    }

    /** Where the other coordinators reach it. */
    public String raftAddress() {
      return host + ":" + raftPort;
    }

    /** Where its REST API is, without a scheme; empty when that is not known. */
    public String httpAddress() {
      return httpPort == 0 ? "" : host + ":" + httpPort;
    }
  }

  /** The member of that id, null when there is none. */
  public @Nullable Member member(@Nullable String id) {
    for (Member member : members) {
      if (member.id().equals(id)) {
        return member;
      }
    }
    return null;
  }
}

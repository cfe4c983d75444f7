package io.sluice.coordinator.metadata;

import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Who the coordinators of this cluster are, and the change of it. Thread-safe. */
public interface CoordinatorMembers {
  /** The group as this coordinator sees it now. */
  CoordinatorGroup group();

  /**
   * Takes one coordinator out and another one in, in one step. The one that joins must run and be
   * in no group; it is given everything before it counts. Asked again after an unknown outcome, it
   * succeeds when the change was made.
   *
   * <p>Fails with NOT_COORDINATOR_LEADER where another coordinator leads, INVALID_ARGUMENT when the
   * group is not such that it can be done, BACKPRESSURE while another change is under way, TIMEOUT
   * when the joining one does not catch up in time: whether it will be a member is not known then.
   *
   * @param leaving id of the one to take out, null to take none out
   * @param joining the one to take in, null to take none in
   */
  CompletableFuture<CoordinatorGroup> change(@Nullable String leaving, @Nullable Member joining);
}

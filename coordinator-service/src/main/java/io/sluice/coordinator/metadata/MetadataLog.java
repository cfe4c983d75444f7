package io.sluice.coordinator.metadata;

import io.sluice.common.SluiceException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The ordered, durable sequence of commands. All methods may be called by any thread.
 *
 * <p>Futures fail with a {@link SluiceException}: NOT_COORDINATOR_LEADER where another coordinator
 * leads, UNAVAILABLE while starting or stopping, TIMEOUT when the outcome is not known in time. A
 * command that this coordinator had taken when it lost the leadership fails with
 * NOT_COORDINATOR_LEADER and the detail {@code outcome=unknown}. Reads are answered by followers
 * too.
 */
public interface MetadataLog {
  /** Submits a command; completes once it is committed and applied here. */
  CompletableFuture<Applied> submit(Command command);

  /** The newest state: everything that completed anywhere before this call is in it. */
  CompletableFuture<MetadataImage> readLatest();

  /**
   * Why what only a leader may do is refused here: NOT_COORDINATOR_LEADER, with the detail {@code
   * leader} when it is known who leads. Null where this coordinator leads, as far as it knows.
   */
  default @Nullable SluiceException notLeading() {
    return null;
  }

  /** The state this coordinator has applied, which may lag behind on a follower. */
  MetadataImage current();

  /**
   * A command's outcome.
   *
   * @param index its place in the log
   * @param outcome what became of it
   */
  record Applied(long index, Outcome outcome) {}

  /** Is told of every applied command, in order, by the applying thread: must return at once. */
  interface Listener {
    /** A command was applied. */
    void applied(MetadataImage image, List<Event> events);

    /** This coordinator leads now, and has applied every earlier command. */
    void leading();

    /** This coordinator does not lead (any more); another one does. */
    void following();

    /** This coordinator has known no leader for a while. */
    default void alone() {}

    /**
     * This coordinator cannot apply a command. Its state stays as it was before it, and it neither
     * leads nor answers any more until it is started anew. May be told again.
     */
    default void broken(SluiceException why) {}

    /** The state was replaced by a snapshot: events before this image are not known here. */
    void replaced(MetadataImage image);
  }
}

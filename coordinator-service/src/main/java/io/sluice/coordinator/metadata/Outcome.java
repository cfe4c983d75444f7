package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a command; decided while it is applied, the same on every coordinator. */
public sealed interface Outcome {
  /**
   * The command holds.
   *
   * @param id table or writer id, or the first id granted; 0 when the command gives none
   * @param epoch writer epoch, 0 when the command gives none
   * @param count how many ids were granted, 0 when the command grants none
   * @param decisions what became of each bucket that the command names, in its order; empty when it
   *     holds or fails as a whole
   */
  record Accepted(long id, int epoch, long count, List<Decision> decisions) implements Outcome {
    public Accepted {
      decisions = List.copyOf(decisions);
    }

    /** Without granted ids. */
    public Accepted(long id, int epoch) {
      this(id, epoch, 0);
    }

    /** With granted ids. */
    public Accepted(long id, int epoch, long count) {
      this(id, epoch, count, List.of());
    }
  }

  /**
   * What became of one of many buckets.
   *
   * @param refusal why nothing was done about it, null when it was
   * @param message the same for people, empty when it was done
   */
  record Decision(@Nullable ErrorCode refusal, String message) {
    /** It was done, or there was nothing to do. */
    public static final Decision DONE = new Decision(null, "");

    /** Whether it was done. */
    public boolean accepted() {
      return refusal == null;
    }

    /** Nothing, or throws the refusal as a failure with its code. */
    public void orThrow() {
      if (refusal != null) {
        throw new SluiceException(refusal, message);
      }
    }
  }

  /** A precondition of the command did not hold; the state is unchanged. */
  record Rejected(ErrorCode code, String message) implements Outcome {}

  /** The acceptance, or throws the rejection as a failure with its code. */
  default Accepted orThrow() {
    if (this instanceof Rejected rejected) {
      throw new SluiceException(rejected.code(), rejected.message());
    }
    return (Accepted) this;
  }
}

package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/** What became of a command; decided while it is applied, the same on every coordinator. */
public sealed interface Outcome {
  /**
   * The command holds.
   *
   * @param id table or writer id, or the first id granted; 0 when the command gives none
   * @param epoch writer epoch, 0 when the command gives none
   * @param count how many ids were granted, 0 when the command grants none
   */
  record Accepted(long id, int epoch, long count) implements Outcome {
    /** Without granted ids. */
    public Accepted(long id, int epoch) {
      this(id, epoch, 0);
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

package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;

/** What became of the commit of a round. */
public sealed interface RoundOutcome {
  /**
   * The round is in the lake.
   *
   * @param snapshotId its snapshot
   */
  record Committed(long snapshotId) implements RoundOutcome {}

  /**
   * Nothing of the round is or will be in the lake.
   *
   * @param code why
   * @param message names the values
   */
  record Refused(ErrorCode code, String message) implements RoundOutcome {}

  /**
   * The catalog gave no answer. The table takes no other round until this one is resolved, and
   * nothing of it may be cleaned up.
   *
   * @param message the failure
   */
  record Unknown(String message) implements RoundOutcome {}
}

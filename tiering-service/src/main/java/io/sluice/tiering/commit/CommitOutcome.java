package io.sluice.tiering.commit;

import io.sluice.common.ErrorCode;

/** How a commit ended. */
public sealed interface CommitOutcome {
  /** The round is in the lake. */
  record Committed(long snapshotId) implements CommitOutcome {}

  /** A definite no: nothing of the round is or will be in the lake. */
  record Refused(ErrorCode code, String message) implements CommitOutcome {}

  /** No answer that says which. The round's files must stay. */
  record Unknown(String message) implements CommitOutcome {}
}

package io.sluice.tiering.commit;

import io.sluice.common.SluiceException;

/** The committer of the lake. Blocking, thread-safe. */
public interface Lake {
  /**
   * Asks from where the round has to start.
   *
   * @throws SluiceException FENCED_ROUND, LAKE_TABLE_EXISTS, LAKE_REGRESSED, or why lake-service
   *     cannot be asked
   */
  PreparedRound prepare(RoundKey key);

  /** Commits; whatever goes wrong without a definite answer is Unknown. */
  CommitOutcome commit(RoundCommit commit);

  /** Settles a round whose commit is Unknown; Unknown again when there is no answer. */
  CommitOutcome resolve(RoundKey key);
}

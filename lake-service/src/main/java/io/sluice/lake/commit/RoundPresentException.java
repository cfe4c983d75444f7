package io.sluice.lake.commit;

/** Stops Iceberg's commit loop because the round is in the history already. */
final class RoundPresentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long snapshotId;

  RoundPresentException(String roundId, long snapshotId) {
    super("Round " + roundId + " is in the history as snapshot " + snapshotId);
    this.snapshotId = snapshotId;
  }

  RoundOutcome.Committed outcome() {
    return new RoundOutcome.Committed(snapshotId);
  }
}

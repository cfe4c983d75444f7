package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * The compare-and-set of a round: the table is still that table, the round is not in it yet, its
 * fence is current, no newer epoch has committed, and what is recorded is what the round started
 * from. Asked for every state of the table that the round might be committed on.
 */
record RoundValidator(Round round, FileIO files) {
  /**
   * @throws RoundPresentException when the round was committed before
   * @throws RoundRefusedException when it must not be committed
   */
  void check(TableMetadata metadata) {
    Lineage lineage = Lineage.of(metadata, files);
    if (lineage.tableId() != round.tableId()) {
      throw new RoundRefusedException(
          ErrorCode.TABLE_CHANGED,
          "Round "
              + round.roundId()
              + " is of table id "
              + round.tableId()
              + ", the lake table belongs to "
              + (lineage.tableId() == 0 ? "nobody" : "table id " + lineage.tableId()));
    }
    Snapshot present = Lineage.findRound(metadata, round.tableId(), round.roundId());
    if (present != null) {
      throw new RoundPresentException(round.roundId(), present.snapshotId());
    }
    if (lineage.fence() != round.fence()) {
      throw fenced("has fence " + round.fence() + ", the lake is at fence " + lineage.fence());
    }
    if (lineage.epoch() > round.epoch()) {
      throw fenced(
          "has epoch " + round.epoch() + ", the lake has a commit of epoch " + lineage.epoch());
    }
    if (lineage.rolledBack() != null) {
      throw new RoundRefusedException(
          ErrorCode.LAKE_REGRESSED, "The lake table was rolled back: " + lineage.rolledBack());
    }
    if (!lineage.recorded().equals(round.start())) {
      throw fenced("starts at " + round.start() + ", the lake is at " + lineage.recorded());
    }
  }

  private RoundRefusedException fenced(String what) {
    return new RoundRefusedException(
        ErrorCode.FENCED_ROUND, "Round " + round.roundId() + " " + what);
  }
}

package io.sluice.lake.commit;

import io.sluice.common.SluiceException;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.time.Duration;
import java.util.List;

/**
 * What the coordinator knows and records about tables in the lake. Every method blocks for a
 * bounded time and fails with the coordinator's {@link SluiceException}: TABLE_NOT_FOUND when there
 * is no such table, UNAVAILABLE or TIMEOUT when none answers.
 */
public interface LakeRecord {
  /** The table of that id. */
  TableInfo table(long tableId);

  /** The table of that name. */
  TableInfo table(String database, String table);

  /** What is recorded for a table. */
  LakeState state(long tableId);

  /** What is recorded for every table with the lake enabled. */
  List<LakeState> states();

  /**
   * Records a committed round.
   *
   * @param within bound of the call
   */
  void roundCommitted(RoundCommittedRequest request, Duration within);

  /** Holds a table back as <em>regressed</em>. */
  void holdRegressed(long tableId, String reason);
}
